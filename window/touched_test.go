package window

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// One more row changes what is seen in no partition but those that its bucket-hour
// touches, and the bucket-hours of those hold it: else they would stay fresh, and wrong.
func TestARowChangesOnlyPartitionsThatItsHourTouches(t *testing.T) {
	changes := 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 7))
		job, around := anyJob(random), at("1970-01-01T01:00:00Z")
		if seed%8 == 1 {
			clocks := clockChanges[random.IntN(len(clockChanges))]
			job, around = inZone(t, random, job, clocks.zone), at(clocks.at)
		}
		rows := anyRows(random, job, around, 2+random.IntN(12))
		before, after := straight(job, rows[:len(rows)-1]), straight(job, rows)
		hour := floorTo(rows[len(rows)-1].t, hourMicros) / hourMicros
		touched := job.Touched(Input{}, []int64{hour})
		for _, p := range touched {
			if hours := job.Hours(Input{}, p); hour < hours.From || hour >= hours.To {
				t.Fatalf("seed %d: hour %d touches %s, whose hours are %+v", seed, hour, p, hours)
			}
		}
		for _, r := range onlyInOne(before, after) {
			changes++
			if p := job.Grain.Containing(time.UnixMicro(r.start)); !slices.Contains(touched, p) {
				t.Fatalf("seed %d: of %+v, dedup %+v, a row at %d changes %s by %v; it touches %v", seed, job.Window, job.Dedup, rows[len(rows)-1].t, p, r, touched)
			}
		}
	}
	if changes < 2000 {
		t.Errorf("only %d rows changed, which tests little", changes)
	}
}

// onlyInOne are the rows that only one of two sorted lists has.
func onlyInOne(a, b []seenRow) (rows []seenRow) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && compareSeen(a[0], b[0]) < 0:
			rows, a = append(rows, a[0]), a[1:]
		case len(a) == 0 || compareSeen(a[0], b[0]) > 0:
			rows, b = append(rows, b[0]), b[1:]
		default:
			a, b = a[1:], b[1:]
		}
	}
	return rows
}

// What is read of each kind of window, no less and no more: just inside of it a row can
// change the partition, and just outside of it none can.
func TestPartitionsReadAsFarAsARowCanChangeThem(t *testing.T) {
	const hour, minute = time.Hour, time.Minute
	for _, test := range []struct {
		job    Job
		before time.Duration // the start of the partition
		after  time.Duration // its end
	}{
		{Job{Window: Window{Kind: None}}, 0, 0},
		{Job{Window: Window{Kind: None}, Dedup: &Dedup{Within: 48 * hour}}, 48 * hour, 48 * hour},
		{Job{Window: Window{Kind: Tumbling, Size: hour}}, 0, 0},
		{Job{Window: Window{Kind: Tumbling, Size: hour, Offset: 20 * minute}}, -20 * minute, 20 * minute},
		{Job{Window: Window{Kind: Tumbling, Size: hour}, Dedup: &Dedup{Within: minute}}, minute, minute},
		{Job{Window: Window{Kind: Hopping, Size: hour, Every: 5 * minute}}, 0, 55 * minute},
		{Job{Window: Window{Kind: Hopping, Size: hour, Every: 5 * minute, Offset: minute}}, -minute, 56 * minute},
		{Job{Window: Window{Kind: Hopping, Size: 48 * hour, Every: hour}, Dedup: &Dedup{Within: hour}}, hour, 48 * hour},
		{Job{Window: Window{Kind: Session, Gap: 30 * minute, Max: 2 * hour}}, 150 * minute, 150 * minute},
		{Job{Window: Window{Kind: Session, Gap: 30 * minute, Max: 2 * hour}, Dedup: &Dedup{Within: hour}}, 210 * minute, 210 * minute},
	} {
		test.job.Grain = GrainDay
		p := GrainDay.Containing(at("1969-12-31T00:00:00Z"))
		want := Interval{p.Start.Add(-test.before), p.End.Add(test.after)}
		if got := test.job.Reads(p); got != want {
			t.Errorf("%+v, dedup %+v reads %s, want %s", test.job.Window, test.job.Dedup, got, want)
		}
	}
}

func TestOfWindowsLongerThanAPartitionEachStartsInOne(t *testing.T) {
	job := Job{Window: Window{Kind: Tumbling, Size: 7 * time.Hour}, Grain: GrainHour}
	p := GrainHour.Containing(at("1970-01-01T07:00:00Z"))
	if got, want := job.Reads(p), (Interval{p.Start, at("1970-01-01T14:00:00Z")}); got != want {
		t.Errorf("%s reads %s, want %s", p, got, want)
	}
	if hours := job.Hours(Input{}, p.Next()); hours.From < hours.To {
		t.Errorf("%s, in which no window starts, has hours %+v", p.Next(), hours)
	}
	if touched := job.Touched(Input{}, []int64{7, 8, 13}); !slices.Equal(touched, []Partition{p}) {
		t.Errorf("the hours of one window touch %v, want %s", touched, p)
	}
}

func TestPartitionsThatWindowsMakeUpArePeopledByTheirOwnTimes(t *testing.T) {
	const hour = time.Hour
	sizes := []time.Duration{hour / 4, hour / 3, hour / 7 * 2, hour, 2 * hour, 7 * hour, 24 * hour, 48 * hour, 7 * 24 * hour}
	fitting := 0
	for _, name := range []string{"UTC", "Europe/Berlin"} {
		for _, unit := range Units {
			for _, size := range sizes {
				for _, offset := range []time.Duration{0, size / 2} {
					z := zoned(t, name)
					job := Job{Window: Window{Kind: Tumbling, Size: size, Offset: offset}.InZone(z), Grain: Grain{unit, z}}
					if !job.fits() {
						continue
					}
					fitting++
					p := job.Grain.Containing(at("2025-10-25T00:00:00Z"))
					for range 50 {
						if got := job.Window.starting(p.span()); got != p.span() {
							t.Fatalf("%+v by %s fits, but those that start in %s are of %s", job.Window, job.Grain, p, got.interval())
						}
						p = p.Next()
					}
				}
			}
		}
	}
	if fitting != 24 {
		t.Errorf("of %d ways windows fit partitions, want 24", fitting)
	}
}

func TestPartitionsThatAreApartReadTheirOwnTimes(t *testing.T) {
	apart := 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 11))
		job := anyJob(random)
		if job.Inputs = FromStream("s"); random.IntN(4) == 0 {
			job.Inputs[0].Before = time.Minute
		}
		if !job.apart() {
			continue
		}
		apart++
		p := job.Grain.Containing(time.UnixMicro(random.Int64N(1 << 45)))
		if got := job.readsOf(job.Inputs[0], p.span()); got != p.span() {
			t.Fatalf("seed %d: %+v, dedup %+v: %s is apart and reads %s", seed, job.Window, job.Dedup, p, got.interval())
		}
	}
	if apart < 100 {
		t.Errorf("only %d jobs have partitions apart, which tests little", apart)
	}
}

// Windows that are far longer than partitions start in few of these, and the others are
// not looked at one by one.
func TestPartitionsWithoutAWindowArePassedOver(t *testing.T) {
	const day = 24 * time.Hour
	for _, name := range []string{"UTC", "Europe/Berlin"} {
		z := zoned(t, name)
		for _, w := range []Window{{Kind: Tumbling, Size: 49 * day}, {Kind: Hopping, Size: 50 * day, Every: 49 * day}, {Kind: Tumbling, Unit: UnitYear}} {
			job := Job{Window: w.InZone(z), Grain: Grain{UnitQuarter, z}}
			var spans []span
			first := at("2025-01-01T00:00:00Z").UnixMicro() / hourMicros
			for hour := range int64(365 * 24) {
				spans = append(spans, hourSpan(first+hour))
			}
			asked := 0
			starts := job.touched(spans, job.reach(), func(p span) span {
				if asked++; asked > 4*len(spans) {
					t.Fatalf("%+v in %s: of %d hours more than %d partitions are looked at", w, name, len(spans), asked-1)
				}
				return streamHead{}.whole(job.peoples(p))
			})
			if len(starts) == 0 {
				t.Errorf("%+v in %s: %d hours touch no partition", w, name, len(spans))
			}
		}
	}
}
