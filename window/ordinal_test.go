package window_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/zone"
	"strandline/window"
)

// Each partition belongs to just one shard, and a contiguous range is shared evenly:
// whatever the calendar does, an ordinal is at most one away from that of its neighbour.
func TestShardsAreDisjointCompleteAndEven(t *testing.T) {
	zones := []zone.Zone{{}}
	for _, name := range []string{"Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo"} {
		z, err := zone.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, z)
	}
	rapid.Check(t, func(t *rapid.T) {
		g := window.Grain{Unit: rapid.SampledFrom(window.Units).Draw(t, "unit"), Zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		shards := rapid.IntRange(1, 12).Draw(t, "shards")
		from := time.Unix(rapid.Int64Range(-2e9, 4e9).Draw(t, "from"), 0)
		in := make([]int, shards)
		p := g.Containing(from)
		const partitions = 200
		for range partitions {
			for i := range shards {
				if (window.Shard{Index: i, Of: shards}).Has(p) {
					in[i]++
				}
			}
			next := p.Next()
			if step := next.Ordinal() - p.Ordinal(); step < 0 || step > 2 {
				t.Fatalf("%s by %s has the ordinal %d, and the next %d", p, g, p.Ordinal(), next.Ordinal())
			}
			p = next
		}
		all := 0
		for i, n := range in {
			all += n
			if n > partitions/shards+8 || n < partitions/shards-8 {
				t.Fatalf("shard %d of %d has %d of %d partitions by %s", i, shards, n, partitions, g)
			}
		}
		if all != partitions {
			t.Fatalf("%d partitions are %d in all shards", partitions, all)
		}
	})
}

func TestOrdinalsOfTheCalendarCountOneByOne(t *testing.T) {
	for _, unit := range window.Units {
		g := window.Grain{Unit: unit}
		p := g.Containing(time.Date(1967, 12, 28, 12, 0, 0, 0, time.UTC))
		for range 200 {
			next := p.Next()
			if next.Ordinal() != p.Ordinal()+1 {
				t.Errorf("%s has the ordinal %d, and %s %d", p, p.Ordinal(), next, next.Ordinal())
			}
			p = next
		}
	}
}
