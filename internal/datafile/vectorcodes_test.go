package datafile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Texts that become codes, in some blocks or in all, are the same rows, and the same bytes
// of a file, as texts that stay what they are.
func TestCodesLeaveNoTrace(t *testing.T) {
	for name, values := range map[string][]int{
		"few in each block":               {3, 500, 7},
		"few and many":                    {500, 20_000, 3},
		"as many as there may be":         {maxCodes, maxCodes + 1, 2 * maxCodes},
		"none in some":                    {0, 40, 0},
		"few, and others in other blocks": {-300, -300, -300},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(8, uint64(len(name))))
			col := Column{Name: "text", Type: Type{Kind: Varchar}}
			var coded []*Vector
			plain := NewVector(col.Type)
			var rows []int32
			for block, n := range values {
				came, order := textsOfBlock(t, random, block, n), randomOrder(random, BlockRows-block*1000)
				taken := NewVector(col.Type)
				taken.TakeEach(came, order)
				coded = append(coded, taken)
				for row, at := range order {
					rows = append(rows, int32(block*BlockRows+row))
					x := Value{}
					if came.level(int(at)) > 0 {
						x = parquet.ByteArrayValue(came.textOf(int(at)))
					}
					if err := plain.Append(x); err != nil {
						t.Fatal(err)
					}
				}
				for plain.Len()%BlockRows > 0 { // as Join numbers rows
					if err := plain.Append(Value{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			random.Shuffle(len(rows)/2, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			joined := Join(coded)
			for _, row := range rows {
				if joined.level(int(row)) != plain.level(int(row)) || joined.level(int(row)) > 0 && !same(joined, plain, int(row)) {
					t.Fatalf("row %d differs", row)
				}
			}
			if got, want := fileOf(t, col, joined, rows), fileOf(t, col, plain, rows); !bytes.Equal(got, want) {
				t.Errorf("the file differs: it has %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

// textsOfBlock returns rows of n different texts, of other ones in each block where n is
// negative, and some of NULL in each second block.
func textsOfBlock(t *testing.T, random *rand.Rand, block, n int) *Vector {
	t.Helper()
	v, base := NewVector(Type{Kind: Varchar}), 0
	if n < 0 {
		base, n = block*-n, -n
	}
	lent := make([]byte, 0, 1<<20)
	for range BlockRows - block*1000 {
		p := Plain{is: plainNull}
		if n > 0 && (block%2 == 0 || random.IntN(20) > 0) {
			text := fmt.Sprint(base + random.IntN(n))
			from := len(lent)
			lent = append(append(lent, text...), strings.Repeat("é", 10*int(text[0]%2))...)
			p = PlainText(from, len(lent))
		}
		if _, err := v.AppendPlain(nil, &p, lent); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func randomOrder(random *rand.Rand, rows int) []int32 {
	order := make([]int32, rows)
	for i, row := range random.Perm(rows) {
		order[i] = int32(row)
	}
	return order
}

// fileOf returns the file of two row groups of rows.
func fileOf(t *testing.T, col Column, v *Vector, rows []int32) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.parquet")
	w, err := Create(path, []Column{col}, Passing)
	if err == nil {
		err = w.GroupsOf([]*Vector{v}, [][]int32{rows[:len(rows)/2], rows[len(rows)/2:]})
	}
	if err == nil {
		_, err = w.Close()
	}
	var file []byte
	if err == nil {
		file, err = os.ReadFile(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}
