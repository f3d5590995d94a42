package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"syscall"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
)

// entriesMeanwhile is how many entries others append while a process is paused:
// enough for two checkpoints, so that a trim can remove all below the first.
const entriesMeanwhile = 205

// A process is paused (SIGSTOP) at the first entry that it reads, right before its
// commit, and right after it. Meanwhile others go on beyond the next two
// checkpoints, and trim the log with no grace. Woken, it does its work all the same,
// or says that it does not know; it loses nothing and makes nothing up.
func TestAProcessThatSleptOverATrimLosesNothingAndMakesNothingUp(t *testing.T) {
	lines := quakeLines(t)
	k := newKillWorld(t)
	k.write("arrivals/first.ndjson", lines[:40])
	k.write("arrivals/second.ndjson", lines[40:70])
	k.write("arrivals/third.ndjson", lines[70:90])
	k.use("template-land")
	k.run("land", "quakes", "arrivals/first.ndjson")
	k.run("run", "--once")
	k.copyLake("template-publish")
	k.run("land", "quakes", "arrivals/second.ndjson")
	for name, c := range map[string]struct {
		args   []string
		log    string
		others func()
		done   func()
	}{
		"land": {[]string{"land", "quakes", "arrivals/second.ndjson"}, "/landing/quakes/log/", k.othersLand,
			func() { k.arrivedOnce("first.ndjson", "second.ndjson") }},
		"publish": {[]string{"run", "--once"}, "/tables/quakes_hourly/log/", k.othersPublish,
			func() { compare(t, k.published(), straight(t, lines[:70])) }},
	} {
		for _, at := range []struct {
			name, method string
			how          treatment
			unknown      bool // it may say that it does not know
		}{
			{"reading", http.MethodGet, pauseBefore, false},
			{"before", http.MethodPut, pauseBefore, false},
			{"after", http.MethodPut, pauseAfter, true},
		} {
			k.use("template-" + name)
			k.copyLake(name + "-" + at.name)
			err := k.pausedAt(at.method, c.log, at.how, c.others, c.args...)
			switch {
			case err == nil:
				c.done()
			case !at.unknown || !strings.Contains(err.Error(), "outcome unknown"):
				t.Errorf("%s: %v", lakeInUse(), err)
			}
			k.run("land", "quakes", "arrivals/second.ndjson")
			k.arrivedOnce("first.ndjson", "second.ndjson")
			k.run("land", "quakes", "arrivals/third.ndjson")
			k.run("run", "--once")
			compare(t, k.published(), straight(t, lines[:90]))
			k.publishedOnce(t)
		}
	}
}

// pausedAt runs the program, and pauses it at its first request of that method for an
// entry of a log, while others are at work. It is the program's error.
func (k *killWorld) pausedAt(method, entry string, how treatment, others func(), args ...string) error {
	k.t.Helper()
	var notes strings.Builder
	cmd := k.command(args...)
	cmd.Stdout, cmd.Stderr = &notes, &notes
	started, paused := make(chan struct{}), false
	k.proxy.begin(func(_ int, r *http.Request) treatment {
		if paused || r.Method != method || !strings.Contains(r.URL.Path, entry) {
			return forward
		}
		paused = true
		return how
	}, func(*http.Request) {
		<-started
		k.pause(cmd.Process.Pid)
		others()
		k.signal(cmd.Process.Pid, syscall.SIGCONT)
	})
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	close(started)
	err := cmd.Wait()
	k.proxy.begin(nil, nil)
	if !paused {
		k.t.Errorf("strandline %s never came to %s %s", strings.Join(args, " "), method, entry)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, &notes)
	}
	return nil
}

// pause stops a process, and waits until it stands still.
func (k *killWorld) pause(pid int) {
	k.signal(pid, syscall.SIGSTOP)
	if _, err := syscall.Wait4(pid, nil, syscall.WUNTRACED, nil); err != nil {
		k.t.Error(err)
	}
}

func (k *killWorld) signal(pid int, what syscall.Signal) {
	if err := syscall.Kill(pid, what); err != nil {
		k.t.Error(err)
	}
}

// othersLand appends entries to the landing log, and trims it.
func (k *killWorld) othersLand() {
	ctx, stream := k.t.Context(), quakes(k.openLake())
	for n := range entriesMeanwhile {
		if _, err := stream.Condemn(ctx, []string{fmt.Sprintf("%032x", n)}, time.Now()); err != nil {
			k.t.Error(err)
			return
		}
	}
	k.trimmed(stream.Trim)
}

// othersPublish appends edits to the table's log, and trims it.
func (k *killWorld) othersPublish() {
	ctx, table := k.t.Context(), quakesHourly(k.openLake())
	reach, err := table.Reach(ctx, 1)
	if err != nil {
		k.t.Error(err)
		return
	}
	for first, n := reach.Version(), manifests.Version(0); n < entriesMeanwhile; n++ {
		if _, err := table.Sweep(ctx, reach, manifests.Sweeping{Oldest: first + n}); err != nil {
			k.t.Error(err)
			return
		}
	}
	k.trimmed(table.Trim)
}

// trimmed trims a log of which nothing but its state is needed.
func (k *killWorld) trimmed(trim func(context.Context, time.Duration) (log.Trim, error)) {
	done, err := trim(k.t.Context(), 0)
	if err != nil || len(done.Entries) < 90 {
		k.t.Errorf("%d entries were trimmed: %v", len(done.Entries), err)
	}
}

// arrivedOnce checks that these have landed, in any order, each once, and that their
// positions have no gap.
func (k *killWorld) arrivedOnce(names ...string) {
	k.t.Helper()
	stream := quakes(k.openLake())
	if err := stream.Refresh(k.t.Context()); err != nil {
		k.t.Fatal(err)
	}
	times, next := map[string]int{}, landing.Position(0)
	if err := stream.Arrivals(k.t.Context(), 0, stream.Next(), func(a landing.Arrival) error {
		times[path.Base(a.Name)]++
		if a.From != next {
			k.t.Errorf("%s has positions from %d on, after those up to %d", a.Name, a.From, next)
		}
		next = a.To
		return nil
	}); err != nil {
		k.t.Fatal(err)
	}
	for _, name := range names {
		if times[name] != 1 {
			k.t.Errorf("%s: %s landed %d times", lakeInUse(), name, times[name])
		}
	}
}
