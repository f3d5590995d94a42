package datafile

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

var plainTypes = []Type{{Kind: Varchar}, {Kind: BigInt}, {Kind: Decimal, Precision: 9, Scale: 3}, {Kind: Decimal, Precision: 18, Scale: 18}}

// plainOf returns a value of a type at random, the bytes of which are in text.
func plainOf(t *Type, text []byte, r *rand.Rand) Plain {
	switch {
	case r.IntN(8) == 0:
		return Plain{}
	case t.Kind == Varchar:
		from := r.IntN(len(text) + 1)
		return PlainText(from, from+r.IntN(min(len(text)-from, 2*shortSpan)+1))
	default:
		p, ok := PlainNumber(t, r.Int64N(2000)-1000, r.IntN(t.Scale+1))
		if !ok {
			return Plain{}
		}
		return p
	}
}

// However much room there is behind a text, what is made of it is the same.
func TestPlainValuesAreAppendedAsValuesAre(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range plainTypes {
		plain, value := NewVector(typ), NewVector(typ)
		for range 2 * BlockRows {
			text := []byte(strings.Repeat("So viel Text, ", r.IntN(8)))
			text = text[:len(text):min(cap(text), len(text)+r.IntN(shortSpan))]
			p := plainOf(&typ, text, r)
			x := p.Value(&typ, text)
			got, err := plain.AppendPlain(make([]byte, 3, 3+r.IntN(100)), &p, text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := value.AppendDigested(make([]byte, 3), &x)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s %v is %q, want %q: %v", typ, x, got, want, err)
			}
		}
		sameRows(t, plain, value)
	}
}

func sameRows(t *testing.T, got, want *Vector) {
	t.Helper()
	if got.Len() != want.Len() || got.nulls != want.nulls || got.text != want.text || got.differ != want.differ {
		t.Fatalf("%s: %d rows, %d of them NULL, with %d bytes of text, want %d, %d and %d", want.typ, got.Len(), got.nulls, got.text, want.Len(), want.nulls, want.text)
	}
	for row := range want.Len() {
		if got.level(row) != want.level(row) || want.level(row) > 0 && !same(got, want, row) {
			t.Fatalf("%s: row %d differs", want.typ, row)
		}
	}
}

func same(a, b *Vector, row int) bool {
	if a.bytes {
		return bytes.Equal(a.textOf(row), b.textOf(row))
	}
	return a.word(row) == b.word(row)
}

func TestPlainValuesOfAnotherTypeAreRefused(t *testing.T) {
	number, _ := PlainNumber(&Type{Kind: BigInt}, 1, 0)
	text := PlainText(0, 1)
	for _, c := range []struct {
		kind Kind
		p    Plain
	}{{Varchar, number}, {BigInt, text}, {JSON, text}, {Double, number}} {
		v := NewVector(Type{Kind: c.kind})
		if _, err := v.AppendPlain(nil, &c.p, []byte("1")); err == nil || v.Len() != 0 {
			t.Errorf("%s takes it, and has %d rows: %v", v.typ, v.Len(), err)
		}
	}
}

func TestSpansAreCopiedWhole(t *testing.T) {
	text := []byte("The quick brown fox jumps over the lazy dog, twice")
	for from := range len(text) {
		for to := from; to <= len(text); to++ {
			for _, room := range []int{0, to - from, shortSpan - 1, shortSpan, 100} {
				got := appendSpan(append(make([]byte, 0, 1+room), '>'), text, span{uint32(from), uint32(to)})
				if want := ">" + string(text[from:to]); string(got) != want {
					t.Fatalf("room for %d: %q, want %q", room, got, want)
				}
			}
			if word := firstWord(text[from:to]); word != firstWord(text[from:to:to]) {
				t.Fatalf("%q begins with %x", text[from:to], word)
			}
		}
	}
}
