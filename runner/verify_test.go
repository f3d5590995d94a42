package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// published is a lake whose stream landed in several arrivals and was
// published after each, so that receipts differ in their positions.
func published(t *testing.T, store objstore.Store) *lake {
	t.Helper()
	l := newLake(t, store)
	random := seeded(t, 11)
	for i := range 3 {
		l.land(string(rune('a'+i)), randomSales(random, 100)...)
		l.run(l.task(salesJob()), stream)
	}
	l.land("day 3", sale{day(3).Add(time.Hour), "new", "x", 1})
	l.run(l.task(salesJob()), stream)
	return l
}

// verify verifies with new eyes: another process's.
func (l *lake) verify(job window.Job) map[string]runner.Verified {
	l.t.Helper()
	task := newLake(l.t, l.store).declared(l.stream.Spec()).task(job)
	statuses, err := task.Published(l.t.Context(), nil, (*manifests.Snapshot).Receipts)
	if err != nil {
		l.t.Fatal(err)
	}
	results, err := task.Verify(l.t.Context(), statuses, runner.VerifyOptions{Parallel: 2, Seed: 1})
	if err != nil {
		l.t.Fatal(err)
	}
	out := map[string]runner.Verified{}
	for _, r := range results {
		out[r.Partition.String()] = r
	}
	return out
}

// expect checks one partition's finding, and that the others are reproduced.
func expect(t *testing.T, got map[string]runner.Verified, partition string, finding runner.Finding, what, text string) {
	t.Helper()
	for name, r := range got {
		if name != partition && r.Finding != runner.Reproduced {
			t.Errorf("%s: %s, %v %s", name, r.Finding, r.Differences, r.Unproved)
		}
	}
	r := got[partition]
	if r.Finding != finding {
		t.Fatalf("%s: %s, %v %s; want %s", partition, r.Finding, r.Differences, r.Unproved, finding)
	}
	if finding == runner.NotRecomputable && !strings.Contains(r.Unproved, text) {
		t.Errorf("unproved: %q, want %q in it", r.Unproved, text)
	}
	if finding == runner.Differs && (len(r.Differences) != 1 || r.Differences[0].What != what || !strings.Contains(r.Differences[0].Text, text)) {
		t.Errorf("differences %v, want one of %s with %q in it", r.Differences, what, text)
	}
}

func (l *lake) receipt(partition string) manifests.Receipt {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	r, ok := snapshot.Receipt(partition)
	if !ok {
		l.t.Fatalf("%s is not published", partition)
	}
	return r
}

// file is where a partition's published file is.
func (l *lake) file(partition string) string {
	return l.store.URL(manifests.DataKey("sales_hourly", partition, l.receipt(partition).Files[0].ID))
}

// segments are where the segments of a day's rows are.
func (l *lake) segments(partition string) (paths []string) {
	l.t.Helper()
	if err := l.stream.Refresh(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
	p, err := window.GrainDay.Parse(partition)
	if err != nil {
		l.t.Fatal(err)
	}
	l.stream.View(func(s *landing.State) {
		segments, err := s.SegmentsOf(salesJob().Hours(window.Input{}, p), s.Next())
		must(l.t, err)
		for _, g := range segments {
			paths = append(paths, l.store.URL(l.stream.SegmentKey(g.ID)))
		}
	})
	return paths
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// flip turns one bit at a place of the file, from its end where negative.
func flip(t *testing.T, path string, at int) {
	t.Helper()
	body, err := os.ReadFile(path)
	must(t, err)
	if at < 0 {
		at += len(body)
	}
	body[at] ^= 4
	must(t, os.WriteFile(path, body, 0o644))
}

func TestEveryReceiptOfEveryDriverIsReproduced(t *testing.T) {
	for name, store := range map[string]objstore.Store{"folder": folder(t), "memory": objstore.NewMemory()} {
		t.Run(name, func(t *testing.T) {
			l := published(t, store)
			got := l.verify(salesJob())
			if len(got) != 3 {
				t.Fatalf("verified %d partitions, want 3", len(got))
			}
			expect(t, got, "2026-03-01", runner.Reproduced, "", "")
		})
	}
}

func TestEachFaultOfAPublishedFileIsNamed(t *testing.T) {
	for text, harm := range map[string]func(t *testing.T, path string){
		"is missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"truncated": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.Truncate(path, info.Size()/2))
		},
		"has 0 bytes": func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
		"other bytes": func(t *testing.T, path string) { flip(t, path, 100) },
		"SHA-256":     func(t *testing.T, path string) { flip(t, path, -20) },
	} {
		t.Run(text, func(t *testing.T) {
			l := published(t, folder(t))
			path := l.file("2026-03-02")
			harm(t, path)
			got := l.verify(salesJob())
			expect(t, got, "2026-03-02", runner.Differs, "file", text)
			if d := got["2026-03-02"].Differences[0].Text; !strings.Contains(d, filepath.Base(path)) {
				t.Errorf("%q does not name %s", d, path)
			}
		})
	}
}

func TestADamagedSegmentDiffersAndAGoneOneIsNotRecomputable(t *testing.T) {
	l := published(t, folder(t))
	segments := l.segments("2026-03-03")
	last := segments[len(segments)-1] // of day 3 alone
	body, err := os.ReadFile(last)
	must(t, err)
	flip(t, last, 40)
	expect(t, l.verify(salesJob()), "2026-03-03", runner.Differs, "input", filepath.Base(last))
	must(t, os.Remove(last))
	expect(t, l.verify(salesJob()), "2026-03-03", runner.NotRecomputable, "", filepath.Base(last))
	// What is known to be wrong outweighs what can't be known.
	path := l.file("2026-03-03")
	must(t, os.Remove(path))
	expect(t, l.verify(salesJob()), "2026-03-03", runner.Differs, "file", "is missing")
	must(t, os.WriteFile(last, body, 0o644))
	expect(t, l.verify(salesJob()), "2026-03-03", runner.Differs, "file", "is missing")
}

// forged is a lake with the same landing and a table whose receipt of one day
// was made by something else than the job, in a log that is whole.
func forged(t *testing.T, l *lake, forge func(l *lake, r *manifests.Receipt)) *lake {
	t.Helper()
	root := l.store.(objstore.Local).Root()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(root)))
	must(t, os.RemoveAll(filepath.Join(dir, "tables", "sales_hourly", "log")))
	store, err := objstore.OpenFolder(dir)
	must(t, err)
	f := newLake(t, store)
	was, err := l.table.Snapshot(t.Context())
	must(t, err)
	d := was.Definition
	generation, err := f.table.Register(t.Context(), manifests.DriverStream, d)
	must(t, err)
	text, err := json.Marshal(was.Receipts()) // of our own, all through
	must(t, err)
	var receipts []manifests.Receipt
	must(t, json.Unmarshal(text, &receipts))
	forge(f, &receipts[1])
	_, err = f.table.Publish(t.Context(), manifests.Proposal{Driver: manifests.DriverStream, Generation: generation, Receipts: receipts})
	must(t, err)
	return f
}

func TestAReceiptThatDoesNotHoldIsFoundOut(t *testing.T) {
	l := published(t, folder(t))
	// Another result of the same input: the file and all that is said of it
	// hold together, and only computing it again tells.
	other := salesJob()
	other.SQL = strings.Replace(other.SQL, "sum(cents)", "sum(cents + 1)", 1)
	wrong := newLake(t, l.store)
	wrong.table = manifests.Open(l.store, "elsewhere", manifests.Options{})
	wrong.run(wrong.task(other), stream)
	for name, c := range map[string]struct {
		what  string
		forge func(f *lake, r *manifests.Receipt)
	}{
		"non-deterministic": {"output", func(f *lake, r *manifests.Receipt) {
			snapshot, err := wrong.table.Snapshot(t.Context())
			must(t, err)
			made, _ := snapshot.Receipt(r.Partition)
			r.Files, r.RowDigest, r.Rows = made.Files, made.RowDigest, made.Rows
			from := l.store.URL(manifests.DataKey("elsewhere", r.Partition, r.Files[0].ID))
			must(t, f.store.Upload(t.Context(), manifests.DataKey("sales_hourly", r.Partition, r.Files[0].ID), from))
		}},
		"input digest": {"input", func(_ *lake, r *manifests.Receipt) { r.InputDigest[3]++ }},
		"input rows":   {"input", func(_ *lake, r *manifests.Receipt) { r.InputRows++ }},
		"positions":    {"input", func(_ *lake, r *manifests.Receipt) { r.Positions["sales"]++ }},
		"far positions": {"input", func(f *lake, r *manifests.Receipt) {
			must(t, f.stream.Refresh(t.Context()))
			r.Positions["sales"] = int64(f.stream.Next()) + 1
		}},
		"rows":       {"file", func(_ *lake, r *manifests.Receipt) { r.Rows++ }},
		"row digest": {"file", func(_ *lake, r *manifests.Receipt) { r.RowDigest.Lo++ }},
		"file rows":  {"file", func(_ *lake, r *manifests.Receipt) { r.Files[0].Rows++ }},
		"columns":    {"file", func(_ *lake, r *manifests.Receipt) { r.Columns[0].Name = "x" }},
	} {
		t.Run(name, func(t *testing.T) {
			f := forged(t, l, c.forge)
			r := f.verify(salesJob())["2026-03-02"]
			if name == "positions" { // no segment ends there, so the same rows are read
				if r.Finding != runner.Reproduced {
					t.Fatalf("%s %v", r.Finding, r.Differences)
				}
				return
			}
			if r.Finding != runner.Differs || r.Differences[0].What != c.what {
				t.Fatalf("%s %v %s, want it to differ in the %s", r.Finding, r.Differences, r.Unproved, c.what)
			}
		})
	}
}

func TestAStalePartitionIsStillHeldAgainstItsOwnPositions(t *testing.T) {
	l := published(t, folder(t))
	l.land("late", sale{day(2), "late", "x", 9})
	expect(t, l.verify(salesJob()), "2026-03-02", runner.Stale, "", "")
	if r := l.verify(salesJob())["2026-03-02"]; r.Reason() != "data changed" {
		t.Errorf("stale because %q", r.Reason())
	}
	path := l.file("2026-03-02")
	flip(t, path, 50)
	expect(t, l.verify(salesJob()), "2026-03-02", runner.Differs, "file", "other bytes")
}

func TestAPartitionOfOldCodeIsCheckedInFileAndInputOnly(t *testing.T) {
	l := published(t, folder(t))
	job := salesJob()
	job.SQL = "SELECT window_start, shop, 2 * count(*) AS n, sum(cents)::BIGINT AS cents FROM sales GROUP BY window_start, shop"
	for name, r := range l.verify(job) {
		if r.Finding != runner.Stale || r.Reason() != "code changed" {
			t.Errorf("%s: %s %v %s", name, r.Finding, r.Differences, r.Reason())
		}
	}
	flip(t, l.segments("2026-03-03")[0], 60)
	for name, r := range l.verify(job) {
		if r.Finding != runner.Differs || r.Differences[0].What != "input" {
			t.Errorf("%s: %s %v", name, r.Finding, r.Differences)
		}
	}
}

// Windows that other code had may have read other bucket-hours: that is no
// proof against the receipt.
func TestInputOfUnknownWindowsIsNotCalledCorrupt(t *testing.T) {
	l := published(t, folder(t))
	job := salesJob()
	job.Window.Size = 7 * time.Hour
	for name, r := range l.verify(job) {
		if r.Finding != runner.NotRecomputable && r.Finding != runner.Stale || len(r.Differences) > 0 {
			t.Errorf("%s: %s %v", name, r.Finding, r.Differences)
		}
	}
}

func TestATamperedLogIsCorruptBeforeAnythingIsVerified(t *testing.T) {
	l := published(t, folder(t))
	names, err := filepath.Glob(filepath.Join(l.store.(objstore.Local).Root(), "tables", "sales_hourly", "log", "*.json"))
	if err != nil || len(names) < 3 {
		t.Fatalf("%v %v", names, err)
	}
	body, err := os.ReadFile(names[1])
	must(t, err)
	var entry map[string]json.RawMessage
	must(t, json.Unmarshal(body, &entry))
	tampered := bytes.Replace(body, []byte(`"input_rows":`), []byte(`"input_rows":1`), 1)
	if bytes.Equal(body, tampered) {
		t.Fatal("nothing was tampered with")
	}
	must(t, os.WriteFile(names[1], tampered, 0o644))
	_, err = newLake(t, l.store).task(salesJob()).Published(t.Context(), nil, (*manifests.Snapshot).Receipts)
	if !errors.Is(err, log.ErrCorrupt) {
		t.Fatalf("got %v, want ErrCorrupt", err)
	}
	t.Log(err)
}

func TestASampleIsDrawnBySeedAndInOrder(t *testing.T) {
	all := make([]window.Status, 50)
	for i := range all {
		all[i].Partition = window.GrainDay.Containing(day(1).AddDate(0, 0, i))
	}
	pick := func(n int, seed uint64) (names []string) {
		for _, s := range runner.Sample(all, n, seed) {
			names = append(names, s.String())
		}
		return names
	}
	a := pick(7, 3)
	if len(a) != 7 || !slices.IsSorted(a) || len(slices.Compact(slices.Clone(a))) != 7 || !slices.Equal(a, pick(7, 3)) {
		t.Errorf("sample %v, again %v", a, pick(7, 3))
	}
	if slices.Equal(a, pick(7, 4)) {
		t.Error("another seed draws the same")
	}
	if len(pick(50, 1)) != 50 || len(pick(99, 1)) != 50 {
		t.Error("a large sample is not all there is")
	}
}

func TestVerifyStopsWhenToldTo(t *testing.T) {
	l := published(t, folder(t))
	task := l.task(salesJob())
	statuses, err := task.Published(t.Context(), nil, (*manifests.Snapshot).Receipts)
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = task.Verify(ctx, statuses, runner.VerifyOptions{Parallel: 1, Done: func(runner.Verified) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
