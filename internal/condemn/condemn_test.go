package condemn

import (
	"encoding/json"
	"errors"
	"testing"
	"time"
)

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func TestACondemnedFileIsRefusedUntilItIsForgotten(t *testing.T) {
	var r Roll
	r.Add(Sentence{At: day, Files: []string{"a", "b"}})
	r.Add(Sentence{At: day.Add(Remembered - time.Second), Files: []string{"c"}})
	for _, id := range []string{"a", "b", "c"} {
		if err := r.Check(id); !errors.Is(err, Err) {
			t.Errorf("%s: %v, want it refused", id, err)
		}
	}
	if err := r.Check("d"); err != nil {
		t.Errorf("a file that nobody condemned is refused: %v", err)
	}
	r.Add(Sentence{At: day.Add(Remembered), Files: []string{"e"}})
	if r.Has("a") || r.Has("b") || !r.Has("c") || !r.Has("e") || len(r.Files()) != 2 {
		t.Errorf("after %v %d files are condemned, want c and e", Remembered, len(r.Files()))
	}
}

func TestASentenceOfASlowClockForgetsNothingEarlier(t *testing.T) {
	var r Roll
	r.Add(Sentence{At: day.Add(Remembered - time.Hour), Files: []string{"a"}})
	r.Add(Sentence{At: day, Files: []string{"b"}}) // the store's clock was read before a's was
	r.Add(Sentence{At: day.Add(Remembered), Files: []string{"c"}})
	if len(r.Files()) != 3 {
		t.Errorf("%d files are condemned, want all 3: b was after a", len(r.Files()))
	}
}

func TestARollIsStoredWhole(t *testing.T) {
	var r, again Roll
	r.Add(Sentence{At: day, Files: []string{"a"}})
	r.Add(Sentence{At: day.Add(time.Hour), Files: []string{"b"}})
	data, err := json.Marshal(&r)
	if err == nil {
		err = json.Unmarshal(data, &again)
	}
	if err != nil || !again.Has("a") || !again.Has("b") || len(again.Files()) != 2 {
		t.Fatalf("%s is read back as %v (%v)", data, again, err)
	}
	again.Add(Sentence{At: day.Add(Remembered)})
	if again.Has("a") || !again.Has("b") {
		t.Error("a roll that was read back forgets at another time")
	}
}

// A file is only forgotten when no writer would name it any more.
func TestAFileIsTooOldToBeNamedBeforeItsSentenceIsForgotten(t *testing.T) {
	if err := CheckAge(day, day.Add(MaxUnnamed)); err != nil {
		t.Errorf("a file of %v is refused: %v", MaxUnnamed, err)
	}
	if err := CheckAge(day, day.Add(Remembered-time.Hour)); !errors.Is(err, Err) {
		t.Errorf("a file that a sweep may have forgotten can be named: %v", err)
	}
}
