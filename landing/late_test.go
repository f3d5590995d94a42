package landing

import (
	"testing"
	"time"
)

func TestAnArrivalSaysOfAsManyLateStretchesAsAnEntryHasRoomFor(t *testing.T) {
	for _, quarters := range []int64{1, mostLate, mostLate + 1, 4*24*400 + 3} {
		var rows stretches
		for i := range quarters {
			rows.see(i*quarter + 7)
			rows.see(i*quarter + 3)
		}
		late := rows.late(quarters * quarter)
		if len(late) > mostLate {
			t.Errorf("%d quarters of an hour are %d stretches", quarters, len(late))
		}
		var total int64
		last := late[0].From
		for _, l := range late {
			total += l.Rows
			if l.From.Before(last) || l.Oldest.UnixMicro() != l.From.UnixMicro()+3 {
				t.Fatalf("%d quarters: %+v", quarters, l)
			}
			last = l.To
		}
		if total != 2*quarters || checkLate(late) != nil {
			t.Errorf("%d quarters have %d late rows: %v", quarters, total, checkLate(late))
		}
		if none := rows.late(3); len(none) != 0 {
			t.Errorf("what is not behind the watermark is late: %v", none)
		}
	}
}

func TestWhatLandedLateLongAgoIsForgottenAndSaidToBe(t *testing.T) {
	s := newState()
	at := time.UnixMicro(0).UTC()
	one := []LateRows{{From: at, To: at.Add(15 * time.Minute), Rows: 1, Oldest: at}}
	s.marks.high = time.Hour.Microseconds()
	for p := range Position(2*keptLate + 1) {
		s.marks.remember(one, p)
	}
	if n := len(s.marks.late); n != keptLate {
		t.Fatalf("%d are kept", n)
	}
	old, recent := s.Late(at, at.Add(time.Hour), 0), s.Late(at, at.Add(time.Hour), s.marks.forgotten)
	if !old.Forgotten || recent.Forgotten || recent.Rows != keptLate {
		t.Errorf("of all %+v, since %d %+v", old, s.marks.forgotten, recent)
	}
}
