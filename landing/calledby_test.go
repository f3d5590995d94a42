package landing

import (
	"fmt"
	"slices"
	"testing"

	"strandline/internal/objstore"
)

// The first sources of an arrival stay with it, in checkpoints and archives too.
func TestSourcesStayKnown(t *testing.T) {
	store := objstore.NewMemory()
	s := open(t, store, Options{ArchiveArrivals: 4})
	for i := range 11 {
		in, err := s.Begin(Source{Name: "http"})
		check(t, err)
		for k := range i + 1 {
			in.From(fmt.Sprintf("http:%d:%d", i, k))
			check(t, in.Add(row(int64(i), int64(k))))
		}
		id, err := freshIdentity()
		check(t, err)
		_, err = in.Commit(t.Context(), id)
		check(t, err)
	}
	if archives, left := archivesOf(s); len(archives) != 1 || left != 7 {
		t.Fatalf("%d archives, and %d left", len(archives), left)
	}
	state := newState()
	s.View(func(now *State) {
		data, err := now.AppendBinary(nil)
		check(t, err)
		check(t, state.UnmarshalBinary(data))
	})
	for _, list := range [][]Arrival{arrivals(t, s), arrivals(t, open(t, store, Options{}))} {
		for i, a := range list {
			want := []string{fmt.Sprintf("http:%d:0", i), fmt.Sprintf("http:%d:1", i), fmt.Sprintf("http:%d:2", i)}[:min(i+1, 3)]
			if more := int64(max(0, i-2)); !slices.Equal(a.Sources, want) || a.MoreSources != more {
				t.Errorf("arrival %d has the sources %q and %d more", i, a.Sources, a.MoreSources)
			}
		}
		if text := list[4].CalledBy(); text != "http:4:0, http:4:1, http:4:2 and 2 more" {
			t.Errorf("it is called %s", text)
		}
	}
	for i, a := range state.arrivals {
		if len(a.Sources) != 3 || a.MoreSources != int64(i+4-2) {
			t.Errorf("in a checkpoint arrival %d has the sources %q and %d more", i+4, a.Sources, a.MoreSources)
		}
	}
}
