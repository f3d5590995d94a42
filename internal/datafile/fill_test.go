package datafile

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Blocks that are filled with one value are written as those of which each row was added,
// be that value the same in all blocks or not.
func TestFilledBlocksAreWrittenAsThoseOfManyRows(t *testing.T) {
	a, b, null := parquet.ByteArrayValue([]byte("a")), parquet.ByteArrayValue([]byte("b")), Value{}
	for _, blocks := range [][]Value{{a}, {a, a}, {a, b, a}, {null, null}, {a, null}, {null, a, a}} {
		filled, added := vectorOfBlocks(t, blocks, (*Vector).Fill), vectorOfBlocks(t, blocks, addEach)
		var rows []int32
		for block := range blocks {
			for i := range int32(9) {
				rows = append(rows, int32(block)*BlockRows+8-i)
			}
		}
		if got, want := digestOf(t, filled, rows), digestOf(t, added, rows); got != want {
			t.Errorf("blocks of %v: the files are not the same", blocks)
		}
	}
}

func addEach(v *Vector, x Value, rows int) error {
	for range rows {
		if err := v.Append(x); err != nil {
			return err
		}
	}
	v.differ = false // as after Repeat
	return nil
}

// vectorOfBlocks has nine rows of each value.
func vectorOfBlocks(t *testing.T, blocks []Value, add func(*Vector, Value, int) error) *Vector {
	var parts []*Vector
	for _, x := range blocks {
		v := NewVector(Type{Kind: Varchar})
		if err := add(v, x, 9); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, v)
	}
	return Join(parts)
}

func digestOf(t *testing.T, v *Vector, rows []int32) Written {
	w, err := Create(filepath.Join(t.TempDir(), "a.parquet"), []Column{{Name: "text", Type: v.typ}}, Passing)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.GroupOf([]*Vector{v}, rows); err != nil {
		t.Fatal(err)
	}
	written, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return written
}

// Whatever lies in runs, is NULL, repeated or far from its neighbour: a page gathers the
// rows that are asked for, and stops after the one whose text is enough.
func TestPagesGatherRowByRowWhatTheyGatherInRuns(t *testing.T) {
	for _, nulls := range []bool{false, true} {
		v := NewVector(Type{Kind: Varchar})
		for i := range 3 * BlockRows / 2 {
			err := v.appendText([]byte("a text that is long"[:i%17]))
			if i%5 == 0 {
				err = v.Repeat(2)
			}
			if nulls && i%11 == 0 {
				v.appendNull()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows := slices.Concat(rowsOf(BlockRows-9, BlockRows+9), []int32{7, 5, 6, 7}, rowsOf(0, BlockRows))
		for _, enough := range []int{1, 100, 1 << 20} {
			holdGathered(t, v, rows, enough)
		}
	}
}

func rowsOf(from, to int32) (rows []int32) {
	for ; from < to; from++ {
		rows = append(rows, from)
	}
	return rows
}

func holdGathered(t *testing.T, v *Vector, rows []int32, enough int) {
	var p page
	for len(rows) > 0 {
		n, text, offsets := 0, "", []uint32{0}
		for ; n < len(rows) && len(text) < enough; n++ {
			if row := int(rows[n]); v.level(row) > 0 {
				text += string(v.textOf(row))
				offsets = append(offsets, uint32(len(text)))
			}
		}
		if got := p.gather(v, rows, enough); got != n || string(p.text) != text || !slices.Equal(p.offsets, offsets) {
			t.Fatalf("up to %d bytes it took %d rows, want %d, or others than these", enough, got, n)
		}
		rows = rows[n:]
	}
}
