package landing

import (
	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
)

// arena owns the bytes that values point to.
type arena struct {
	block []byte
	bytes int64 // that were taken in
}

// own returns a value that points to a copy, in the arena, of what v points to.
func (a *arena) own(v datafile.Value) datafile.Value {
	switch {
	case v.IsNull():
	case v.Kind() == parquet.ByteArray:
		return parquet.ByteArrayValue(hold(a, v.ByteArray()))
	case v.Kind() == parquet.FixedLenByteArray:
		return parquet.FixedLenByteArrayValue(hold(a, v.ByteArray()))
	}
	return v
}

// text is a JSON text of the arena's, NULL if it is empty.
func (a *arena) text(text string) datafile.Value {
	if text == "" {
		return datafile.Value{}
	}
	return parquet.ByteArrayValue(hold(a, text))
}

func hold[T []byte | string](a *arena, from T) []byte {
	if cap(a.block)-len(a.block) < len(from) {
		a.block = make([]byte, 0, max(1<<16, len(from))) // the old one lives on in its values
	}
	start := len(a.block)
	a.block = append(a.block, from...)
	a.bytes += int64(len(from))
	return a.block[start:len(a.block):len(a.block)]
}
