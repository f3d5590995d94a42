package landing

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

func TestAFileOfOtherColumnsIsNoFileOfRejects(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	in, err := s.Begin(Source{Name: "a"})
	check(t, err)
	check(t, in.Reject(Reject{SourcePosition: 3, Reason: "no JSON", Raw: []byte("{")}))
	_, err = in.Commit(t.Context(), identity("a"))
	check(t, err)
	listed, err := store.List(t.Context(), "landing/s/rejects/", "", 2)
	if err != nil || len(listed) != 1 {
		t.Fatalf("there are %v, %v", listed, err)
	}
	text := datafile.Type{Kind: datafile.Varchar}
	for name, columns := range map[string][]datafile.Column{
		"fewer": {{Name: ColumnSource, Type: text}},
		"other": {{Name: ColumnSource, Type: text}, {Name: ColumnSourcePosition, Type: text}, {Name: "reason", Type: text}, {Name: "raw", Type: text}},
	} {
		path := filepath.Join(t.TempDir(), "other.parquet")
		data := make([][]datafile.Value, len(columns))
		for i := range data {
			data[i] = []datafile.Value{parquet.ByteArrayValue([]byte("x"))}
		}
		_, err := datafile.Write(path, columns, data, []int{1})
		check(t, err)
		check(t, store.Delete(t.Context(), listed[0].Key))
		check(t, store.Upload(t.Context(), listed[0].Key, path))
		files := localfile.New(store, t.TempDir(), 0)
		err = s.Rejects(t.Context(), files, func(LandedReject) error { return nil })
		if !errors.Is(err, datafile.ErrCorrupt) {
			t.Errorf("%s columns: %v, want datafile.ErrCorrupt", name, err)
		}
		check(t, os.Remove(path))
	}
}

func TestRejectsKeepTheirSourceAndWhatIsNeededToReadThemAgain(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	in, err := s.Begin(Source{Name: "a"})
	check(t, err)
	want := []LandedReject{
		{Source: "a", Reject: Reject{SourcePosition: 3, Reason: "no JSON", Raw: []byte("{")}},
		{Source: "b", Reject: Reject{SourcePosition: 1, Reason: "cells", Raw: []byte("1,2"), Format: "csv", Context: "id,at"}},
		{Source: "c", Reject: Reject{SourcePosition: 9, Reason: "long", Raw: []byte("x"), Cut: true}},
	}
	for _, r := range want {
		if r.Source != "a" {
			in.From(r.Source)
		}
		check(t, in.Reject(r.Reject))
	}
	_, err = in.Commit(t.Context(), identity("a"))
	check(t, err)
	var got []LandedReject
	check(t, s.Rejects(t.Context(), localfile.New(store, t.TempDir(), 0), func(r LandedReject) error {
		if r.File == "" || r.Record != int64(len(got)) {
			t.Errorf("reject %d is record %d of file %q", len(got), r.Record, r.File)
		}
		r.LandedAt, r.File, r.Record = time.Time{}, "", 0
		got = append(got, r)
		return nil
	}))
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("rejects are read back as %+v, want %+v", got, want)
	}
}

func TestAFileWithFewerRejectsThanLandedAgainIsFoundOut(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{})
	file := rejecting(t, s, "a", 2)
	path := filepath.Join(t.TempDir(), "rejects.parquet")
	check(t, store.Download(t.Context(), RejectKey("s", file), path))
	a := Arrival{Name: "a", Rejects: 9, RejectFiles: []string{file, "another"}} // so that the log does not know how many the file has
	for last, good := range map[int64]bool{2: true, 3: false} {
		state := newState()
		state.foldRetried([]Retried{{File: file, Records: []Span{{0, last}}}})
		if err := state.CheckRejects(a, file, path); (err == nil) != good || !good && !errors.Is(err, datafile.ErrCorrupt) {
			t.Errorf("where record %d landed again: %v", last, err)
		}
	}
}

func TestFilesOfRejectsWrittenBeforeTheyHadAContextAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.parquet")
	_, err := datafile.Write(path, rejectColumns[:firstRejectColumns], [][]datafile.Value{
		{parquet.ByteArrayValue([]byte("a"))}, {parquet.Int64Value(7)}, {parquet.ByteArrayValue([]byte("why"))}, {parquet.ByteArrayValue([]byte("raw"))},
	}, []int{1})
	check(t, err)
	var got []Reject
	check(t, scanRejectFile(path, func(r Reject, _ string) error {
		r.Raw = slices.Clone(r.Raw)
		got = append(got, r)
		return nil
	}))
	if want := []Reject{{SourcePosition: 7, Reason: "why", Raw: []byte("raw")}}; !reflect.DeepEqual(got, want) {
		t.Fatalf("read %+v, want %+v", got, want)
	}
}
