package window_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/zone"
	"strandline/window"
)

// Any so many partitions one after the other are one in each shard, or two where a block ends among them.
func TestABlockOfPartitionsIsOneInEachShard(t *testing.T) {
	day := window.Grain{Unit: window.UnitDay}
	for _, shards := range []int{1, 2, 7, 12, 100} {
		p := day.Containing(time.Unix(0, 0))
		for p.Ordinal() != int64(-3*shards) { // also before 1970
			p = day.Containing(p.Start.AddDate(0, 0, -1))
		}
		for block := range 6 {
			in := make([]int, shards)
			for range shards {
				for i := range shards {
					if (window.Shard{Index: i, Of: shards}).Has(p) {
						in[i]++
					}
				}
				p = p.Next()
			}
			if slices.Min(in) != 1 || slices.Max(in) != 1 {
				t.Errorf("block %d of %d partitions is %v in the shards", block, shards, in)
			}
		}
	}
}

// Each partition belongs to just one shard, and a contiguous range is shared evenly, whatever
// the calendar does.
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
			if n > partitions/shards+6 || n < partitions/shards-6 {
				t.Fatalf("shard %d of %d has %d of %d partitions by %s", i, shards, n, partitions, g)
			}
		}
		if all != partitions {
			t.Fatalf("%d partitions are %d in all shards", partitions, all)
		}
	})
}

// What has rows in every so many-th partition alone is shared about evenly too, by any number of shards:
// no shard has more than about half as much again as its part, and none is left with next to nothing.
func TestShardsOfWhatIsPeriodicAreEven(t *testing.T) {
	periods := []int{7 * 24, 14 * 24, 30 * 24, 96, 7 * 96, 365, 365 * 24} // of hours, quarters and days
	for period := 1; period <= 48; period++ {
		periods = append(periods, period)
	}
	// By multiples of the golden ratio these would be all on few shards: numbers of Fibonacci, and of Lucas.
	periods = append(periods, 55, 76, 89, 123, 144, 199, 233, 322, 377, 521, 610, 843, 987, 1364, 1597, 2207, 2584, 4181, 6765)
	const partitions = 1_000
	hour := window.Grain{Unit: window.UnitHour}
	for _, period := range periods {
		for shards := 2; shards <= 32; shards++ {
			in := make([]int, shards)
			for i := range partitions {
				p := hour.Containing(time.Date(2026, 1, 1, i*period, 0, 0, 0, time.UTC))
				for j := range shards {
					if (window.Shard{Index: j, Of: shards}).Has(p) {
						in[j]++
					}
				}
			}
			if least, most := slices.Min(in), slices.Max(in); most*shards > 16*partitions/10 || least*shards < 3*partitions/10 {
				t.Errorf("of %d partitions, %d apart, %d shards have %v", partitions, period, shards, in)
			}
		}
	}
}

// The shard of a partition is that for all processes of an array, also of other builds.
func TestShardsStayAsTheyAre(t *testing.T) {
	day := window.Grain{Unit: window.UnitDay}
	var got []int
	for i := range 12 {
		p := day.Containing(time.Date(1969, 12, 28+i, 0, 0, 0, 0, time.UTC))
		for j := range 4 {
			if (window.Shard{Index: j, Of: 4}).Has(p) {
				got = append(got, j)
			}
		}
	}
	if want := []int{1, 2, 3, 0, 2, 3, 0, 1, 0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("twelve days from 1969-12-28 are in shards %v, want %v", got, want)
	}
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
