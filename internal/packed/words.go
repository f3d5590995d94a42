package packed

// Words numbers texts that come again and again, 0, 1, 2 …, so that each is written
// once. The zero Words is empty.
type Words struct {
	list    []string
	numbers map[string]int
}

// Number returns the number of a text.
func (v *Words) Number(text string) int {
	n, known := v.numbers[text]
	if !known {
		if v.numbers == nil {
			v.numbers = map[string]int{}
		}
		n = len(v.list)
		v.numbers[text], v.list = n, append(v.list, text)
	}
	return n
}

// Len counts the texts.
func (v *Words) Len() int { return len(v.list) }

// Words writes texts in the order of their numbers.
func (w *Writer) Words(v *Words) {
	w.Uint(uint64(len(v.list)))
	for _, text := range v.list {
		w.Text(text)
	}
}

// Words reads what Writer.Words wrote.
func (r *Reader) Words() []string {
	words := make([]string, r.Count(1))
	for i := range words {
		words[i] = r.Text()
	}
	return words
}
