package datafile

import (
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// How many values are looked at to choose a column's encoding, and of how many
// of them one has to be new on average for a dictionary not to pay.
const (
	sampleSize    = 1024
	repeatsPerNew = 4
)

// encodingFor chooses how a column is laid out before it is compressed:
// a dictionary where a sample spread over the column repeats itself, and
// elsewhere differences of 64-bit numbers (positions and times grow by little,
// which makes event files up to a third smaller for the same processor time) or plain
// values. It depends on nothing but the arguments.
func encodingFor(t Type, values []Value) encoding.Encoding {
	switch {
	case physical(t) == parquet.FixedLenByteArray || t.Kind == Boolean:
		return &parquet.Plain // see fixed16: a dictionary would bypass its index
	case repeats(values):
		return &parquet.RLEDictionary
	case physical(t) == parquet.Int64:
		return &parquet.DeltaBinaryPacked
	default:
		return &parquet.Plain
	}
}

func repeats(values []Value) bool {
	step := max(1, len(values)/sampleSize)
	seen, texts := make(map[uint64]struct{}), make(map[string]struct{})
	total := 0
	for i := 0; i < len(values); i += step {
		switch v := &values[i]; {
		case v.IsNull():
			continue
		case v.Kind() == parquet.ByteArray:
			texts[string(v.ByteArray())] = struct{}{}
		default:
			seen[v.Uint64()] = struct{}{}
		}
		total++
	}
	return total > 0 && total >= repeatsPerNew*(len(seen)+len(texts))
}
