package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"strandline/requests"
)

// submittedReplay submits a replay, and returns its id.
func (p proof) submittedReplay(args ...string) string {
	p.t.Helper()
	id, _, _ := strings.Cut(p.good(append([]string{"replay", "submit", "sales_hourly"}, args...)...), "\n")
	return id
}

func TestASubmittedReplayIsListedAndRunAsOftenAsItIsAskedFor(t *testing.T) {
	p := newSales(t)
	for words, rows := range map[string][]string{
		"replay of rows of sales that landed as " + p.path("c.ndjson"): {"--arrival", p.path("c.ndjson")},
		"replay of rows from position 5 to 7":                          {"--from-position", "5", "--to-position", "7"},
	} {
		id := p.submittedReplay(append(rows, "--slices", "2")...)
		for range 2 {
			if f := p.stands(id); f.State != requests.Waiting || f.Driver != "replay" || f.Asked != words || f.Partitions != 2 {
				t.Errorf("list says %+v, want %q", f, words)
			}
			if out := p.good("worker", "--once"); strings.Count(out, "replay ") != 2 {
				t.Errorf("the worker says\n%s", out)
			}
			if f := p.stands(id); f.State != requests.Done || f.Run != 2 {
				t.Errorf("list says %+v", f)
			}
			id = p.submittedReplay(append(rows, "--slices", "2")...) // of what is fresh now
		}
		p.good("worker", "--once")
	}
	if out := p.good("status"); !strings.Contains(out, "3 fresh") {
		t.Errorf("status says\n%s", out)
	}
	for words, args := range map[string][]string{
		"say of which rows": {},
		"no such position":  {"--arrival", "nothing.ndjson"},
		"is one slice":      {"--from-position", "0", "--atomic", "--slices", "2"},
	} {
		p.bad(exitUsage, words, append([]string{"replay", "submit", "sales_hourly"}, args...)...)
	}
}

// worker starts one in a process of its own.
func (p proof) worker() *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command(os.Args[0], "worker", "--parallel", "2", "--lease", "200ms", "--poll", "20ms", "-c", p.path("strandline.yaml"))
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	return cmd
}

// until waits for a fact.
func (p proof) until(what string, is func() bool) {
	p.t.Helper()
	late := time.NewTimer(5 * time.Minute) // that it takes where much else is at work
	defer late.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-late.C:
			p.t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

// A replay is of partitions that are fresh and of others. Whatever a worker that is killed had
// done of it, each of the others is published by one version, and what was fresh by none.
func TestAReplayWhoseWorkerIsKilledIsDoneOnce(t *testing.T) {
	const days = 24
	p := newProof(t)
	var rows strings.Builder
	for day := range days {
		fmt.Fprintf(&rows, `{"at":"2026-04-%02dT10:00:00Z","shop":"x","cents":%d}`+"\n", 1+day, day)
	}
	p.write("c.ndjson", rows.String())
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("backfill", "sales_hourly", "--from", "2026-04-01", "--to", "2026-04-05")
	_, before := p.table()
	id := p.submittedReplay("--arrival", p.path("c.ndjson"), "--slices", fmt.Sprint(days), "--order", "oldest")

	killed := p.worker()
	p.until("the first is published", func() bool {
		_, now := p.table()
		return len(now.Receipts()) > len(before.Receipts())
	})
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // it was killed
	other := p.worker()
	p.until("the request is done", func() bool { return p.stands(id).State == requests.Done })
	if err := other.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := other.Wait(); err != nil {
		t.Error(err)
	}
	table, _ := p.table()
	swaps := map[string]int{}
	for change, err := range table.Changes(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range change.Receipts {
			swaps[r.Partition]++
		}
	}
	for partition, n := range swaps {
		if n != 1 {
			t.Errorf("%s was published %d times", partition, n)
		}
	}
	if len(swaps) != days+2 {
		t.Errorf("%d were published, want %d", len(swaps), days+2)
	}
	p.good("check-lake", "--deep")
}
