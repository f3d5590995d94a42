package landing

import (
	"context"
	"maps"
	"testing"

	"strandline/internal/objstore"
)

func TestOrderedSourcesAreListedByTheBeginningOfTheirNames(t *testing.T) {
	s := open(t, objstore.NewMemory(), Options{})
	in, err := s.Begin(Source{Name: "a"})
	if err != nil {
		t.Fatal(err)
	}
	claim := Claim{Progress: []Progress{{Source: "kafka:x", From: 3, To: 5}, {Source: "kafka:y", From: 7, To: 7}, {Source: "tail:z", To: 1}}}
	if _, err := in.CommitAs(context.Background(), claim); err != nil {
		t.Fatal(err)
	}
	s.View(func(state *State) {
		got := maps.Collect(state.ProgressOf("kafka:"))
		if want := map[string]int64{"kafka:x": 5, "kafka:y": 7}; !maps.Equal(got, want) {
			t.Errorf("there are %v, want %v", got, want)
		}
	})
}
