package packed

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/digest"
)

// all are values of each kind.
type all struct {
	Uint uint64
	Int  int64
	Text string
	Hash digest.Hash
	Sum  digest.Sum128
	Time time.Time
	ID   string
}

func (a all) write(w *Writer) {
	w.Uint(a.Uint)
	w.Int(a.Int)
	w.Text(a.Text)
	w.Hash(a.Hash)
	w.Sum(a.Sum)
	w.Time(a.Time)
	w.ID(a.ID)
}

func read(r *Reader) (a all) {
	a.Uint, a.Int, a.Text, a.Hash, a.Sum, a.Time, a.ID = r.Uint(), r.Int(), r.Text(), r.Hash(), r.Sum(), r.Time(), r.ID()
	return a
}

func TestValuesAreReadBackAndAnyCutIsAnError(t *testing.T) {
	ids := rapid.OneOf(rapid.StringMatching(`[0-9a-f]{32}`), rapid.StringMatching(`[0-9A-F]{32}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		want := all{
			Uint: rapid.Uint64().Draw(t, "uint"), Int: rapid.Int64().Draw(t, "int"), Text: rapid.String().Draw(t, "text"),
			Sum:  digest.Sum128{Hi: rapid.Uint64().Draw(t, "hi"), Lo: rapid.Uint64().Draw(t, "lo")},
			Hash: digest.OfBytes([]byte(rapid.String().Draw(t, "hashed"))),
			Time: time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC(),
			ID:   ids.Draw(t, "id"),
		}
		var w Writer
		want.write(&w)
		r := NewReader(w.Bytes)
		if got := read(r); got != want || r.Done() != nil {
			t.Fatalf("wrote %+v, read %+v (%v)", want, got, r.Done())
		}
		cut := NewReader(w.Bytes[:rapid.IntRange(0, len(w.Bytes)-1).Draw(t, "cut")])
		if read(cut); cut.Done() == nil {
			t.Fatalf("a cut is read without error")
		}
		more := NewReader(append(w.Bytes, 0))
		if read(more); more.Done() == nil {
			t.Fatalf("a byte more is read without error")
		}
	})
}

func TestWhatCannotBeIsAnError(t *testing.T) {
	for name, use := range map[string]func(*Reader){
		"more things than bytes": func(r *Reader) { r.Count(2) },
		"a choice too far":       func(r *Reader) { r.Choice(3) },
		"a text too long":        func(r *Reader) { r.Text() },
		"an id of no kind":       func(r *Reader) { r.ID() },
	} {
		var w Writer
		w.Uint(3)
		w.Int(0)
		r := NewReader(w.Bytes)
		if use(r); r.Err() == nil {
			t.Errorf("%s is no error", name)
		}
	}
	var w Writer
	w.Uint(math.MaxUint64)
	if r := NewReader(w.Bytes); r.Count(0) != 0 || r.Err() == nil {
		t.Error("a count beyond all bytes is no error")
	}
}

func FuzzAnyBytesAreReadOrRefused(f *testing.F) {
	var w Writer
	all{Text: "a", ID: "0123456789abcdef0123456789abcdef"}.write(&w)
	f.Add(w.Bytes)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(data)
		a := read(r)
		if r.Done() != nil {
			return
		}
		var w Writer
		a.write(&w)
		again := NewReader(w.Bytes)
		if read(again) != a || again.Done() != nil {
			t.Fatalf("%+v is not read back", a)
		}
	})
}

func TestValuesThatComeAgainAreWrittenOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "", "c"})).Draw(t, "values")
		n := Numbered[string]{Same: func(a, b string) bool { return a == b }, Word: JSONWord[string]}
		var list, w Writer
		for _, value := range want {
			n.Write(&list, value)
		}
		words, err := n.Words()
		if err != nil || words.Len() > 4 {
			t.Fatalf("%d words (%v)", words.Len(), err)
		}
		w.Words(words)
		w.Append(list.Bytes)
		r := NewReader(w.Bytes)
		values, err := Values(r, OfJSON[string])
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got := Chosen(r, values); got != want[i] {
				t.Fatalf("value %d is %q, want %q", i, got, want[i])
			}
		}
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAValueWithoutAWordIsAnError(t *testing.T) {
	n := Numbered[float64]{Same: func(a, b float64) bool { return a == b }, Word: JSONWord[float64]}
	n.Write(&Writer{}, math.NaN())
	if _, err := n.Words(); err == nil {
		t.Error("what can't be written is no error")
	}
}
