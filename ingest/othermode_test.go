package ingest

import (
	"errors"
	"os"
	"testing"
	"time"
)

func TestFolderThatChangesItsModeLandsNothingAgain(t *testing.T) {
	l := newLogs(t)
	whole := StreamLander{Stream: l.stream, Landed: func(Outcome) error { return nil }}
	l.write("a.log", logLines("1", "2"))
	if _, err := whole.Land(t.Context(), File{Path: l.path("a.log"), Name: "a.log"}); err != nil {
		t.Fatal(err)
	}
	l.write("a.log", logLine("3"))
	l.write("b.log", logLine("4"))
	for range 3 {
		l.landAll()
		l.write("a.log", logLine("5"))
	}
	l.holds("1", "2", "4")
	if len(l.reports) != 1 {
		t.Errorf("told %q, want once that a.log has landed", l.reports)
	}
	_, err := whole.Land(t.Context(), File{Path: l.path("b.log"), Name: "b.log"})
	if !errors.Is(err, ErrLandedTailed) || !errors.Is(err, ErrInput) {
		t.Errorf("a log that was tailed, as a whole file: got %v, want ErrLandedTailed", err)
	}
}

// A clock that is wrong somewhere else holds nothing up.
func TestLogOfTheFutureLands(t *testing.T) {
	l := newLogs(t)
	l.write("a.log", logLines("same", "1", "2", "3"))
	l.landAll()
	l.write("b.log", logLines("same", "4"))
	if err := os.Chtimes(l.path("b.log"), time.Time{}, time.Now().Add(1000*time.Hour)); err != nil {
		t.Fatal(err)
	}
	l.lander.Report = func(name string, err error) { t.Errorf("%s: %v", name, err) }
	l.land("b.log", nil)
	if arrivals, _ := countArrived(l.stream); arrivals != 2 {
		t.Errorf("%d arrivals, want that of the log with a time to come too", arrivals)
	}
}

// Where the new file may be seen to be one, what is taken for landed is told.
func TestNewLogOfTheOldLinesIsTold(t *testing.T) {
	l := newLogs(t)
	l.write("a.log", logLines("", "", ""))
	l.landAll()
	l.write("new", logLines("", "", "", "", ""))
	l.rename("new", "a.log")
	l.landAll()
	l.landAll()
	if len(l.reports) != 1 {
		t.Errorf("told %q, want once that only what is behind the old lines lands", l.reports)
	}
}
