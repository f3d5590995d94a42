package landing

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
)

// Memory is used again from segment to segment, and rows lie in several
// chunks: still a segment holds its own rows, each whole, clustered stably.
func TestEachSegmentHoldsItsOwnRowsClustered(t *testing.T) {
	declared := []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}}
	landedAt := time.UnixMicro(42)
	b := newBuffer(declared, "somewhere", landedAt)
	random, source := rand.New(rand.NewPCG(1, 0)), "somewhere"
	for segment, rows := range []int{3*chunkRows + 7, 1, 2 * chunkRows, chunkRows + 1} {
		var want []string
		var hours []int64
		for i := range rows {
			hour := random.Int64N(9) - 4
			extra := ""
			if i%3 > 0 {
				extra = fmt.Sprintf(`{"row":%d}`, i)
			}
			id := fmt.Sprintf("%d/%d", segment, i)
			if random.IntN(50) == 0 {
				source = "somewhere " + id
				b.from("nowhere") // no row is from there
				b.from(source)
			}
			b.add(Row{EventTime: hour*microsPerHour + int64(i), SourcePosition: int64(i + 1), Extra: extra,
				Values: []datafile.Value{parquet.ByteArrayValue([]byte(id))}})
			hours = append(hours, hour)
			want = append(want, fmt.Sprint(i, hour*microsPerHour+int64(i), 42, source, i+1, id, extra))
		}
		order := make([]int, rows)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(hours[x], hours[y]) })

		data, buckets := b.clustered()
		counted := int64(0)
		for _, bucket := range buckets {
			counted += bucket.Rows
		}
		if counted != int64(rows) || len(data[0]) != rows {
			t.Fatalf("segment %d: buckets count %d rows, columns have %d, want %d", segment, counted, len(data[0]), rows)
		}
		for at, row := range order {
			got := fmt.Sprint(data[0][at].Int64(), data[1][at].Int64(), data[2][at].Int64(), string(data[3][at].ByteArray()),
				data[4][at].Int64(), string(data[5][at].ByteArray()), string(data[6][at].ByteArray()))
			if got != want[row] || data[6][at].IsNull() != (row%3 == 0) {
				t.Fatalf("segment %d, row %d is %q, want %q", segment, at, got, want[row])
			}
		}
		b.reset()
	}
}
