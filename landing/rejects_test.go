package landing

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
