package nexmark

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

var options = Options{Seed: 1, Events: 5000, Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Gap: 6 * time.Second, Late: time.Minute}

func TestTheSameOptionsMakeTheSameEvents(t *testing.T) {
	a, b := Events(options), Events(options)
	other := options
	other.Seed++
	c := Events(other)
	same := 0
	for i := range a {
		if !bytes.Equal(a[i].Line, b[i].Line) {
			t.Fatalf("event %d is %s and then %s", i, a[i].Line, b[i].Line)
		}
		if bytes.Equal(a[i].Line, c[i].Line) {
			same++
		}
	}
	if same > len(a)/100 {
		t.Errorf("with another seed %d of %d events are the same", same, len(a))
	}
}

// Who bids and sells has registered, and what is bid on was opened, before.
func TestEventsReferToOnesBefore(t *testing.T) {
	var persons, auctions, late int
	counted := map[Kind]int{}
	newest := options.Start
	inOrder := options
	inOrder.Late = 0
	for i, e := range Events(inOrder) {
		var of struct{ ID, Auction, Bidder, Seller int }
		if err := json.Unmarshal(e.Line, &of); err != nil {
			t.Fatalf("event %d: %v: %s", i, err, e.Line)
		}
		counted[e.Kind]++
		known := func(name string, id, n int) {
			if id < firstID || id >= firstID+n {
				t.Fatalf("event %d has %s %d of %d: %s", i, name, id, n, e.Line)
			}
		}
		switch e.Kind {
		case Persons:
			persons++
		case Auctions:
			auctions++
			known("seller", of.Seller, persons)
		case Bids:
			known("auction", of.Auction, auctions)
			known("bidder", of.Bidder, persons)
		}
	}
	if counted[Persons] != 100 || counted[Auctions] != 300 || counted[Bids] != 4600 {
		t.Errorf("of 5000 events: %v", counted)
	}
	for _, e := range Events(options) {
		if e.Time.Before(newest) {
			late++
		}
		if newest.Sub(e.Time) > options.Late {
			t.Errorf("an event of %s arrives after one of %s", e.Time, newest)
		}
		newest = later(newest, e.Time)
	}
	if late == 0 {
		t.Error("no event is out of order")
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
