package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/plans"
	"strandline/requests"
)

// What a request under way has published drops out of what is planned anew: the same again is still that request.
func TestTheSameAgainIsOneRequestWhateverOfItIsPublished(t *testing.T) {
	day := []string{"backfill", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03"}
	for _, c := range []struct {
		name  string
		then  func(p proof, id string)
		args  []string
		joins bool
	}{
		{"as it was", nil, nil, true},
		{"other flags", nil, []string{"--parallel", "9", "--slices", "1", "--priority", "low"}, true},
		{"paused", func(p proof, id string) { p.good("backfill", "pause", id) }, nil, true},
		{"sooner", nil, []string{"--priority", "high"}, false},
		{"in one edit", nil, []string{"--atomic"}, false},
		{"all once more", nil, []string{"--recompute"}, false},
		{"newer rows", func(p proof, _ string) {
			p.write("d.ndjson", `{"at":"2026-03-03T10:00:00Z","shop":"y","cents":5}`+"\n")
			p.good("land", "sales", p.path("d.ndjson"))
		}, nil, false},
		{"its plan is gone", func(p proof, id string) {
			if err := os.Remove(p.path("lake/plans/" + id)); err != nil {
				p.t.Fatal(err)
			}
		}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSales(t)
			first := p.asked("--slices", "2")
			p.good(day...)
			if c.then != nil {
				c.then(p, first)
			}
			r := p.run(append([]string{"backfill", "submit", "sales_hourly", "--from", "2026-03-01", "--to", "2026-03-04"}, c.args...)...)
			told := "request " + first[:12] + " does this already: backfill of sales_hourly, 2026-03-01T00:00:00Z to 2026-03-04T00:00:00Z; it is "
			if joined := r.out == first+"\n" && strings.Contains(r.err, told); r.code != exitDone || joined != c.joins {
				t.Errorf("exit %d\n%s%s", r.code, r.out, r.err)
			}
			if listed := strings.Count(p.run("backfill", "list").out, "\n"); listed == 1 != c.joins {
				t.Errorf("%d requests are listed", listed)
			}
		})
	}
}

// The same after it has ended is that request, which goes on, whatever of it was published or lost since.
func TestTheSameAfterItHasEndedGoesOnWhateverOfItIsPublished(t *testing.T) {
	cancel := func(p proof, id string) { p.good("backfill", "cancel", id) }
	day := func(p proof, _ string) {
		p.good("backfill", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03")
	}
	lands := func(at string) func(p proof, _ string) {
		return func(p proof, _ string) {
			p.write("d.ndjson", `{"at":"`+at+`","shop":"y","cents":5}`+"\n")
			p.good("land", "sales", p.path("d.ndjson"))
		}
	}
	doneAndLost := func(p proof, _ string) {
		_, published := p.table()
		p.good("worker", "--once")
		p.good("rollback", "sales_hourly", "--to", fmt.Sprint(published.Version))
	}
	planLost := func(p proof, id string) { p.remove(p.path("lake/plans/" + id)) }
	type thens = []func(p proof, id string)
	for _, c := range []struct {
		name string
		then thens
		args []string
		same bool
	}{
		{"cancelled, and a day published", thens{cancel, day}, nil, true},
		{"a day published, and cancelled", thens{day, cancel}, []string{"--slices", "2", "--parallel", "9"}, true},
		{"cancelled, and cut otherwise", thens{cancel, day}, []string{"--slices", "1", "--parallel", "9"}, true},
		{"done, and a day lost", thens{day, doneAndLost}, nil, true},
		{"rows of another time", thens{cancel, day, lands("2026-04-01T10:00:00Z")}, nil, true},
		{"newer rows", thens{cancel, day, lands("2026-03-03T10:00:00Z")}, nil, false},
		{"in one edit", thens{cancel, day}, []string{"--atomic"}, false},
		{"another order", thens{cancel, day}, []string{"--order", "oldest"}, false},
		{"all once more", thens{cancel, day}, []string{"--recompute"}, false},
		{"its plan is gone", thens{cancel, day, planLost}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newSales(t)
			first := p.asked("--slices", "2")
			for _, then := range c.then {
				then(p, first)
			}
			if again := p.asked(c.args...); (again == first) != c.same {
				t.Fatalf("it is %s, was %s", again, first)
			}
			if !c.same {
				return
			}
			p.good("worker", "--once")
			if f := p.stands(first); f.State != requests.Done || f.Partitions != 2 || f.Progress.Done != 2 {
				t.Errorf("list says %+v", f)
			}
		})
	}
}

// Who asks for the same while another does, and part of it was published in between, joins that one: a person, and a
// schedule for which its time is dealt with then.
func TestWhoAsksForTheSameAtTheSameTimeJoins(t *testing.T) {
	for name, due := range map[string]*requests.Due{"a person": nil, "a schedule": {Schedule: "daily", At: time.Unix(1, 0)}} {
		t.Run(name, func(t *testing.T) {
			p := newSales(t)
			l, first := p.planned("2026-03-01", "2026-03-04")
			second := ""
			joined, err := l.joinOrEnter(t.Context(), first, first.submission(defaultSubmission, "ann"), func(looked *requests.Look, again planned, s requests.Submission) error {
				if second == "" {
					p.good("backfill", "sales_hourly", "--from", "2026-03-02", "--to", "2026-03-03")
					second = p.asked("--slices", "1")
				}
				_, _, err := l.submit(t.Context(), again.File, s, due, looked)
				return err
			})
			if err != nil || joined == nil || joined.Plan.String() != second {
				t.Fatalf("it joins %v, and not %s: %v", joined, second, err)
			}
			if listed := strings.Count(p.run("backfill", "list").out, "\n"); listed != 1 {
				t.Errorf("%d requests are listed", listed)
			}
		})
	}
}

// planned is a plan of what is left of a time, which is in the lake and was not submitted.
func (p proof) planned(from, to string) (*lake, planned) {
	p.t.Helper()
	written, _, _ := strings.Cut(p.good("backfill", "sales_hourly", "--from", from, "--to", to, "--write-plan"), "\n")
	a := &app{out: io.Discard, err: io.Discard, configPath: p.path("strandline.yaml"), env: os.LookupEnv}
	l, err := a.writeLake(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = l.Close() })
	id, err := plans.ParseID(written)
	if err != nil {
		p.t.Fatal(err)
	}
	file, err := plans.Read(p.t.Context(), l.store, id)
	if err != nil {
		p.t.Fatal(err)
	}
	return l, planned{File: file, id: id}
}

// Slices that are at their end are not run again: what is left of them, as after a rollback, that request does not do.
func TestARequestDoesWhatItsSlicesHaveAheadOfThem(t *testing.T) {
	file := plans.File{}
	for _, name := range []string{"a", "b", "c", "d"} {
		file.Tasks = append(file.Tasks, plans.Task{Partition: name, Digest: digest.OfBytes([]byte(name))})
	}
	for _, c := range []struct {
		run, asks, failed string
		want              bool
	}{
		{"....", "abcd", "", true},
		{"....", "bd", "d", true},
		{"d...", "bcd", "", true},
		{"d...", "abcd", "", false}, // a was rolled back since
		{"f...", "abcd", "a", true}, // which it has tried
		{"f...", "a", "a", false},
		{"....", "bx", "", false},
	} {
		r := &requests.Request{Submission: requests.Submission{Slices: 4}, Run: []byte(c.run)}
		asked, far := plans.File{}, plans.Progress{}
		for _, name := range c.asks {
			asked.Tasks = append(asked.Tasks, plans.Task{Partition: string(name), Digest: digest.OfBytes([]byte(string(name)))})
			state := plans.Left
			if strings.ContainsRune(c.failed, name) {
				state = plans.Failed
			}
			far.States = append(far.States, state)
		}
		if got := does(r, file, asked, far); got != c.want {
			t.Errorf("with %s, of %s: %t", c.run, c.asks, got)
		}
	}
}
