package manifests

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"strandline/internal/packed"
)

// Whatever is done to them, packed or not, receipts are what a map would be, and those
// that were changed to others are as they were.
func TestReceiptsAreAMapThatNeverChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, model := receipts{}, map[string]int64{}
		if rapid.Bool().Draw(t, "many") {
			now, model = manyReceipts(rapid.IntRange(1, 4*receiptsChunk).Draw(t, "receipts"))
		}
		before, was := now, maps.Clone(model)
		for range rapid.IntRange(1, 40).Draw(t, "changes") {
			name := partitionName(rapid.IntRange(0, 5*receiptsChunk).Draw(t, "partition"))
			switch rapid.SampledFrom([]string{"add", "remove", "reread"}).Draw(t, "change") {
			case "add":
				rows := rapid.Int64().Draw(t, "rows")
				now = now.with(plainReceipt(name, rows))
				model[name] = rows
			case "remove":
				now = now.without(name)
				delete(model, name)
			default:
				now = reread(t, now)
			}
		}
		same(t, now, model)
		same(t, before, was)
	})
}

// reread returns receipts as they come out of a checkpoint. What is written does not
// depend on how they lie in chunks, or on which of these are packed.
func reread(t *rapid.T, s receipts) receipts {
	t.Helper()
	var list []Receipt
	for r := range s.all() {
		list = append(list, *r)
	}
	written := packedBytes(t, s)
	if !bytes.Equal(written, packedBytes(t, receiptsOf(list))) {
		t.Fatal("the same receipts are written in two ways")
	}
	again, err := unpackReceipts(packed.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func packedBytes(t *rapid.T, s receipts) []byte {
	t.Helper()
	var w packed.Writer
	if err := packReceipts(&w, s); err != nil {
		t.Fatal(err)
	}
	return w.Bytes
}

func plainReceipt(partition string, rows int64) Receipt {
	return Receipt{Partition: partition, Start: day(1), End: day(2), Rows: rows}
}

func partitionName(n int) string { return fmt.Sprintf("%05d", n) }

func manyReceipts(n int) (receipts, map[string]int64) {
	var list []Receipt
	model := map[string]int64{}
	for i := range n {
		list = append(list, plainReceipt(partitionName(i), int64(i)))
		model[partitionName(i)] = int64(i)
	}
	return receiptsOf(list), model
}

func same(t *rapid.T, s receipts, model map[string]int64) {
	t.Helper()
	var names []string
	for r := range s.all() {
		names = append(names, r.Partition)
		if rows, there := model[r.Partition]; !there || rows != r.Rows || !is(s, *r) {
			t.Fatalf("partition %s has %d rows, want %d", r.Partition, r.Rows, rows)
		}
	}
	if !slices.Equal(names, slices.Sorted(maps.Keys(model))) || s.len != len(model) {
		t.Fatalf("there are %d receipts, %v, want %d", s.len, names, len(model))
	}
	for i, chunk := range s.chunks {
		if chunk.len() == 0 || chunk.len() > receiptsChunk {
			t.Fatalf("chunk %d has %d receipts", i, chunk.len())
		}
	}
}

// is tells whether r is the receipt of its partition.
func is(s receipts, r Receipt) bool {
	got, there := s.get(r.Partition)
	return there && got.equal(r)
}

// Whatever the interval, what has a part in it is what a look at all would find.
func TestPartitionsAreFoundByTheirTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []Receipt
		for i := range rapid.IntRange(0, 3*receiptsChunk).Draw(t, "days") {
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				list = append(list, Receipt{Partition: partitionName(i), Start: day(i), End: day(i + 1)})
			}
		}
		s := receiptsOf(list)
		if rapid.Bool().Draw(t, "packed") {
			s = reread(t, s)
		}
		halves := func(most int, what string) time.Duration { // of days, so that edges meet
			return time.Duration(rapid.IntRange(-4, 2*most).Draw(t, what)) * 12 * time.Hour
		}
		start := day(0).Add(halves(3*receiptsChunk, "start"))
		end := start.Add(halves(2*receiptsChunk, "length"))
		var want, got []string
		for _, r := range list {
			if start.Before(end) && r.Start.Before(end) && start.Before(r.End) {
				want = append(want, r.Partition)
			}
		}
		for p := range s.within(start, end) {
			got = append(got, p.Partition())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("[%v, %v) has %v, want %v", start, end, got, want)
		}
	})
}

func TestAListOfReceiptsMayComeInAnyOrder(t *testing.T) {
	s := receiptsOf([]Receipt{{Partition: "b", Rows: 1}, {Partition: "a"}, {Partition: "b", Rows: 2}})
	_, there := s.get("c")
	if s.len != 2 || !is(s, Receipt{Partition: "a"}) || !is(s, Receipt{Partition: "b", Rows: 2}) || there {
		t.Fatalf("got %+v", slices.Collect(s.all()))
	}
}
