package window

import (
	"math/rand/v2"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
)

// What is summed up of many partitions at once is what each is computed from, also of
// those that have no rows.
func TestManyPartitionsAreSummedUpAsEachIs(t *testing.T) {
	random, start := rand.New(rand.NewPCG(1, 7)), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	var rows []landedRow
	for i := range int64(2000) {
		rows = append(rows, landedRow{t: start + random.Int64N(900)*hourMicros + i})
	}
	stream := landRows(t, objstore.NewMemory(), t.TempDir(), "s", rows)
	var heads Heads
	stream.View(func(s *landing.State) { heads = Heads{StreamHead(s)} })
	hourly := Window{Kind: Tumbling, Size: time.Hour}
	for name, job := range map[string]Job{
		"apart":    {Grain: GrainHour, Window: hourly},
		"days":     {Grain: GrainDay, Window: hourly},
		"sessions": {Grain: GrainHour, Window: Window{Kind: Session, Gap: time.Hour, Max: 5 * time.Hour}},
	} {
		job.Inputs = FromStream("s")
		s := surveyor{job: job, sole: job.sole(), apart: job.apart(), heads: heads}
		var places []place
		for at := start - dayMicros; at < start+40*dayMicros; at = job.Grain.endOf(at) {
			places = append(places, place{of: job.Grain.spanOf(at)})
		}
		for range 2 { // it begins anew
			s.sum(places)
			for i, at := range places {
				if want, _ := job.inputsOf(heads, at.of); s.inputs[i] != want {
					t.Fatalf("%s: partition %d of %d is of %+v, want %+v", name, i, len(places), s.inputs[i], want)
				}
			}
		}
	}
}
