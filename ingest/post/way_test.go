package post

import (
	"testing"
	"time"

	"strandline/ingest"
	"strandline/internal/objstore"
	"strandline/landing"
)

func TestPostsAreAWayIn(t *testing.T) {
	store := objstore.NewMemory()
	s := serve(t, store, nil)
	s.post(ndjson, line("a"))
	stream := openStream(t, store)
	if err := stream.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream.View(func(state *landing.State) {
		if ways := state.WaysIn(time.Now()); len(ways) != 1 || ways[0].Name != ingest.WayHTTP {
			t.Errorf("the ways in are %+v", ways)
		}
	})
}
