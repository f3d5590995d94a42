package window

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

// landedRow is a row of a stream, at its position.
type landedRow struct {
	t, position int64
	k, u, seq   *int64 // of dedup's key, the sessions' by, and dedup's by
}

// seenRow is what SQL sees of a row in one of its windows.
type seenRow struct{ start, end, position int64 }

// straight computes what a job's SQL should see of all rows, in one go and without
// partitions: as the rules say it, a rule at a time, each over all pairs of rows.
func straight(job Job, rows []landedRow) (seen []seenRow) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r landedRow) bool {
		return job.Dedup != nil && r.k != nil && slices.ContainsFunc(rows, func(other landedRow) bool { return replaces(job, other, r) })
	})
	for _, r := range rows {
		switch w := job.Window; w.Kind {
		case None:
			seen = append(seen, seenRow{r.t, r.t, r.position})
		case Session:
			start, end := sessionOf(w, r, rows)
			seen = append(seen, seenRow{start, end, r.position})
		default:
			if !w.Zone.IsUTC() {
				for _, local := range localWindows(w, r.t) {
					if local.start <= r.t && r.t < local.end {
						seen = append(seen, seenRow{local.start, local.end, r.position})
					}
				}
				continue
			}
			for start := below(r.t, w); start+w.Size.Microseconds() > r.t; start -= w.step().Microseconds() {
				seen = append(seen, seenRow{start, start + w.Size.Microseconds(), r.position})
			}
		}
	}
	slices.SortFunc(seen, compareSeen)
	return seen
}

func compareSeen(a, b seenRow) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.position, b.position))
}

// below is the last start of a window at or before t.
func below(t int64, w Window) (last int64) {
	if !w.Zone.IsUTC() {
		for _, local := range localWindows(w, t) {
			if local.start <= t {
				last = local.start
			}
		}
		return last
	}
	start, step := w.Offset.Microseconds(), w.step().Microseconds()
	start += (t - start) / step * step
	for start > t {
		start -= step
	}
	return start
}

// replaces tells whether one row is why another does not count.
func replaces(job Job, one, other landedRow) bool {
	d := job.Dedup
	switch {
	case one.position == other.position || one.k == nil || *one.k != *other.k:
		return false
	case d.Within > 0 && max(one.t-other.t, other.t-one.t) > d.Within.Microseconds():
		return false
	case d.Within == 0 && ownPartition(job, one.t) != ownPartition(job, other.t):
		return false
	}
	order := cmp.Compare(one.position, other.position)
	if d.By != "" {
		order = cmp.Or(compareNull(one.seq, other.seq), order)
	}
	return d.Keep == KeepFirst && order < 0 || d.Keep == KeepLast && order > 0
}

func compareNull(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// ownPartition is where the partition starts of a row in no more than one window.
func ownPartition(job Job, t int64) int64 {
	if job.Window.Kind == Tumbling {
		t = below(t, job.Window)
	}
	return job.Grain.Containing(time.UnixMicro(t)).Start.UnixMicro()
}

// sessionOf walks from row to row as long as no gap comes.
func sessionOf(w Window, r landedRow, rows []landedRow) (start, end int64) {
	var times []int64
	for _, other := range rows {
		if len(w.By) == 0 || compareNull(r.u, other.u) == 0 {
			times = append(times, other.t)
		}
	}
	slices.Sort(times)
	first, _ := slices.BinarySearch(times, r.t)
	last, gap := first, w.Gap.Microseconds()
	for first > 0 && times[first]-times[first-1] < gap {
		first--
	}
	for last+1 < len(times) && times[last+1]-times[last] < gap {
		last++
	}
	run, longest := times[first:last+1], w.Max.Microseconds()
	if run[len(run)-1]-run[0] <= longest {
		return run[0], run[len(run)-1] + gap
	}
	cut := below(r.t, Window{Kind: Tumbling, Size: w.Max})
	start, end = 1<<62, run[len(run)-1]+gap
	for _, t := range run {
		if t >= cut {
			start = min(start, t)
		}
		if t >= cut+longest {
			end = cut + longest
		}
	}
	return start, end
}

// anyJob draws a job of any kind of window, with or without dedup.
func anyJob(random *rand.Rand) Job {
	grain := []Grain{GrainHour, GrainDay}[random.IntN(2)]
	some := func(choices ...time.Duration) time.Duration { return choices[random.IntN(len(choices))] }
	minute := time.Minute
	job := Job{Name: "j", Inputs: FromStream("s"), Grain: grain}
	if grain == GrainDay {
		minute *= 15
	}
	switch kind := []Kind{Tumbling, Hopping, Session, None}[random.IntN(4)]; kind {
	case Tumbling:
		job.Window = Window{Kind: kind, Size: some(minute, 7*minute, 60*minute, 90*minute, 300*minute)}
		job.Window.Offset = some(0, 0, time.Microsecond, job.Window.Size/4, job.Window.Size-time.Microsecond)
	case Hopping:
		job.Window = Window{Kind: kind, Every: some(10*minute, 25*minute, 60*minute, 100*minute)}
		job.Window.Size = job.Window.Every*some(1, 2, 5) + some(0, time.Microsecond, job.Window.Every/3)
		job.Window.Offset = some(0, 0, job.Window.Every/2, job.Window.Every-time.Microsecond)
	case Session:
		job.Window = Window{Kind: kind, Gap: some(5*minute, 20*minute, 70*minute)}
		job.Window.Max = job.Window.Gap*some(1, 2, 3) + some(0, time.Microsecond, minute)
		job.Window.By = [][]string{nil, {"u"}}[random.IntN(2)]
	default:
		job.Window, job.Time = Window{Kind: kind}, "event_time"
	}
	if random.IntN(2) == 0 {
		job.Dedup = &Dedup{
			Key: []string{"k"}, Keep: []Keep{KeepFirst, KeepLast}[random.IntN(2)], By: []string{"", "seq"}[random.IntN(2)],
			Within: some(0, time.Microsecond, 10*minute, 130*minute),
		}
		if job.Dedup.Within == 0 && (job.Window.Kind == Hopping || job.Window.Kind == Session) {
			job.Dedup.Within = 20 * minute
		}
	}
	return job
}

// anyRows draws rows within a few partitions around an instant, most of them at an
// edge of something, or just as far from another row as tells.
func anyRows(random *rand.Rand, job Job, around time.Time, n int) (rows []landedRow) {
	p := job.Grain.Containing(around)
	long := p.End.Sub(p.Start)
	lengths := []time.Duration{0, job.Window.Size, job.Window.Every, job.Window.Gap, job.Window.Max, job.Dedup.within(), long, long / 7}
	for i := range int64(n) {
		at := p.Start.UnixMicro() + random.Int64N(3*long.Microseconds()) - long.Microseconds()
		switch random.IntN(4) {
		case 0:
			at = ownPartition(Job{Grain: job.Grain}, at)
		case 1, 2:
			if i > 0 {
				at = rows[random.IntN(len(rows))].t
			}
		}
		if random.IntN(4) > 0 {
			by := lengths[random.IntN(len(lengths))].Microseconds()
			at += []int64{by, -by}[random.IntN(2)] + random.Int64N(3) - 1
		}
		at = min(max(at, p.Start.UnixMicro()-2*long.Microseconds()), p.End.UnixMicro()+2*long.Microseconds())
		rows = append(rows, landedRow{at, i, anyNumber(random, int64(n)/3+1), anyNumber(random, 2), anyNumber(random, 3)})
	}
	return rows
}

func anyNumber(random *rand.Rand, below int64) *int64 {
	n := random.Int64N(below + 1)
	if n == below {
		return nil
	}
	return &n
}
