package datafile_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"strandline/internal/datafile"

	"github.com/parquet-go/parquet-go"
)

// Whatever is appended, repeated and NULL, over several resets: the rows that are asked
// for are written, in the order in which they are.
func TestRowsOfAVectorAreWrittenInAnyOrder(t *testing.T) {
	cols := []datafile.Column{{Name: "text", Type: typeOf(t, "VARCHAR")}, {Name: "number", Type: typeOf(t, "BIGINT")}, {Name: "half", Type: typeOf(t, "SMALLINT")}}
	random, vectors := rand.New(rand.NewPCG(5, 0)), datafile.NewVectors(cols)
	for round := range 6 {
		rows := random.IntN(20_000)
		var want []string
		var last []datafile.Value
		for len(want) < rows {
			if len(want) > 0 && random.IntN(3) > 0 {
				for _, v := range vectors {
					if err := v.Repeat(1); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				last = someRow(random, round)
				for c, v := range vectors {
					if err := v.Append(last[c]); err != nil {
						t.Fatal(err)
					}
				}
			}
			want = append(want, string(datafile.AppendRow(nil, cols, last)))
		}
		order := make([]int32, rows/2)
		for i, row := range random.Perm(rows)[:rows/2] {
			order[i] = int32(row)
		}
		path := filepath.Join(t.TempDir(), "a.parquet")
		w, err := datafile.Create(path, cols, datafile.Effort(round%2))
		if err == nil {
			err = w.GroupOf(vectors, order)
		}
		if err == nil {
			_, err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got := readBack(t, path)
		for i, row := range order {
			if got[i] != want[row] {
				t.Fatalf("round %d: row %d of %d is %q, want %q", round, row, rows, got[i], want[row])
			}
		}
		for _, v := range vectors {
			v.Reset()
		}
	}
}

// someRow has NULLs only in rounds that are not even, and few values in some.
func someRow(random *rand.Rand, round int) []datafile.Value {
	n := random.Int64N(1 << (4 * round))
	row := []datafile.Value{parquet.ByteArrayValue(fmt.Appendf(nil, "text %d", n)), parquet.Int64Value(n), parquet.Int32Value(int32(n % 1000))}
	for c := range row {
		if round%2 == 1 && random.IntN(50) == 0 {
			row[c] = datafile.Value{}
		}
	}
	return row
}

// A number is read alike with and without what sends it the long way.
func TestShortNumbersAreReadAsLongOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	types := []string{"BIGINT", "UBIGINT", "TINYINT", "DECIMAL(9,3)", "DECIMAL(18,0)", "DECIMAL(18,18)", "DECIMAL(4,4)", "DECIMAL(38,5)", "DOUBLE"}
	texts := []string{"", "-", ".", "0", "-0", "00", "1.", ".5", "-.5", "1.2.3", "--1", "+1", "999999999.999", "999999.999", "1000000", "-999999.9990", "123456789012345678", "9223372036854775807"}
	for range 3000 {
		text := make([]byte, random.IntN(22))
		for i := range text {
			text[i] = "0123456789012345678901234567890123456789.-"[random.IntN(42)]
		}
		texts = append(texts, string(text))
	}
	for _, name := range types {
		typ := typeOf(t, name)
		for _, text := range texts {
			short, shortErr := datafile.ParseText(typ, []byte(text))
			long, longErr := datafile.ParseText(typ, []byte(text+"e0"))
			if (shortErr == nil) != (longErr == nil) {
				t.Errorf("%s %q: %v, the long way %v", name, text, shortErr, longErr)
			} else if shortErr == nil && datafile.Compare(typ, short, long) != 0 {
				t.Errorf("%s %q: %v, the long way %v", name, text, short, long)
			}
		}
	}
}
