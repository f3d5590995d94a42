package landing

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
)

const sliceRows = datafile.BlockRows

// Memory is used again from segment to segment, and rows lie in several
// slices: still a segment holds its own rows, each whole, clustered stably.
func TestEachSegmentHoldsItsOwnRowsClustered(t *testing.T) {
	declared := []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}}
	landedAt := time.UnixMicro(42)
	b := gather(declared, "somewhere", landedAt)
	random, source := rand.New(rand.NewPCG(1, 0)), "somewhere"
	for segment, rows := range []int{3*sliceRows + 7, 1, 2 * sliceRows, sliceRows + 1} {
		var want []string
		var hours []int64
		for i := range rows {
			hour := random.Int64N(9) - 4
			extra := ""
			if i%3 > 0 {
				extra = fmt.Sprintf(`{"row":%d}`, i)
			}
			id := fmt.Sprintf("%d/%d", segment, i)
			if random.IntN(3) == 0 {
				source = "somewhere " + id
				b.filler.from("nowhere") // no row is from there
				b.filler.from(source)
			}
			err := b.filler.Add(Row{EventTime: hour*microsPerHour + int64(i), SourcePosition: int64(i + 1), Extra: extra,
				Values: []datafile.Value{parquet.ByteArrayValue([]byte(id))}})
			if err != nil {
				t.Fatal(err)
			}
			hours = append(hours, hour)
			want = append(want, fmt.Sprint(i, hour*microsPerHour+int64(i), 42, source, i+1, id, extra))
		}
		order := make([]int, rows)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(hours[x], hours[y]) })

		data, buckets := written(t, b)
		counted := int64(0)
		for _, bucket := range buckets {
			counted += bucket.Rows
		}
		if counted != int64(rows) || len(data) != rows {
			t.Fatalf("segment %d: buckets count %d rows, the file has %d, want %d", segment, counted, len(data), rows)
		}
		for at, row := range order {
			got := fmt.Sprint(data[at][0].Int64(), data[at][1].Int64(), data[at][2].Int64(), string(data[at][3].ByteArray()),
				data[at][4].Int64(), string(data[at][5].ByteArray()), string(data[at][6].ByteArray()))
			if got != want[row] || data[at][6].IsNull() != (row%3 == 0) {
				t.Fatalf("segment %d, row %d is %q, want %q", segment, at, got, want[row])
			}
		}
		b.filler.room.give(b.rows.reset())
	}
}

// gathering gathers the rows of a segment.
type gathering struct {
	filler *Filler
	rows   buffer
}

func gather(declared []datafile.Column, source string, landedAt time.Time) *gathering {
	return &gathering{newFiller(declared, source, landedAt, new(blockRoom)), buffer{columns: segmentColumns(declared)}}
}

// written returns the rows of the segment file that is made of what was gathered, and its buckets.
func written(t *testing.T, g *gathering) (rows [][]datafile.Value, buckets []Bucket) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "segment.parquet")
	check(t, g.filler.End())
	for _, b := range g.filler.filled {
		g.rows.add(b)
	}
	g.filler.filled = nil
	_, buckets, err := g.rows.write(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := datafile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = f.Scan(func(row []datafile.Value) error {
		values := slices.Clone(row)
		for i := range values {
			values[i] = values[i].Clone()
		}
		rows = append(rows, values)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows, buckets
}

// A row that is not of the stream's columns does not land, nor panic.
func TestARowOfOtherColumnsIsRefused(t *testing.T) {
	declared := []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}}
	for name, values := range map[string][]datafile.Value{
		"none": nil, "two": make([]datafile.Value, 2), "a number": {parquet.Int64Value(1)},
	} {
		if err := gather(declared, "", time.UnixMicro(0)).filler.Add(Row{Values: values}); err == nil {
			t.Errorf("%s: it was taken in", name)
		}
	}
}
