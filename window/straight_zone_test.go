package window

import (
	"math/rand/v2"
	"testing"
	"time"
)

// clockChange is where clocks of a zone are changed, or a day is left out.
type clockChange struct{ zone, at string }

var clockChanges = []clockChange{
	{"Europe/Berlin", "2026-03-29T01:00:00Z"},
	{"Europe/Berlin", "2026-10-25T01:00:00Z"},
	{"Australia/Lord_Howe", "2026-04-04T15:00:00Z"},
	{"Pacific/Apia", "2011-12-30T10:00:00Z"},
	{"America/St_Johns", "2006-10-29T02:31:00Z"},
	{"America/Havana", "2024-11-03T05:00:00Z"},
	{"America/Sao_Paulo", "2018-11-04T03:00:00Z"},
	{"Asia/Kathmandu", "1985-12-31T18:30:00Z"},
	{"Asia/Kolkata", "2026-02-28T18:30:00Z"},
}

// inZone gives a job the calendar of a zone.
func inZone(t *testing.T, random *rand.Rand, job Job, name string) Job {
	t.Helper()
	job.Grain = Grain{Units[random.IntN(4)], zoned(t, name)}
	w := &job.Window
	if w.Kind != Tumbling && w.Kind != Hopping {
		return job
	}
	w.Zone = job.Grain.Zone
	steps := []time.Duration{15 * time.Minute, time.Hour, 90 * time.Minute, 6 * time.Hour, 24 * time.Hour, 48 * time.Hour}
	step := steps[random.IntN(len(steps))]
	w.Offset = []time.Duration{0, 0, 10 * time.Minute, step - time.Minute}[random.IntN(4)]
	if w.Kind == Hopping {
		w.Every = step
		w.Size = []time.Duration{1, 2, 3}[random.IntN(3)]*step + []time.Duration{0, 0, step / 3}[random.IntN(3)]
		return job
	}
	w.Size = step
	if random.IntN(4) == 0 {
		w.Unit, w.Size = []Unit{UnitWeek, UnitMonth, UnitYear}[random.IntN(3)], 0
	}
	return job
}

// localWindows lists, in order, the windows of a zone that start in the days around t.
// It finds a day's beginning by trying every minute, of which its zone and offset have
// whole ones.
func localWindows(w Window, t int64) (windows []seenRow) {
	const minute = int64(time.Minute / time.Microsecond)
	memory := map[int64]int64{}
	begins := func(day int64) int64 {
		start, ok := memory[day]
		if ok {
			return start
		}
		wanted := day*dayMicros + w.Offset.Microseconds()
		for start = wanted - 16*60*minute; w.Zone.Local(start) < wanted; start += minute {
		}
		memory[day] = start
		return start
	}
	today, around := floorTo(t, dayMicros)/dayMicros, int64(8)
	switch w.Unit {
	case UnitMonth:
		around = 35
	case UnitYear:
		around = 370
	}
	step, size := w.step().Microseconds(), w.Size.Microseconds()
	for day := today - around; day <= today+around; day++ {
		if !opens(w, day) {
			continue
		}
		for start := begins(day); start < begins(day+max(1, step/dayMicros)); start += step {
			end := start + size
			if size%dayMicros == 0 && step%dayMicros == 0 {
				end = begins(day + size/dayMicros)
			}
			windows = append(windows, seenRow{start: start, end: end})
			if step == 0 || step >= dayMicros {
				break
			}
		}
	}
	if w.Kind == Tumbling {
		for i := range windows[1:] {
			windows[i].end = windows[i+1].start
		}
	}
	return windows
}

// opens tells whether a window may start on a day.
func opens(w Window, day int64) bool {
	date := time.Unix(day*86400, 0).UTC()
	switch w.Unit {
	case UnitWeek:
		return date.Weekday() == time.Monday
	case UnitMonth:
		return date.Day() == 1
	case UnitYear:
		return date.YearDay() == 1
	}
	days := max(1, int64(w.step()/(24*time.Hour)))
	return (day%days+days)%days == 0
}
