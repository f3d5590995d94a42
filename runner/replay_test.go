package runner_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// A replay touches the partitions of just its rows, whatever segments these lie in, and
// those whose windows reach over to them.
func TestAReplayTouchesJustThePartitionsOfItsRows(t *testing.T) {
	job := salesJob()
	job.Name, job.Dedup, job.Grain = "reaching", nil, window.GrainHour
	job.Window = window.Window{Kind: window.Hopping, Size: 3 * time.Hour, Every: time.Hour}
	some := 0
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 11))
		l := newLake(t, objstore.NewMemory())
		task := l.task(job)
		var landed []sale // by position
		for i := range 12 {
			sales := randomSales(random, 1+random.IntN(6))
			l.land(fmt.Sprint(i), sales...)
			landed = append(landed, sales...)
			if random.IntN(3) == 0 {
				must(t, l.compactor(task).Run(t.Context()))
			}
		}
		for range 20 {
			from := random.IntN(len(landed))
			to := from + 1 + random.IntN(len(landed)-from)
			r := runner.Request{Driver: manifests.DriverReplay, From: landing.Position(from), To: landing.Position(to), Order: window.Oldest}
			plan, err := task.Plan(t.Context(), r)
			must(t, err)
			survey, err := task.Survey(t.Context())
			must(t, err)
			var want []string
			for _, s := range survey.Tasks {
				hours := job.Hours(job.Inputs[0], s.Partition)
				if slices.ContainsFunc(landed[from:to], func(s sale) bool {
					hour := s.at.Unix() / 3600
					return hours.From <= hour && hour < hours.To
				}) {
					want = append(want, s.String())
				}
			}
			if got := namesOf(plan.Tasks); !slices.Equal(got, want) {
				t.Fatalf("seed %d, positions [%d, %d): %v, want %v", seed, from, to, got, want)
			}
			if len(want) < len(survey.Tasks) {
				some++
			}
		}
	}
	if some < 40 {
		t.Errorf("only %d replays were of less than all, which tests little", some)
	}
}

func namesOf(tasks []window.Status) (names []string) {
	for _, s := range tasks {
		names = append(names, s.String())
	}
	return names
}

// Rows are found by what they came by, also where a merged segment holds others beside
// them, and of a source only those at the offsets.
func TestRowsAreFoundByTheirSource(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	task := l.task(salesJob())
	for i, name := range []string{"it's a", "b", "it's a"} {
		l.land(name, sale{day(1 + i), fmt.Sprint(i), "x", 1}, sale{day(1 + i).Add(5 * time.Hour), fmt.Sprint(i, "'"), "x", 1})
	}
	must(t, l.compactor(task).Run(t.Context()))
	everything := []landing.Range{{From: 0, To: 6}}
	hour := func(n int, hours int64) int64 { return day(n).Unix()/3600 + hours }
	for _, c := range []struct {
		rows landing.Rows
		want []int64
	}{
		{landing.Rows{At: everything}, []int64{hour(1, 0), hour(1, 5), hour(2, 0), hour(2, 5), hour(3, 0), hour(3, 5)}},
		{landing.Rows{At: everything, Source: &landing.RowSource{Name: "it's a"}}, []int64{hour(1, 0), hour(1, 5), hour(3, 0), hour(3, 5)}},
		{landing.Rows{At: everything, Source: &landing.RowSource{Match: "it's [a-c]|c"}}, []int64{hour(1, 0), hour(1, 5), hour(3, 0), hour(3, 5)}},
		{landing.Rows{At: everything, Source: &landing.RowSource{Name: "it's a", Offsets: &landing.Span{From: 2, To: 9}}}, []int64{hour(1, 5), hour(3, 5)}},
		{landing.Rows{At: []landing.Range{{From: 0, To: 1}, {From: 3, To: 5}}}, []int64{hour(1, 0), hour(2, 5), hour(3, 0)}},
		{landing.Rows{At: everything, Source: &landing.RowSource{Name: "c"}}, nil},
	} {
		found, err := task.HoursOf(t.Context(), l.stream, c.rows)
		must(t, err)
		if !slices.Equal(found.Hours, c.want) || found.Rows != int64(len(c.want)) || found.Hours == nil {
			t.Errorf("%+v: found %+v, want the hours %v", c.rows, found, c.want)
		}
	}
}

func TestAReplayOfRowsThatAreNotThereSaysSo(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
	task := l.task(salesJob())
	for _, r := range []runner.Request{{From: -1}, {From: 2}, {From: 1, To: 3}, {From: 1, To: 1}, {From: 2, To: 1}} {
		r.Driver = manifests.DriverReplay
		if _, err := task.Plan(t.Context(), r); !errors.Is(err, runner.ErrNoPosition) {
			t.Errorf("positions [%d, %d): %v, want ErrNoPosition", r.From, r.To, err)
		}
	}
	if _, err := task.Replays("payments"); !errors.Is(err, runner.ErrNoStream) {
		t.Errorf("another stream: %v, want ErrNoStream", err)
	}
	if _, err := task.HoursOf(t.Context(), l.stream, landing.Rows{}); !errors.Is(err, runner.ErrNoPosition) {
		t.Errorf("no rows at all: %v, want ErrNoPosition", err)
	}
}

// Rows that have expired are told of: all, or that some may be among them.
func TestAReplayOfExpiredRowsSaysSo(t *testing.T) {
	l := late(t, folder(t))
	task := l.task(salesJob())
	must(t, l.stream.Refresh(t.Context()))
	if _, err := task.HoursOf(t.Context(), l.stream, landing.Rows{At: []landing.Range{{From: 0, To: 2}}}); !errors.Is(err, landing.ErrExpired) {
		t.Errorf("rows that have all expired: %v, want ErrExpired", err)
	}
	for at, gone := range map[landing.Range]landing.Position{{From: 1, To: 4}: 2, {From: 2, To: 4}: 0} {
		found, err := task.HoursOf(t.Context(), l.stream, landing.Rows{At: []landing.Range{at}})
		must(t, err)
		if found.Gone != gone {
			t.Errorf("%v: below %d are gone, want %d", at, found.Gone, gone)
		}
	}
}
