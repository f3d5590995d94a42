package runner_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// clockedLake is a lake whose clock is set by hand.
type clockedLake struct {
	*lake
	now  time.Time
	told []string // of the stream driver
}

func newClockedLake(t *testing.T) *clockedLake {
	l := &clockedLake{lake: newLake(t, objstore.NewMemory()), now: day(1)}
	l.stream = landing.Open(l.store, salesSpec, landing.Options{Scratch: l.dir, Now: l.clock})
	return l
}

func (l *clockedLake) clock() time.Time { return l.now }

// hourly is the job in partitions of an hour.
func hourly(emit window.Emit, late window.LatePolicy) window.Job {
	job := salesJob()
	job.Grain, job.Emit, job.Late = window.GrainHour, emit, late
	return job
}

// at is minutes after the start of the first day.
func at(minutes int) time.Time { return day(1).Add(time.Duration(minutes) * time.Minute) }

// landBy lands a sale of each of the minutes, by a way in.
func (l *clockedLake) landBy(way string, minutes ...int) {
	l.t.Helper()
	in, err := l.stream.Begin(landing.Source{Name: way, Way: way})
	if err != nil {
		l.t.Fatal(err)
	}
	defer in.Abort()
	for i, m := range minutes {
		row := landing.Row{EventTime: at(m).UnixMicro(), SourcePosition: int64(i + 1), Values: []datafile.Value{
			parquet.ByteArrayValue(fmt.Appendf(nil, "%s %v %d", way, l.now, i)), parquet.ByteArrayValue([]byte("x")), parquet.Int64Value(1),
		}}
		if err := in.Add(row); err != nil {
			l.t.Fatal(err)
		}
	}
	if _, err := in.CommitAs(l.t.Context(), landing.Claim{}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *clockedLake) clockedTask(job window.Job) *runner.Task {
	l.t.Helper()
	compiled, err := window.Compile(l.t.Context(), l.engine, job, window.StreamShape(l.stream.Spec()))
	if err != nil {
		l.t.Fatal(err)
	}
	files := localfile.New(l.store, l.dir, localfile.DefaultMaxBytes)
	return runner.NewTask(runner.Lake{Store: l.store, Engine: l.engine, Files: files, Scratch: l.dir, Now: l.clock}, compiled, runner.FromStream(l.stream), l.table)
}

// settle has the stream driver do what is to be done now.
func (l *clockedLake) settle(job window.Job) {
	l.t.Helper()
	err := runner.Stream(l.t.Context(), []*runner.Task{l.clockedTask(job)}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: l.clock,
		Done: func(_ string, o runner.Outcome) {
			l.told = append(l.told, fmt.Sprint(o.Partition, " ", o.Verdict, " ", o.Reason()))
		},
		Trouble: func(_ string, err error) { l.t.Error(err) },
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// published are the rows that each published partition was computed from.
func (l *clockedLake) published() map[string]int64 {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	rows := map[string]int64{}
	for _, r := range snapshot.Receipts() {
		rows[r.Partition] = r.InputRows
	}
	return rows
}

func (l *clockedLake) states(job window.Job) string {
	l.t.Helper()
	plan, err := l.clockedTask(job).Survey(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	var states []string
	for _, s := range plan.Tasks {
		states = append(states, fmt.Sprintf("%s %s %s", s, s.State, s.Reason()))
	}
	return strings.Join(states, "; ")
}

func (l *clockedLake) want(job window.Job, states string) {
	l.t.Helper()
	if got := l.states(job); got != states {
		l.t.Errorf("partitions are\n%s, want\n%s", got, states)
	}
}

func TestOnCloseAPartitionIsPublishedFirstWhenItIsClosed(t *testing.T) {
	l, job := newClockedLake(t), hourly(window.EmitOnClose, "")
	l.now = at(65)
	l.landBy("dir", 5, 59, 62)
	l.settle(job)
	l.want(job, "2026-03-01T00 open waits to be closed; 2026-03-01T01 open waits to be closed")
	l.landBy("dir", 69, 58)
	l.settle(job)
	l.want(job, "2026-03-01T00 open waits to be closed; 2026-03-01T01 open waits to be closed")
	l.landBy("dir", 70) // 10 minutes of delay are over
	l.settle(job)
	l.want(job, "2026-03-01T00 fresh ; 2026-03-01T01 open waits to be closed")
	l.landBy("dir", 57) // late
	l.settle(job)
	l.now = at(65 + 15 + 70) // nothing comes any more
	l.settle(job)
	l.want(job, "2026-03-01T00 fresh ; 2026-03-01T01 fresh ")
	if got := l.published(); got["2026-03-01T00"] != 4 || got["2026-03-01T01"] != 3 {
		t.Errorf("published are %v", got)
	}
}

func TestAPersonMayPublishAnOpenPartitionAndTheStreamGoesOnWhenItIsClosed(t *testing.T) {
	l, job := newClockedLake(t), hourly(window.EmitOnClose, "")
	l.now = at(30)
	l.landBy("dir", 5)
	l.run(l.clockedTask(job), backfill(at(0), at(60)))
	l.want(job, "2026-03-01T00 fresh ")
	l.landBy("dir", 6)
	l.settle(job)
	l.want(job, "2026-03-01T00 open waits to be closed")
	l.now = at(200)
	l.settle(job)
	l.want(job, "2026-03-01T00 fresh ")
}

// To a person an open partition is what it would be if nothing waited: missing or stale.
func TestABackfillOfWhatIsMissingOrStaleAsksForOpenPartitionsToo(t *testing.T) {
	l, job := newClockedLake(t), hourly(window.EmitOnClose, "")
	l.now = at(30)
	l.landBy("dir", 5)
	l.wantAsked(job, window.Stale, 0)
	l.wantAsked(job, window.Missing, 1)
	l.landBy("dir", 6)
	l.wantVerified(job, window.Open, runner.Open)
	l.wantAsked(job, window.Missing, 0)
	l.wantAsked(job, window.Stale, 1)
	l.wantVerified(job, window.Fresh, runner.Reproduced)
}

// wantAsked wants a backfill of what is in a state to do so many partitions.
func (l *clockedLake) wantAsked(job window.Job, state window.State, n int) {
	l.t.Helper()
	asked := runner.Request{Driver: manifests.DriverBackfill, States: []window.State{state}}
	if did := len(l.run(l.clockedTask(job), asked).Outcomes); did != n {
		l.t.Errorf("%d partitions were %s, want %d", did, state, n)
	}
}

// wantVerified wants the one published partition to stand so, and verify to find this.
func (l *clockedLake) wantVerified(job window.Job, state window.State, finding runner.Finding) {
	l.t.Helper()
	task := l.clockedTask(job)
	published, err := task.Published(l.t.Context(), nil, (*manifests.Snapshot).Receipts)
	must(l.t, err)
	found, err := task.Verify(l.t.Context(), published, runner.VerifyOptions{Parallel: 1, Seed: 1})
	must(l.t, err)
	if len(found) != 1 || found[0].State != state || found[0].Finding != finding {
		l.t.Errorf("found is %+v, want %s and %s", found, state, finding)
	}
}

func TestLateRowsAreHeldUntilAPersonReleasesThem(t *testing.T) {
	l, job := newClockedLake(t), hourly("", window.LateHold)
	l.now = at(130)
	l.landBy("dir", 5, 130)
	l.settle(job)
	l.landBy("dir", 9, 11, 100) // of which two are late
	l.settle(job)
	l.settle(job)
	held := "late: 2 rows, up to 1h51m0s late"
	l.want(job, "2026-03-01T00 held "+held+"; 2026-03-01T01 fresh ; 2026-03-01T02 fresh ")
	told := strings.Join(l.told, "\n")
	if want := "2026-03-01T00 held " + held; strings.Count(told, want) != 2 { // once a process
		t.Errorf("the stream told\n%s\nwant %q of each run", told, want)
	}
	if got := l.published()["2026-03-01T00"]; got != 1 {
		t.Errorf("%d rows are published", got)
	}
	l.release(job, "2026-03-01T00", "2026-03-01T07")
	l.want(job, "2026-03-01T00 fresh ; 2026-03-01T01 fresh ; 2026-03-01T02 fresh ")
	l.landBy("dir", 12)
	l.want(job, "2026-03-01T00 held late: 1 row, up to 1h48m0s late; 2026-03-01T01 fresh ; 2026-03-01T02 fresh ")
}

// release releases the first of the partitions; the others are not held.
func (l *clockedLake) release(job window.Job, partitions ...string) {
	l.t.Helper()
	task := l.clockedTask(job)
	plan, others, err := task.ReleaseLate(l.t.Context(), partitions)
	if err != nil || len(plan.Tasks) != 1 || strings.Join(others, " ") != strings.Join(partitions[1:], " ") {
		l.t.Fatalf("%d are released, %v not: %v", len(plan.Tasks), others, err)
	}
	generation, err := task.Register(l.t.Context(), manifests.DriverPerson)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := task.Execute(l.t.Context(), plan, runner.Options{Driver: manifests.DriverPerson, Generation: generation, Parallel: 1}); err != nil {
		l.t.Fatal(err)
	}
}

func TestWhatIsDroppedOfLateRowsStaysAwayUntilMoreCome(t *testing.T) {
	l, job := newClockedLake(t), hourly("", window.LateHold)
	l.now = at(130)
	l.landBy("dir", 5, 130)
	l.settle(job)
	l.landBy("dir", 9)
	plan, err := l.clockedTask(job).Overview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Tasks[0]
	if _, err := l.table.Drop(t.Context(), []string{s.String()}, manifests.Late{
		Partition: s.String(), Positions: plan.Read, InputRows: s.Input.Rows, InputDigest: s.Input.Digest, Fingerprint: plan.Fingerprint,
	}); err != nil {
		t.Fatal(err)
	}
	l.settle(job)
	l.want(job, "2026-03-01T00 aside left as it is in version 3; 2026-03-01T02 fresh ")
	l.landBy("dir", 10)
	l.settle(job)
	l.want(job, "2026-03-01T00 held late: 2 rows, up to 1h51m0s late; 2026-03-01T02 fresh ")
}

func TestRowsThatCameInTimeAreNotHeldWhateverComesLateBeside(t *testing.T) {
	l, job := newClockedLake(t), hourly("", window.LateHold)
	l.now = at(50)
	l.landBy("dir", 5)
	l.settle(job)
	l.landBy("dir", 6)      // in time
	l.landBy("dir", 109)    // closes it, before the stream came to it
	l.landBy("dir", 7, 109) // late
	l.settle(job)
	l.want(job, "2026-03-01T00 fresh ; 2026-03-01T01 fresh ")
	if got := l.published()["2026-03-01T00"]; got != 3 {
		t.Errorf("%d rows are published, want all", got)
	}
}

// landOld lands one file of so many hours of long ago, and of some minutes.
func (l *clockedLake) landOld(hours int, minutes ...int) {
	l.t.Helper()
	for h := range hours {
		minutes = append(minutes, -24*60*100-60*h)
	}
	l.landBy("dir", minutes...)
}

// What an arrival says of very many hours it says of long stretches, so that it is not
// known which of their hours the rows are of. Then none is held that may have come in time.
func TestWhatMayNotBeLateIsNotHeld(t *testing.T) {
	l, job := newClockedLake(t), hourly("", window.LateHold)
	l.now = at(610)
	l.landBy("dir", 610)
	l.settle(job)
	l.now = at(640)
	l.landBy("dir", 640) // in time
	l.now = at(720)
	l.landBy("dir", 720) // closes it
	l.landOld(1200, 650, 120, 121, 122, 123, 124)
	states := l.states(job)
	if want := "2026-03-01T10 stale data changed, late: at most 2 rows, up to 1h50m0s late;"; !strings.Contains(states, want) {
		t.Errorf("partitions are\n%.300s …\nwant %s", states[strings.Index(states, "2026-03-01T02"):], want)
	}
	l.run(l.clockedTask(job), backfill(at(600), at(660)))
	l.landOld(1200, 651, 120) // now all of them are late, and this many
	if states, want := l.states(job), "2026-03-01T10 held late: 1 row, up to "; !strings.Contains(states, want) {
		t.Errorf("partitions are\n… %s\nwant %s", states[strings.Index(states, "2026-03-01T02"):], want)
	}
}

func TestByDefaultLateRowsAreRecomputedAndCounted(t *testing.T) {
	l, job := newClockedLake(t), hourly("", "")
	l.now = at(130)
	l.landBy("dir", 5, 130)
	l.settle(job)
	l.landBy("dir", 9)
	l.want(job, "2026-03-01T00 stale data changed, late: 1 row, up to 1h51m0s late; 2026-03-01T02 fresh ")
	l.settle(job)
	l.want(job, "2026-03-01T00 fresh ; 2026-03-01T02 fresh ")
}

// naive is a watermark by its definition, minute by minute.
type naive struct {
	latest, landed map[string]int
	minute, high   int
}

func newNaive() *naive {
	return &naive{latest: map[string]int{}, landed: map[string]int{}, high: -1 << 30}
}

func (n *naive) goOn(to int) {
	for ; n.minute < to; n.minute++ {
		n.look()
	}
	n.look()
}

func (n *naive) look() {
	if len(n.latest) == 0 {
		return
	}
	least, silent := 1<<30, true
	for way, latest := range n.latest {
		if n.minute-n.landed[way] < 15 {
			least, silent = min(least, latest-10), false
		}
	}
	if silent {
		least = n.minute - 15 - 10
	}
	n.high = max(n.high, least)
}

func (n *naive) land(way string, minutes []int) {
	for _, m := range minutes {
		if latest, known := n.latest[way]; m <= n.minute+60 && (!known || m > latest) {
			n.latest[way] = m
		}
	}
	n.landed[way] = n.minute
	n.look()
}

// TestNoReaderSeesPartOfAnHour lands at random, by several ways and with clocks that jump,
// and starts the stream anew each time. What is published for the first time was closed,
// by the definition; and all that is closed is published in the end.
func TestNoReaderSeesPartOfAnHour(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 77))
		l, job, model := newClockedLake(t), hourly(window.EmitOnClose, ""), newNaive()
		rows := map[string]int64{}
		for minute := 0; minute < 600; minute += 1 + random.IntN(40) {
			l.now = at(minute)
			model.goOn(minute)
			way := fmt.Sprint("way", random.IntN(3))
			var minutes []int
			for range 1 + random.IntN(3) {
				m := max(0, minute-random.IntN(45)+random.IntN(20))
				minutes = append(minutes, m)
				rows[at(m).Format("2006-01-02T15")]++
			}
			l.landBy(way, minutes...)
			model.land(way, minutes)
			if random.IntN(2) == 0 {
				before := l.published()
				l.settle(job)
				l.wantClosed(before, model.high)
			}
		}
		l.now = at(2000)
		l.settle(job)
		if got := l.published(); fmt.Sprint(got) != fmt.Sprint(rows) {
			t.Errorf("seed %d: published in the end are\n%v, want\n%v", seed, got, rows)
		}
	}
}

// wantClosed wants what is published and was not before to be closed.
func (l *clockedLake) wantClosed(before map[string]int64, watermark int) {
	l.t.Helper()
	for name := range l.published() {
		p, err := window.GrainHour.Parse(name)
		if err != nil {
			l.t.Fatal(err)
		}
		if _, was := before[name]; !was && p.End.After(at(watermark)) {
			l.t.Fatalf("partition %s was published when the watermark was %v", name, at(watermark))
		}
	}
}

// chained are the job of hours, and one that sums its table up by days, on close.
func (l *clockedLake) chained() (hours, days *runner.Task) {
	l.t.Helper()
	hours = l.clockedTask(hourly(window.EmitOnClose, ""))
	job := window.Job{
		Name: "sales_daily", Inputs: []window.Input{{Name: "sales_hourly", Table: true}}, Emit: window.EmitOnClose,
		Window: window.Window{Kind: window.Tumbling, Size: 24 * time.Hour}, Grain: window.GrainDay, Key: []string{"window_start"},
		SQL: "SELECT window_start, sum(n)::BIGINT AS n FROM sales_hourly GROUP BY window_start",
	}
	compiled, err := window.Compile(l.t.Context(), l.engine, hours.Job(), window.StreamShape(l.stream.Spec()))
	if err != nil {
		l.t.Fatal(err)
	}
	daily, err := window.Compile(l.t.Context(), l.engine, job, compiled.Shape())
	if err != nil {
		l.t.Fatal(err)
	}
	files := localfile.New(l.store, l.dir, localfile.DefaultMaxBytes)
	on := runner.Lake{Store: l.store, Engine: l.engine, Files: files, Scratch: l.dir, Now: l.clock}
	inputs := []runner.Input{{Table: l.table, Made: hours}}
	return hours, runner.NewTask(on, daily, inputs, manifests.Open(l.store, "sales_daily", manifests.Options{Writer: "daily"}))
}

func TestAJobOfATableFollowsItAsFarAsItIsSettled(t *testing.T) {
	l := newClockedLake(t)
	l.now = at(24 * 60)
	l.landBy("dir", 5, 70, 24*60)
	hours, days := l.chained()
	daily := func(want string) {
		t.Helper()
		plan, err := days.Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var states []string
		for _, s := range plan.Tasks {
			states = append(states, fmt.Sprint(s, " ", s.State))
		}
		if got := strings.Join(states, "; "); got != want {
			t.Errorf("days are %q at %v, want %q", got, plan.Watermark, want)
		}
	}
	l.run(hours, stream)
	daily("2026-03-01 open") // the last hour may still get rows
	l.landBy("dir", 24*60+10)
	daily("2026-03-01 missing")
	l.landBy("dir", 100) // and the hour is to be computed again first
	daily("2026-03-01 open")
	l.run(hours, stream)
	daily("2026-03-01 missing")
	l.run(days, stream)
	daily("") // it is fresh, and of the next there is nothing yet
}
