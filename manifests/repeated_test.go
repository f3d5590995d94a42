package manifests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// repacked is what a process reads that opens a checkpoint of the state.
func repacked(t *testing.T, s *State) *State {
	t.Helper()
	data, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	read := newState()
	if err := read.UnmarshalBinary(data); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestRepeatedRowsAreKeptBesideThePackedReceipts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	s := newState()
	for round := range 6 {
		for range 200 {
			n := random.IntN(2*receiptsChunk + 90)
			r := receipt(1, fmt.Sprint(round), "c", "r", 1)
			r.Partition, r.Repeated = partitionName(n), random.Int64N(3)
			s.publish(r)
		}
		read := repacked(t, s)
		if got, want := read.snapshot("t").Receipts(), s.snapshot("t").Receipts(); !slices.EqualFunc(got, want, Receipt.equal) {
			t.Fatalf("round %d: other receipts", round)
		}
		s = read // some chunks of which go on as they are
	}
}

func TestReceiptsWithoutRepeatedRowsTakeNoRoomForThem(t *testing.T) {
	s := onePublished()
	if b := packRepeated(s.partitions); b != nil {
		t.Errorf("it takes %d bytes", len(b))
	}
	if r, _ := repacked(t, s).partitions.get("2026-03-01"); r.Repeated != 0 {
		t.Errorf("there are %d", r.Repeated)
	}
	s.publish(func() Receipt { r := receipt(1, "j", "c", "r", 11); r.Repeated = 5; return r }())
	for _, damaged := range [][]byte{{1}, append(packRepeated(s.partitions), 0)} {
		if err := unpackRepeated(damaged, repacked(t, s).partitions); err == nil {
			t.Errorf("%v is read", damaged)
		}
	}
}
