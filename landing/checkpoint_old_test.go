package landing

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/packed"
)

// packValues writes buckets as older programs did.
func packValues(w *packed.Writer, list []Bucket) {
	w.Uint(uint64(len(list)))
	before := int64(0)
	for _, b := range list {
		w.Int(b.Hour - before)
		w.Int(b.Rows)
		w.Sum(b.Sum)
		w.Sum(b.Moment)
		before = b.Hour
	}
}

func packStepValues(w *packed.Writer, list []step) {
	w.Uint(uint64(len(list)))
	before := step{}
	for _, s := range list {
		w.Int(int64(s.from - before.from))
		w.Int(s.at - before.at)
		before = s
	}
}

func TestBucketsAndStepsOfOlderCheckpointsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawnBuckets(t)
		var went steps
		for _, s := range drawnSteps(t) {
			went.add(s)
		}
		var w packed.Writer
		packValues(&w, list)
		packStepValues(&w, went.newest)
		r := packed.NewReader(w.Bytes)
		buckets, read := unpackBuckets(r), unpackSteps(r)
		if err := r.Done(); err != nil {
			t.Fatal(err)
		}
		if !buckets.Equal(BucketsOf(list)) || !bytes.Equal(packedSteps(read), packedSteps(went)) {
			t.Fatalf("%v and %v, want %v and %v", buckets.List(), read, list, went)
		}
	})
}

func packedSteps(l steps) []byte {
	var w packed.Writer
	l.pack(&w)
	return w.Bytes
}

// The file is the state that a program of the older layout wrote of seven arrivals of
// three rows each.
func TestAStateOfTheOlderLayoutIsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "state-of-values.bin"))
	check(t, err)
	old := newState()
	check(t, old.UnmarshalBinary(data))
	read := throughCheckpoint(t, old)
	for what, state := range map[string]*State{"as it is": old, "written anew": read} {
		input := state.InputOf(Hours{0, 1 << 40})
		at, _ := state.Watermark(noon)
		if len(state.Segments()) != 7 || input.Rows != 21 || input.Digest.String() != "29f6c0325a7e7a9ec94d86a9f7b785ae7c4a284e980a96f4960c598e016538e6" {
			t.Errorf("%s: %d segments of %+v", what, len(state.Segments()), input)
		}
		if state.marks.steps.len() != 6 || state.marks.steps.at(1) != (step{6, 1772627700000000}) || at != noon.Add(155*time.Minute) {
			t.Errorf("%s: the steps are %v, and the watermark %v", what, state.marks.steps, at)
		}
	}
}

// The file is the state that a program of before packing wrote of four arrivals of three
// rows each, the first three of which have expired, and a reject.
func TestAStateOfJSONIsRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "state-of-json.bin"))
	check(t, err)
	old := newState()
	check(t, old.UnmarshalBinary(data))
	for what, state := range map[string]*State{"as it is": old, "written anew": throughCheckpoint(t, old)} {
		input := state.InputOf(Hours{-100, 1 << 40})
		n, rejects := state.Arrived()
		if len(state.Segments()) != 1 || input.Rows != 12 || input.Digest.String() != "b9b1575647ec42c8e44e6d83da79b6cd325980529e70288d47c058d5d17196e0" {
			t.Errorf("%s: %d segments of %+v", what, len(state.Segments()), input)
		}
		if state.Next() != 12 || state.ExpiredUpTo() != 9 || n != 4 || rejects != 1 || *state.eventTime != spec.EventTime {
			t.Errorf("%s: it ends at %d, expired up to %d, has %d arrivals with %d rejects, by %v", what, state.Next(), state.ExpiredUpTo(), n, rejects, state.eventTime)
		}
	}
	if old.segments[0].Merged {
		t.Error("a segment of one arrival was taken for a merged one")
	}
	for cut := range len(data) {
		if err := newState().UnmarshalBinary(data[:cut]); err == nil {
			t.Errorf("of %d bytes %d were enough", len(data), cut)
		}
	}
}

func TestOfAStateOfJSONSegmentsOfSeveralArrivalsAreMerged(t *testing.T) {
	arrivals := []Arrival{{To: 3}, {From: 3, To: 3}, {From: 3, To: 6}, {From: 6, To: 9}}
	segments := []*Segment{{Base: 0, Rows: 3}, {Base: 3, Rows: 2}, {Base: 5, Rows: 1}, {Base: 3, Rows: 4}, {Base: 0, Rows: 9}}
	markMerged(segments, arrivals)
	for i, want := range []bool{false, false, false, true, true} {
		if segments[i].Merged != want {
			t.Errorf("segment [%d, %d) is merged: %v", segments[i].Base, segments[i].End(), !want)
		}
	}
}

func TestAStateOfALaterLayoutIsRefused(t *testing.T) {
	var w packed.Writer
	w.Text(`{"layout":2}`)
	if err := newState().UnmarshalBinary(w.Bytes); err == nil {
		t.Error("it was read")
	}
}
