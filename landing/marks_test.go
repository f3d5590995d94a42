package landing

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/objstore"
	"strandline/internal/packed"
)

// byWay lands rows of event times, in minutes since the clock's noon, by a way in.
func byWay(t *testing.T, s *Stream, way string, minutes ...int) Result {
	t.Helper()
	in, err := s.Begin(Source{Name: fmt.Sprint(way, minutes), Way: way})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Abort()
	for i, m := range minutes {
		check(t, in.Add(row(noon.Add(time.Duration(m)*time.Minute).UnixMicro(), int64(i))))
	}
	result, err := in.CommitAs(t.Context(), Claim{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// testClock is set by hand.
type testClock struct{ time.Time }

func (c *testClock) now() time.Time { return c.Time }

// to sets the clock to minutes after noon.
func (c *testClock) to(minutes int) { c.Time = noon.Add(time.Duration(minutes) * time.Minute) }

func watermarked(t *testing.T) (*Stream, *testClock) {
	clock := &testClock{noon}
	return open(t, objstore.NewMemory(), Options{Now: clock.now}), clock
}

// wantWatermark is where it must be, in minutes after noon; -1000 where there is none.
func wantWatermark(t *testing.T, s *Stream, clock *testClock, want int) {
	t.Helper()
	s.View(func(state *State) {
		at, known := state.Watermark(clock.Time)
		got := -1000
		if known {
			got = int(at.Sub(noon) / time.Minute)
		}
		if got != want {
			t.Errorf("at %v the watermark is %d minutes after noon, want %d", clock.Time, got, want)
		}
	})
}

func TestTheWatermarkIsThatOfTheWayInThatIsFurthestBehind(t *testing.T) {
	s, clock := watermarked(t)
	byWay(t, s, "", -5) // nobody knows how
	wantWatermark(t, s, clock, -1000)
	byWay(t, s, "a", -2, -30)
	wantWatermark(t, s, clock, -12)
	byWay(t, s, "b", -20)
	wantWatermark(t, s, clock, -12) // it never goes back
	clock.to(5)
	byWay(t, s, "a", 5)
	byWay(t, s, "c", 5)
	wantWatermark(t, s, clock, -12) // b holds it
	byWay(t, s, "b", 1)
	wantWatermark(t, s, clock, -9)
}

func TestAWayInThatIsSilentHoldsTheWatermarkUntilItIsIdle(t *testing.T) {
	s, clock := watermarked(t)
	byWay(t, s, "b", 0)
	clock.to(14)
	byWay(t, s, "a", 14)
	wantWatermark(t, s, clock, -10)
	clock.to(15) // b is silent
	wantWatermark(t, s, clock, 4)
	clock.to(28)
	wantWatermark(t, s, clock, 4)
	clock.to(29) // both are: it follows the clock
	wantWatermark(t, s, clock, 4)
	clock.to(60)
	wantWatermark(t, s, clock, 35)
	byWay(t, s, "b", 3) // late
	wantWatermark(t, s, clock, 35)
	s.View(func(state *State) {
		for _, w := range state.WaysIn(clock.Time) {
			if w.Silent != (w.Name == "a") {
				t.Errorf("%+v", w)
			}
		}
	})
}

func TestEventTimesFarAheadDoNotMoveTheWatermark(t *testing.T) {
	s, clock := watermarked(t)
	result := byWay(t, s, "a", 60, 61, 60*24*365)
	if result.Rows() != 3 {
		t.Fatalf("%d rows landed", result.Rows())
	}
	wantWatermark(t, s, clock, 50)
	s.View(func(state *State) {
		if w := state.WaysIn(clock.Time); len(w) != 1 || w[0].Ahead != 2 {
			t.Errorf("%+v", w)
		}
	})
	byWay(t, s, "b", 1000) // of which nothing is known but that it is there
	clock.to(10)
	byWay(t, s, "a", 65)
	wantWatermark(t, s, clock, 50)
	clock.to(15)
	wantWatermark(t, s, clock, 55)
}

func TestARuleIsRecordedOnceAndTakesNothingBack(t *testing.T) {
	s, clock := watermarked(t)
	check(t, s.DeclareWatermark(t.Context())) // the default is no entry
	byWay(t, s, "a", 0)
	wantWatermark(t, s, clock, -10)
	s.spec.Watermark = Watermark{Delay: time.Hour, Idle: time.Minute, Skew: time.Minute}
	check(t, s.DeclareWatermark(t.Context()))
	check(t, s.DeclareWatermark(t.Context()))
	wantWatermark(t, s, clock, -10)
	byWay(t, s, "a", 1, 2)
	wantWatermark(t, s, clock, -10)
	s.spec.Watermark.Delay = time.Minute
	check(t, s.DeclareWatermark(t.Context()))
	wantWatermark(t, s, clock, 0)
	if n := len(entries(t, s.store)); n != 4 {
		t.Errorf("%d entries, want two arrivals and two rules", n)
	}
}

func TestRowsAreLateWhenTheWatermarkHadPassedTheirEnd(t *testing.T) {
	s, clock := watermarked(t)
	byWay(t, s, "a", 0)   // 0: at -10
	byWay(t, s, "a", 20)  // 1: at 10
	byWay(t, s, "a", -50) // 2
	clock.to(90)          // follows the clock: 65
	byWay(t, s, "a", 30)  // 3
	s.View(func(state *State) {
		for minute, want := range map[int]Position{-11: 1, -10: 1, -9: 2, 10: 2, 11: 3, 65: 3, 66: 4} {
			if got := state.ClosedFrom(noon.Add(time.Duration(minute) * time.Minute)); got != want {
				t.Errorf("what ends %d minutes after noon is closed from position %d, want %d", minute, got, want)
			}
		}
		if late := state.Late(noon.Add(-time.Hour), noon.Add(-45*time.Minute), 0); late != (Late{Rows: 1, Sure: 1, By: time.Hour}) {
			t.Errorf("%+v", late)
		}
		if late := state.Late(noon.Add(30*time.Minute), noon.Add(45*time.Minute), 0); late != (Late{Rows: 1, Sure: 1, By: 35 * time.Minute}) {
			t.Errorf("%+v", late)
		}
		for _, none := range []Late{
			state.Late(noon.Add(-time.Hour), noon.Add(-45*time.Minute), 3),    // it is older
			state.Late(noon, noon.Add(30*time.Minute), 0),                     // nobody is late
			state.Late(noon.Add(30*time.Minute), noon.Add(66*time.Minute), 0), // which was open
		} {
			if none != (Late{}) {
				t.Errorf("%+v", none)
			}
		}
	})
}

// randomHistory lands, at random times that mostly go on, by few ways in.
func randomHistory(t *testing.T, random *rand.Rand, s *Stream, clock *testClock) {
	for i := range 60 {
		clock.Time = clock.Time.Add(time.Duration(random.IntN(1400)-60) * time.Second)
		var minutes []int
		for range 1 + random.IntN(3) {
			minutes = append(minutes, int(clock.Sub(noon).Minutes())-random.IntN(90)+random.IntN(90))
		}
		switch random.IntN(12) {
		case 0:
			s.spec.Watermark = Watermark{Delay: time.Duration(random.IntN(3)) * time.Hour / 4, Idle: time.Duration(1+random.IntN(30)) * time.Minute, Skew: time.Duration(random.IntN(60)) * time.Minute}
			check(t, s.DeclareWatermark(t.Context()))
		case 1:
			byWay(t, s, "", minutes...)
		default:
			byWay(t, s, fmt.Sprint("way", random.IntN(4)), minutes...)
		}
		if i%7 == 0 { // what is late follows from what came, and not from when it was looked at
			wantNoStepBack(t, s, clock)
		}
	}
}

func wantNoStepBack(t *testing.T, s *Stream, clock *testClock) {
	t.Helper()
	s.View(func(state *State) {
		last := int64(never)
		for minutes := range 120 {
			at := state.marks.at(clock.Add(time.Duration(minutes) * time.Minute).UnixMicro())
			if at < last {
				t.Fatalf("the watermark goes back as time goes on, by %v", time.Duration(last-at)*time.Microsecond)
			}
			last = at
		}
	})
}

// TestTheWatermarkIsTheSameWhoeverFoldsTheLog folds random histories at once, and from a
// checkpoint at every entry.
func TestTheWatermarkIsTheSameWhoeverFoldsTheLog(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 5))
		s, clock := watermarked(t)
		randomHistory(t, random, s, clock)
		history := entries(t, s.store)
		whole := newState()
		for i, e := range history {
			before := throughCheckpoint(t, whole)
			check(t, whole.Apply(e))
			if was, is := before.marks.at(whole.marks.clock), whole.marks.at(whole.marks.clock); is < was {
				t.Fatalf("seed %d: entry %d takes the watermark back from %d to %d", seed, i+1, was, is)
			}
			resumed := throughCheckpoint(t, whole)
			for _, e := range history[i+1:] {
				check(t, resumed.Apply(e))
			}
			s.View(func(state *State) {
				if !reflect.DeepEqual(resumed.marks, state.marks) {
					t.Fatalf("seed %d: from a checkpoint at entry %d the marks are\n%+v, want\n%+v", seed, i+1, resumed.marks, state.marks)
				}
			})
		}
	}
}

func throughCheckpoint(t *testing.T, state *State) *State {
	t.Helper()
	data, err := state.AppendBinary(nil)
	check(t, err)
	read := newState()
	check(t, read.UnmarshalBinary(data))
	return read
}

// drawnSteps are steps of which many fall into one quarter, and more than are kept.
func drawnSteps(t *rapid.T) (list []step) {
	s := step{}
	for range rapid.IntRange(0, 3*exactSteps).Draw(t, "steps") {
		s.from += Position(rapid.IntRange(0, 2).Draw(t, "rows"))
		s.at += rapid.Int64Range(1, quarter/3).Draw(t, "on")
		list = append(list, s)
	}
	return list
}

func TestStepsAreTheSameWhereverCheckpointsLie(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var straight, read steps
		for _, s := range drawnSteps(t) {
			straight.add(s)
			read.add(s)
			if rapid.IntRange(0, 40).Draw(t, "checkpoint") == 0 {
				read = readSteps(packed.NewReader(packedSteps(read)))
			}
		}
		if !bytes.Equal(packedSteps(read), packedSteps(straight)) {
			t.Fatalf("%v, want %v", read, straight)
		}
		high := int64(never)
		if n := straight.len(); n > 0 {
			high = straight.at(n - 1).at
		}
		if err := read.check(high); err != nil {
			t.Fatal(err)
		}
		for i := range straight.len() {
			if at := straight.at(i); read.passed(at.at, -1) != at.from {
				t.Fatalf("%v was passed at %d", at, read.passed(at.at, -1))
			}
		}
	})
}

func TestStepsThatDoNotGoUpAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		list []step
		high int64
		want bool
	}{
		"right":             {[]step{{0, -5}, {3, 0}, {4, 9}}, 9, true},
		"none":              {nil, never, true},
		"of no step":        {nil, 9, false},
		"elsewhere":         {[]step{{0, 5}}, 9, false},
		"a position twice":  {[]step{{3, 5}, {3, 9}}, 9, false},
		"a time twice":      {[]step{{3, 9}, {4, 9}}, 9, false},
		"before all":        {[]step{{-1, 9}}, 9, false},
		"positions go back": {[]step{{3, 5}, {2, 9}}, 9, false},
	} {
		l := steps{newest: c.list}
		if err := l.check(c.high); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOldStepsOfTheWatermarkAreKeptByTheQuarter(t *testing.T) {
	var l steps
	minute := int64(time.Minute / time.Microsecond)
	const many = 40_000
	for i := range int64(many) {
		l.add(step{Position(i), i * minute})
	}
	if most := exactSteps + many/15 + 2; l.len() > most {
		t.Errorf("%d steps are kept, want at most %d", l.len(), most)
	}
	for i := range int64(many) {
		got, want := l.passed(i*minute, many), Position(i)
		if i < many-exactSteps { // then by the next quarter at the latest
			if got < want || got >= want+15 {
				t.Fatalf("minute %d was passed at position %d", i, got)
			}
		} else if got != want {
			t.Fatalf("minute %d was passed at position %d", i, got)
		}
	}
}

func TestMarksThatCanNotBeAreCorrupt(t *testing.T) {
	s, _ := watermarked(t)
	byWay(t, s, "a", 0)
	first := entries(t, s.store)[0]
	for name, change := range map[string]func(*Commit){
		"marks out of order":   func(c *Commit) { c.Marks = append(c.Marks, Mark{Way: "a"}) },
		"a way without a name": func(c *Commit) { c.Marks[0].Way = "" },
		"a name of no text":    func(c *Commit) { c.Marks[0].Way = "\xff" },
		"fewer than none":      func(c *Commit) { c.Marks[0].Ahead = -1 },
		"a far millennium":     func(c *Commit) { c.Marks[0].Latest = time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"no time":              func(c *Commit) { c.MarkedAt = time.Time{} },
		"nothing wrong":        func(*Commit) {},
	} {
		changed, err := decodeChange(first.Body)
		check(t, err)
		c := changed.(*Commit)
		change(c)
		if err := c.follows(newState()); (err == nil) != (name == "nothing wrong") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhoDoesNotDecideByMarksStillRefusesThem(t *testing.T) {
	// A program that knew of no marks took a body without a name around it, or "claimed".
	s, _ := watermarked(t)
	byWay(t, s, "a", 0)
	c, err := decodeChange(entries(t, s.store)[0].Body)
	check(t, err)
	if r := c.(*Commit).record(); r.Commit != nil || r.Claimed != nil || r.Marked == nil {
		t.Errorf("%+v", r)
	}
}
