package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

func TestARecordBelowWhereItIsReadOnIsLeftOut(t *testing.T) {
	b := &batch{reading: &reading{Source: &Source{opts: Options{Tombstones: TombstoneSkip}}}}
	r := &read{from: 5, to: 5}
	for _, offset := range []int64{3, 4, 5, 4, 5, 9, 5} {
		if err := b.take(r, &kgo.Record{Offset: offset}); err != nil {
			t.Fatal(err)
		}
	}
	if b.Records != 2 || r.to != 10 {
		t.Errorf("%d records were taken up to offset %d, want 2 up to 10", b.Records, r.to)
	}
}
