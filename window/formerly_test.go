package window

import (
	"math/rand/v2"
	"testing"
	"time"

	"strandline/internal/duck"
	"strandline/manifests"
)

// What a code's parts say is enough to tell what event times it read, whatever the job
// has become since.
func TestARecordedCodeTellsWhatItRead(t *testing.T) {
	now := Job{Inputs: FromStream("s"), Window: Window{Kind: Session, Gap: time.Minute, Max: time.Hour}, Dedup: &Dedup{Within: time.Hour}}
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 8))
		job, around := anyJob(random), at("1970-01-01T01:00:00Z")
		if seed%2 == 1 {
			clocks := clockChanges[random.IntN(len(clockChanges))]
			job, around = inZone(t, random, job, clocks.zone), at(clocks.at)
		}
		job.Inputs = []Input{{Name: "s", Before: time.Duration(random.IntN(2)) * 90 * time.Minute, After: time.Duration(random.IntN(3)) * time.Microsecond}}
		now.Grain = job.Grain
		was := now.formerly(recorded(job))
		if was == nil {
			t.Fatalf("seed %d: nothing is known of %+v", seed, recorded(job).Parts)
		}
		for range 10 {
			p := job.Grain.Containing(around.Add(time.Duration(random.Int64N(int64(96 * time.Hour))))).span()
			if got, want := was.readsOf(was.Inputs[0], p), job.readsOf(job.Inputs[0], p); got != want {
				t.Fatalf("seed %d: %+v, dedup %+v read %+v, told is %+v", seed, job.Window, job.Dedup, want, got)
			}
		}
	}
}

// recorded is a job's code as its table keeps it.
func recorded(job Job) manifests.Definition {
	c := Compiled{Job: job, shapes: make([]Shape, len(job.Inputs)), statement: &duck.Statement{}}
	c.Code = c.code("v1")
	return c.Definition()
}

func TestOfACodeThatIsNotRecordedNobodyKnowsWhatItRead(t *testing.T) {
	job := Job{Inputs: FromStream("s"), Window: Window{Kind: Tumbling, Size: time.Hour}, Grain: GrainDay}
	zoned := recorded(job)
	zoned.Parts = append(zoned.Parts, manifests.Part{Name: partTimezone, Value: "Europe/Berlin, by the rules 012345"})
	unread := recorded(job)
	unread.Parts = append(unread.Parts, manifests.Part{Name: partWithin, Value: "long"})
	for _, code := range []manifests.Definition{zoned, unread} {
		if was := job.formerly(code); was != nil {
			t.Errorf("%+v is told of %+v", was, code.Parts)
		}
	}
}
