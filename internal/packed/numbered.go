package packed

import "encoding/json"

// Numbered writes values of one kind, each of which comes again and again, by the
// numbers of the words that stand for them. The words are written apart from it.
type Numbered[T any] struct {
	Same  func(a, b T) bool
	Word  func(T) (string, error)
	words Words
	last  T
	at    int
	err   error
}

// Write writes the number of a value to w.
func (n *Numbered[T]) Write(w *Writer, value T) { w.Uint(uint64(n.Number(value))) }

// Number returns the number of a value. Neighbours most often are the same, so the
// last one is looked at first.
func (n *Numbered[T]) Number(value T) int {
	if n.words.Len() == 0 || !n.Same(value, n.last) {
		word, err := n.Word(value)
		if err != nil {
			n.err = err
		}
		n.last, n.at = value, n.words.Number(word)
	}
	return n.at
}

// Words returns the words that were numbered; an error if there was none for a value.
func (n *Numbered[T]) Words() (*Words, error) { return &n.words, n.err }

// JSONWord is the JSON of a value, for one that is rarely another.
func JSONWord[T any](value T) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// OfJSON reads what JSONWord wrote.
func OfJSON[T any](word string) (value T, err error) {
	return value, json.Unmarshal([]byte(word), &value)
}

// Values reads words that were written by Writer.Words, and makes a value of each.
func Values[T any](r *Reader, of func(word string) (T, error)) ([]T, error) {
	words := r.Words()
	values := make([]T, len(words))
	for i, word := range words {
		var err error
		if values[i], err = of(word); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Chosen reads the number of one of the values.
func Chosen[T any](r *Reader, values []T) (value T) {
	if n := r.Choice(len(values)); n < len(values) {
		value = values[n]
	}
	return value
}
