package datafile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

var plainTypes = []Type{{Kind: Varchar}, {Kind: BigInt}, {Kind: Decimal, Precision: 9, Scale: 3}, {Kind: Decimal, Precision: 18, Scale: 18}}

// somePlain returns a value of a type at random, the bytes of which are in text.
func somePlain(t *Type, text []byte, r *rand.Rand) Plain {
	switch {
	case r.IntN(8) == 0:
		return Plain{}
	case t.Kind == Varchar:
		from := r.IntN(len(text) + 1)
		return PlainText(from, from+r.IntN(min(len(text)-from, 2*shortSpan)+1))
	default:
		return someNumber(t, text, r)
	}
}

// someNumber returns a number that a part of text is overwritten with.
func someNumber(t *Type, text []byte, r *rand.Rand) Plain {
	number := strconv.Itoa(r.IntN(2000) - 1000)
	if fraction := r.IntN(t.Scale + 2); fraction > 0 {
		number = fmt.Sprintf("%s.%0*d", number, fraction, r.IntN(1000)%int(powers[min(fraction, 3)]))
	}
	if r.IntN(10) == 0 {
		number = "-0" + strings.TrimLeft(number, "-0123456789") // maybe a zero with a sign
	}
	n, fraction, _, ok := ScanShort([]byte(number), 0)
	if !ok || len(number) > len(text) {
		return Plain{}
	}
	from := r.IntN(len(text) - len(number) + 1)
	p, ok := PlainNumber(t, n, fraction, from, from+copy(text[from:], number))
	if !ok {
		return Plain{}
	}
	return p
}

// However much room there is behind a text, and whether it is that of the row before or
// another, what is made of it is the same.
func TestPlainValuesAreAppendedAsValuesAre(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 4 * len(plainTypes) {
		typ, often := plainTypes[i%len(plainTypes)], 1+i*i*i // rows of one text
		plain, value := NewVector(typ), NewVector(typ)
		one := make([]byte, 0, 1<<20)
		for range 2 * BlockRows {
			text := []byte(strings.Repeat("So viel Text, ", r.IntN(8)))
			text = text[:len(text):min(cap(text), len(text)+r.IntN(shortSpan))]
			if r.IntN(often) > 0 && len(one) < cap(one)-200 {
				one = append(one, strings.Repeat("So viel Text, ", 1+r.IntN(4))...)
				text = one
			}
			p := somePlain(&typ, text, r)
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
		plain.Keep()
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

// What is not copied yet can be put into an order, and repeated.
func TestPlainValuesAreTakenBeforeTheyAreKept(t *testing.T) {
	text := []byte("onetwothreefourfive and much more behind it")
	lent, reversed := NewVector(Type{Kind: Varchar}), NewVector(Type{Kind: Varchar})
	for _, at := range []span{{0, 3}, {3, 6}, {6, 11}, {11, 15}, {15, 19}} {
		p := PlainText(int(at.from), int(at.to))
		if _, err := lent.AppendPlain(make([]byte, 0, 100), &p, text); err != nil {
			t.Fatal(err)
		}
	}
	reversed.TakeEach(lent, []int32{4, 3, 2, 1, 0})
	if err := lent.Repeat(2); err != nil {
		t.Fatal(err)
	}
	clear(text)
	for _, c := range []struct {
		v    *Vector
		want string
	}{{reversed, "five four three two one"}, {lent, "one two three four five five five"}} {
		var got []string
		for row := range c.v.Len() {
			got = append(got, string(c.v.textOf(row)))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestPlainValuesOfAnotherTypeAreRefused(t *testing.T) {
	number, _ := PlainNumber(&Type{Kind: BigInt}, 1, 0, 0, 1)
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
