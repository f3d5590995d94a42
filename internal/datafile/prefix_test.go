package datafile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
)

// someTexts are texts of all lengths, each of which begins as the one before does up to
// some place.
func someTexts(random *rand.Rand, n int) (texts [][]byte) {
	before := []byte(nil)
	for range n {
		text := bytes.Clone(before[:random.IntN(len(before)+1)])
		for range random.IntN(1 << random.IntN(8)) {
			text = append(text, byte('a'+random.IntN(2)))
		}
		texts, before = append(texts, text), text
	}
	return texts
}

// pageOf is a page that has gathered texts.
func pageOf(texts [][]byte) *page {
	p := &page{kind: parquet.ByteArray, offsets: []uint32{0}}
	for _, text := range texts {
		p.text = append(p.text, text...)
		p.offsets = append(p.offsets, uint32(len(p.text)))
	}
	return p
}

func TestPrefixesAreCutAsTheFormatSays(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	for range 200 {
		p := pageOf(someTexts(random, 1+random.IntN(300)))
		if err := p.encodePrefixes(); err != nil {
			t.Fatal(err)
		}
		want, err := new(delta.ByteArrayEncoding).EncodeByteArray(nil, p.text, p.offsets)
		if err != nil || !bytes.Equal(p.plain, want) {
			t.Fatalf("%d texts: got\n%x\nwant\n%x (%v)", p.len(), p.plain, want, err)
		}
	}
}

func TestPrefixesAreCutWhereTheyAreHalfOfTheTexts(t *testing.T) {
	for _, c := range []struct {
		text func(i int) string
		rows int
		cut  bool
	}{
		{func(i int) string { return fmt.Sprintf("sale-%d", 100_000+i) }, 1000, true},
		{func(i int) string { return fmt.Sprintf("sale-%d", 100_000+i) }, prefixSample, false},
		{func(i int) string { return fmt.Sprintf("%d-sale", 100_000+i*7919) }, 1000, false},
		{func(i int) string { return strings.Repeat("x", 500) + fmt.Sprint(i) }, 1000, true},
		{func(int) string { return "" }, 1000, false},
	} {
		var texts [][]byte
		for i := range c.rows {
			texts = append(texts, []byte(c.text(i)))
		}
		if got := pageOf(texts).sharesPrefixes(); got != c.cut {
			t.Errorf("%d texts as %.20q: cut is %t", c.rows, texts[0], got)
		}
	}
}

func FuzzSharedPrefix(f *testing.F) {
	f.Add([]byte("sale-12345"), []byte("sale-12346"))
	f.Add([]byte("0123456789abcdef"), []byte("0123456789abcdefg"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		want := 0
		for want < min(len(a), len(b)) && a[want] == b[want] {
			want++
		}
		if got := sharedPrefix(a, b); got != want {
			t.Errorf("%q and %q share %d, got %d", a, b, want, got)
		}
	})
}
