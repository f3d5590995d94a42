package runner_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/runner"
	"strandline/window"
)

// troubles are what may become of a scratch folder, and how it passes.
var troubles = map[string]struct{ come, pass func(dir string) error }{
	"removed": {os.RemoveAll, func(dir string) error { return os.MkdirAll(dir, 0o700) }},
	"a file":  {asFile, func(dir string) error { return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)) }},
	"a link to itself": {
		func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Symlink(dir, dir)) },
		func(dir string) error { return errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)) },
	},
}

func asFile(dir string) error {
	return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
}

// inScratch is a task whose engine works in a folder of its own.
func inScratch(t *testing.T, mend func(dir string) error) (l *lake, task *runner.Task, dir string) {
	l = newLake(t, folder(t))
	dir = filepath.Join(t.TempDir(), "scratch")
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: dir, Readable: []string{l.dir, l.store.(objstore.Local).Root()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	compiled, err := window.Compile(t.Context(), engine, salesJob(), window.StreamShape(l.stream.Spec()))
	if err != nil {
		t.Fatal(err)
	}
	on := runner.Lake{Store: l.store, Engine: engine, Files: localfile.New(l.store, l.dir, localfile.DefaultMaxBytes), Scratch: dir}
	if mend != nil {
		on.Mend = func() error { return mend(dir) }
	}
	return l, runner.NewTask(on, compiled, runner.FromStream(l.stream), l.table), dir
}

// What is wrong with the scratch folder of a machine says nothing of a job's SQL: it is in no
// log, counts in no bound of what others try again, and is done once it has passed.
func TestTroubleOfScratchIsNoFailureOfTheJob(t *testing.T) {
	for name, trouble := range troubles {
		for driver, r := range map[string]runner.Request{"stream": stream, "backfill": backfill(day(1), day(3))} {
			t.Run(name+" "+driver, func(t *testing.T) {
				l, task, dir := inScratch(t, nil)
				l.land("a", sale{day(1), "1", "x", 1}, sale{day(2), "2", "x", 1})
				if err := trouble.come(dir); err != nil {
					t.Fatal(err)
				}
				report := l.run(task, r)
				for _, o := range report.Outcomes {
					if !o.Lacking() || errors.Is(o.Err, window.ErrJob) {
						t.Errorf("%s: %v, want that this machine lacks something", o.Partition, o.Err)
					}
				}
				plan, err := task.Overview(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if n := plan.Tally(); len(report.Outcomes) != 2 || n[window.Missing] != 2 {
					t.Errorf("%d were tried, and the table has %v; want 2 missing", len(report.Outcomes), n)
				}
				if err := trouble.pass(dir); err != nil {
					t.Fatal(err)
				}
				for _, o := range l.run(task, r).Outcomes {
					if !o.OK() {
						t.Errorf("once it has passed: %s: %v", o.Partition, o.Err)
					}
				}
			})
		}
	}
}

// What clears old files away must not end a process that runs for months.
func TestAScratchFolderThatWasRemovedIsMadeAgain(t *testing.T) {
	l, task, dir := inScratch(t, func(dir string) error { return os.MkdirAll(dir, 0o700) })
	l.land("a", sale{day(1), "1", "x", 1})
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, o := range l.run(task, stream).Outcomes {
		if !o.OK() {
			t.Errorf("%s: %v", o.Partition, o.Err)
		}
	}
}
