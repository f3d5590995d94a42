package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"strandline/internal/config"
	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/internal/scratch"
	"strandline/landing"
	"strandline/manifests"
	"strandline/requests"
	"strandline/runner"
	"strandline/window"
)

// lake is the configured lake, opened by this process. The SQL engine starts
// when it is first needed.
type lake struct {
	config   *config.Config
	store    objstore.Store
	scratch  *scratch.Dir
	files    *localfile.Cache
	engine   *duck.Engine
	note     func(format string, args ...any) // tells people what is good to know
	writes   bool                             // it was opened for a command that commits
	threads  int                              // of the engine for one statement; 0 is 1
	streams  map[string]*landing.Stream
	tables   map[string]*manifests.Table
	compiler *compiler // once a job was compiled
	requests *requests.Queue
	plans    *planCache
}

// readLake opens the configured lake for a command that only reads, and tells where it is not there: it
// may be another one that is meant.
func (a *app) readLake(ctx context.Context) (*lake, error) {
	l, err := a.theLake(ctx)
	if err == nil && !l.config.Lake.InS3() {
		if _, missing := os.Stat(l.config.Lake.Folder); missing != nil {
			a.note("note: there is no lake at %s yet: what lands makes it, or lake: in strandline.yaml means another", l.config.Lake)
		}
	}
	return l, err
}

// errNoLake says that a lake has nothing in it, so that nothing can be proved of it.
var errNoLake = errors.New("the lake holds nothing, so nothing was checked: land something first, or mend lake: in strandline.yaml")

// holdsSomething is errNoLake if the lake has no object. That nothing is wrong with such a lake is
// no news to who asks whether all is well.
func (l *lake) holdsSomething(ctx context.Context) error {
	first, err := l.store.List(ctx, "", "", 1)
	if err == nil && len(first) == 0 {
		err = errNoLake
	}
	if err != nil {
		return fmt.Errorf("look at lake %s: %w", l.config.Lake, err)
	}
	return nil
}

// theLake opens the configured lake.
func (a *app) theLake(ctx context.Context) (*lake, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	store, err := openStore(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open lake %s: %w", cfg.Lake, err)
	}
	l := &lake{
		config: cfg, store: store, requests: requests.Open(store, log.Options{}), plans: &planCache{store: store}, scratch: scratch.Open(cfg.Engine.TempDir), note: a.note,
		streams: map[string]*landing.Stream{}, tables: map[string]*manifests.Table{},
	}
	l.bind()
	return l, nil
}

// writeLake opens the configured lake for a command that commits. It first has
// the store prove that it lets only one of several writers win: where it does
// not, every guarantee of Strandline would be void.
func (a *app) writeLake(ctx context.Context) (*lake, error) {
	l, err := a.theLake(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := objstore.Prove(ctx, l.store); err != nil {
		return nil, errors.Join(fmt.Errorf("open lake %s for writing: %w", l.config.Lake, err), l.Close())
	}
	l.writes = true
	return l, nil
}

// workLake opens the configured lake for a command that lands or computes, which is nothing to begin with
// where this machine has no room for it.
func (a *app) workLake(ctx context.Context) (*lake, error) {
	l, err := a.writeLake(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.scratch.Mend(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// openLake opens the configured lake for a command that commits, or, with dryRun,
// for one that only says what it would do. With computes, what commits computes first.
func (a *app) openLake(ctx context.Context, dryRun, computes bool) (*lake, error) {
	switch {
	case dryRun:
		return a.readLake(ctx)
	case computes:
		return a.workLake(ctx)
	}
	return a.writeLake(ctx)
}

func openStore(ctx context.Context, cfg *config.Config) (objstore.Store, error) {
	if !cfg.Lake.InS3() {
		return objstore.OpenFolder(cfg.Lake.Folder)
	}
	return objstore.OpenS3(ctx, objstore.S3Options{
		Bucket: cfg.Lake.Bucket, Prefix: cfg.Lake.Prefix,
		Endpoint: cfg.S3.Endpoint, Region: cfg.S3.Region, PathStyle: cfg.S3.PathStyle,
	})
}

// bind opens the declared streams and tables, which reads nothing yet.
func (l *lake) bind() {
	intake := l.scratch.Later("intake")
	l.files = localfile.New(l.store, l.scratch.Later("copies"), localfile.DefaultMaxBytes)
	l.files.Mend = l.scratch.Mend
	for _, s := range l.config.Streams {
		l.streams[s.Name] = landing.Open(l.store, s.Spec, landing.Options{Scratch: intake, Mend: l.scratch.Mend})
	}
	for _, j := range l.config.Jobs {
		l.tables[j.Name] = manifests.Open(l.store, j.Name, manifests.Options{Writer: writerName()})
	}
	for _, name := range l.config.Tables {
		l.tables[name] = manifests.Open(l.store, name, manifests.Options{Writer: writerName()})
	}
}

// foreign reads a table that another process computes.
func (l *lake) foreign(ctx context.Context, name string) (*manifests.Snapshot, error) {
	return l.tables[name].Snapshot(ctx)
}

func writerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s pid %d", host, os.Getpid())
}

// Close gives back what the process holds of this machine. The lake itself
// needs no closing.
func (l *lake) Close() error {
	var err error
	if l.engine != nil {
		err = l.engine.Close()
	}
	return errors.Join(err, l.scratch.Close())
}

// sql returns the engine. Its folder is made when something is computed.
func (l *lake) sql(ctx context.Context) (_ *duck.Engine, err error) {
	if l.engine != nil {
		return l.engine, nil
	}
	readable := []string{l.scratch.Path()}
	if local, ok := l.store.(objstore.Local); ok {
		readable = append(readable, local.Root())
	}
	l.engine, err = duck.Open(ctx, duck.Options{
		MemoryLimit: fmt.Sprintf("%dB", l.config.Engine.MemoryLimit), Threads: l.threads,
		Scratch: l.scratch.Later("engine"), Later: true, Readable: readable,
	})
	return l.engine, err
}

// task compiles a job and binds it to its inputs and table.
func (l *lake) task(ctx context.Context, job config.Job) (*runner.Task, error) {
	engine, err := l.sql(ctx)
	if err != nil {
		return nil, err
	}
	if l.compiler == nil {
		l.compiler = &compiler{config: l.config, engine: engine, pin: l.pin, foreign: l.foreign, done: map[string]*window.Compiled{}}
	}
	compiled, err := l.compiler.compile(ctx, job)
	if err != nil {
		return nil, err
	}
	inputs, err := l.inputs(ctx, job)
	if err != nil {
		return nil, err
	}
	on := runner.Lake{Store: l.store, Engine: engine, Files: l.files, Scratch: l.scratch.Later("engine"), Mend: l.scratch.Mend}
	return runner.NewTask(on, compiled, inputs, l.tables[job.Name]), nil
}

// compiled is a job that was compiled, or nil.
func (l *lake) compiled(job string) *window.Compiled {
	if l.compiler == nil {
		return nil
	}
	return l.compiler.done[job]
}

// inputs are those of a job, with the tasks of the tables that this process computes.
func (l *lake) inputs(ctx context.Context, job config.Job) (inputs []runner.Input, err error) {
	for _, in := range job.Inputs {
		one := runner.Input{Stream: l.streams[in.Name]}
		if in.Table {
			one = runner.Input{Table: l.tables[in.Name]}
		}
		if in.Table && !slices.Contains(l.config.Tables, in.Name) {
			if one.Made, err = l.maker(ctx, in.Name); err != nil {
				return nil, err
			}
		}
		inputs = append(inputs, one)
	}
	return inputs, nil
}

// maker is the task that makes a table.
func (l *lake) maker(ctx context.Context, table string) (*runner.Task, error) {
	job, err := l.config.Job(table)
	if err != nil {
		return nil, err
	}
	return l.task(ctx, job)
}

// readAhead begins to read the logs of jobs while the caller does something else,
// such as to compile their SQL. Whatever is wrong with one shows to who asks for it.
// The caller must call wait before it closes the lake.
func (l *lake) readAhead(ctx context.Context, jobs []config.Job) (wait func()) {
	var reads sync.WaitGroup
	reads.Go(func() {
		for _, job := range jobs {
			for _, stream := range job.Streams() {
				_ = l.streams[stream].Refresh(ctx)
			}
		}
	})
	reads.Go(func() {
		for _, job := range jobs {
			for _, table := range append(job.Tables(), job.Name) {
				_, _ = l.tables[table].Snapshot(ctx)
			}
		}
	})
	return reads.Wait
}

// jobs are those named, or all where none is named.
func (l *lake) jobs(names []string) ([]config.Job, error) {
	if len(names) == 0 {
		return l.config.Jobs, nil
	}
	var jobs []config.Job
	for _, name := range names {
		job, err := l.config.Job(name)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// eachTask calls do with the task of each of the jobs. One whose lookup can't be used, that
// meets damage in the lake, or whose stream is misdeclared, is passed over, and its error returned when all others are done.
func (l *lake) eachTask(ctx context.Context, jobs []config.Job, do func(*runner.Task) error) error {
	var left error
	for _, job := range jobs {
		task, err := l.task(ctx, job)
		if err == nil {
			err = do(task)
		}
		switch {
		case leavesOut(err):
			left = joinNew(left, err)
		case err != nil:
			return err
		}
	}
	return left
}

// leavesOut tells whether an error keeps from nothing but its own job.
func leavesOut(err error) bool {
	return errors.Is(err, errLookup) || isDamage(err) || landing.IsMisdeclared(err)
}

// joinNew joins more to err, unless err says it already: one damaged log may keep from many jobs.
func joinNew(err, more error) error {
	if err != nil && strings.Contains(err.Error(), more.Error()) {
		return err
	}
	return errors.Join(err, more)
}

// allTasks are the tasks of all jobs.
func (l *lake) allTasks(ctx context.Context) ([]*runner.Task, error) {
	tasks, left, err := l.readyTasks(ctx)
	return tasks, errors.Join(left, err)
}

// readyTasks are the tasks of all jobs but those that are left out since a lookup of
// theirs, or of what they read, can't be used, or a table that they read is damaged: left is why.
func (l *lake) readyTasks(ctx context.Context) (tasks []*runner.Task, left, err error) {
	var wrong []error
	for _, job := range l.config.Jobs {
		task, err := l.task(ctx, job)
		switch {
		case leavesOut(err):
			left = joinNew(left, err)
		case errors.Is(err, window.ErrJob):
			wrong = append(wrong, err) // the others' mistakes are told as well
		case err != nil:
			return nil, left, err
		default:
			tasks = append(tasks, task)
		}
	}
	return tasks, left, errors.Join(wrong...)
}

// defaultParallel is how many partitions are recomputed at a time if not said.
func defaultParallel() int { return runtime.NumCPU() }
