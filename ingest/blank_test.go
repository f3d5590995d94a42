package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"strandline/landing"
)

func BenchmarkDecodeBlankNDJSON(b *testing.B) {
	benchmarkDecode(b, quakeSpec(), Options{}, bytes.Repeat([]byte("\n"), 8<<20))
}

// placed are the lines that were handed on.
type placed struct{ rows, rejects []int64 }

func (p *placed) Add(r landing.Row) error { p.rows = append(p.rows, r.SourcePosition); return nil }
func (p *placed) Reject(r landing.Reject) error {
	p.rejects = append(p.rejects, r.SourcePosition)
	return nil
}

// Lines are blank, rows or rejects one by one, however they are taken.
func TestBlankLinesAreCountedAndMoveNoPosition(t *testing.T) {
	const limit = 40
	kinds := []string{"", "", "", "", "\r", " ", "\t \r", "\r\r", strings.Repeat(" ", limit-1), strings.Repeat(" ", limit), `{"time":1}`, ` {"time":1}`, `{`}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var source bytes.Buffer
		var want placed
		blanks := 0
		for line := range int64(random.IntN(3000)) {
			text := kinds[random.IntN(min(len(kinds), 1+random.IntN(2*len(kinds))))]
			switch {
			case strings.HasSuffix(text, "}"):
				want.rows = append(want.rows, line+1)
			case text == "{" || len(text) >= limit:
				want.rejects = append(want.rejects, line+1)
			default:
				blanks++
			}
			source.WriteString(text + "\n")
		}
		d, err := NewDecoder(nastySpec(), Options{MaxRecord: limit})
		if err != nil {
			t.Fatal(err)
		}
		var got placed
		counts, err := d.Decode(bytes.NewReader(source.Bytes()), &got)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || counts.Blanks != int64(blanks) {
			t.Fatalf("seed %d: %v, %d blanks of %d\n%v\n%v", seed, err, counts.Blanks, blanks, got, want)
		}
	}
}

// A blank line costs no more than a byte of a record: they are taken together, and don't make
// the parts small that a source is read in.
func TestBlankLinesAreTakenTogether(t *testing.T) {
	const blanks = 100_000
	source := append(bytes.Repeat([]byte("\n"), blanks), `{"time":1}`...)
	decoder, err := NewDecoder(nastySpec(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &decoding{record: newRecord(decoder.schema), sink: &tally{}, ahead: lookaheadOf(source), limit: 1 << 20}
	j := newJSONDecoding(d)
	if _, err := j.next(); err != nil || j.counts.Blanks != blanks || !bytes.HasPrefix(j.ahead.ahead(), []byte("{")) {
		t.Errorf("%v; at the first time %d of %d were taken", err, j.counts.Blanks, blanks)
	}
	if n := fullLines(source, blanks); n != 0 {
		t.Errorf("%d lines are full, want none that ends", n)
	}
}
