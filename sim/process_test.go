package sim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"strandline/compaction"
	"strandline/internal/condemn"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/sweep"
)

// process is one run of the program, from its start to its end or death. It
// shares nothing with others but the store.
type process struct {
	world   *world
	id      int
	weather weather
	code    *code

	ctx    context.Context
	cancel context.CancelFunc
	dead   chan struct{}
	kill   func() // by SIGKILL

	mu    sync.Mutex
	calls map[string]made

	stream *landing.Stream
	table  *manifests.Table
	dir    string // of its own
	files  *localfile.Cache
	task   *runner.Task
}

func (w *world) newProcess(id int, weather weather, code *code) (*process, error) {
	p := &process{world: w, id: id, weather: weather, code: code, dead: make(chan struct{}), calls: map[string]made{}}
	p.ctx, p.cancel = context.WithCancel(w.ctx)
	p.kill = sync.OnceFunc(func() { close(p.dead); p.cancel() })
	dir, err := os.MkdirTemp(w.dir, fmt.Sprintf("p%d-", id))
	if err != nil {
		return nil, err
	}
	p.dir = dir
	store := door{p}
	p.stream = landing.Open(store, salesSpec, landing.Options{Scratch: dir, Log: often})
	p.table = manifests.Open(store, "t", manifests.Options{Writer: p.String(), Log: often})
	p.files = localfile.New(store, dir, 0)
	lake := runner.Lake{Store: store, Engine: engine, Files: p.files, Scratch: scratch}
	p.task = runner.NewTask(lake, code.compiled, runner.FromStream(p.stream), p.table)
	return p, nil
}

// often has checkpoints made often, so that short histories have some.
var often = log.Options{CheckpointEvery: 4}

func (p *process) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

func (p *process) String() string { return fmt.Sprintf("p%d", p.id) }

// polls reads an ordered source on, as a consumer of a queue does.
func (p *process) polls(n int64) error {
	at, _, err := p.stream.Progress(p.ctx, queue)
	if err != nil {
		return err
	}
	return p.lands(queued(at, at+n))
}

// lands takes one arrival in, as "strandline land" does, or whoever takes posts.
func (p *process) lands(c *content) error {
	in, err := p.stream.Begin(landing.Source{Name: c.name})
	if err != nil {
		return err
	}
	begun := time.Now().UTC().Truncate(time.Microsecond)
	for i, s := range c.sales {
		if err := in.Add(s.row(i)); err != nil {
			return err
		}
	}
	landed, err := in.CommitAs(p.ctx, c.claim())
	if twice := (*landing.KeysLandedError)(nil); errors.As(err, &twice) {
		key := twice.Keys[0]
		landed, err = landing.Result{Duplicate: true, From: landing.Position(key.From), To: landing.Position(key.To)}, nil
	}
	p.world.told(p, func(m *model) error { return m.toldLanded(c, begun, landed, err) })
	return err
}

// streams keeps the table up to date, as "strandline run" does.
func (p *process) streams(once bool) error {
	return runner.Stream(p.ctx, []*runner.Task{p.task}, runner.StreamOptions{
		Parallel: parallel, Poll: 5 * time.Second, Once: once, Now: time.Now,
		Done:    func(_ string, o runner.Outcome) { p.done(o) },
		Trouble: func(string, error) {},
	})
}

// executes plans and executes as "strandline backfill" and "replay" do.
func (p *process) executes(r runner.Request) error {
	generation := p.task.Generation
	if !r.Rebuild {
		generation = func(ctx context.Context) (uint64, error) { return p.task.Register(ctx, r.Driver) }
	}
	plan, err := p.task.Plan(p.ctx, r)
	if err != nil {
		return err
	}
	g, err := generation(p.ctx)
	if err != nil {
		return err
	}
	_, err = p.task.Execute(p.ctx, plan, runner.Options{
		Driver: r.Driver, Generation: g, Parallel: parallel, Together: p.id%2 == 0, Rebuild: r.Rebuild, Done: p.done,
	})
	return err
}

func (p *process) done(o runner.Outcome) {
	p.world.told(p, func(m *model) error {
		p.world.met[o.Verdict.String()]++
		return m.toldOutcome(o)
	})
}

// edits makes one edit by hand, as "strandline rollback", "release" and "drop" do.
func (p *process) edits(edit func(*manifests.Table, *manifests.Snapshot) (manifests.Version, error)) error {
	snapshot, err := p.table.Snapshot(p.ctx)
	if err != nil {
		return err
	}
	version, err := edit(p.table, snapshot)
	if err == nil && version > 0 {
		p.world.told(p, func(m *model) error { return m.toldEdited(version) })
	}
	return err
}

// sweeps removes what is not kept, as "strandline sweep" does.
func (p *process) sweeps(grace time.Duration, keep manifests.Retention) error {
	report, err := sweep.Run(p.ctx, door{p}, sweep.Options{
		Grace: grace, Retention: func(string) manifests.Retention { return keep }, Writer: p.String(), Log: often,
		Readers: []sweep.Reader{{Table: p.task.Job().Name, Inputs: p.task.Job().Streams(), Check: p.task.CheckHistory}},
		Tell:    func(f sweep.Found) { p.met(string(f.Verdict)) },
	})
	for _, part := range report.Parts {
		if part.Trimmed.Objects > 0 {
			p.met("trimmed")
		}
	}
	return err
}

// compacts merges what lies together, as "strandline compact" does.
func (p *process) compacts() error {
	c := compaction.Compactor{
		Stream: p.stream, Files: p.files, Limits: compaction.Limits{Target: 1 << 20, Growth: 2, Members: 8},
		Vouch: p.task.CheckHistory, Done: func(compaction.Task, landing.Segment) { p.met("merged") },
	}
	return c.Run(p.ctx)
}

// met counts something that happened.
func (p *process) met(what string) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	p.world.met[what]++
}

// named are the errors that a process may end with: it died or was stopped, the
// store did not answer, or the system refused something and said why.
var named = map[string]error{
	"store":         errFault,
	"dead":          errDead,
	"stopped":       context.Canceled,
	"deadline":      context.DeadlineExceeded,
	"unknown":       log.ErrUnknown,
	"replaced":      manifests.ErrReplaced,
	"needs rebuild": manifests.ErrNeedsRebuild,
	"rebuilt":       manifests.ErrRebuilt,
	"not held":      manifests.ErrNotHeld,
	"outdated":      manifests.ErrOutdated,
	"outrun":        manifests.ErrOutrun,
	"moved":         landing.ErrMoved,
	"fenced":        log.ErrFenced,
	"expired":       manifests.ErrExpired,
	"swept":         condemn.Err,
	"no position":   runner.ErrNoPosition,
}

// ends looks at the error that a process ended with.
func (w *world) ends(p *process, e event, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := err == nil
	for name, good := range named {
		if errors.Is(err, good) {
			w.met[name]++
			known = true
		}
	}
	if !known {
		w.must(fmt.Errorf("an error that has no name: %s of %s: %w", e.kind, p, err))
	}
}

// parallel is how many partitions a process computes at a time.
const parallel = 2
