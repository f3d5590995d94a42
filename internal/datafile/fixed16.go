package datafile

import (
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// fixed16 is parquet-go's type of 16 bytes with a column index of our own,
// for two reasons: parquet-go's leaves out the entry of a page that holds
// nothing but NULLs, so that the entries after it stand for the wrong pages;
// and it takes the bytes as unsigned, which for negative decimals gives bounds
// that exclude values of the page.
type fixed16 struct {
	parquet.Type
	precision int // of a DECIMAL, or 0 for a UUID
}

func (t fixed16) NewColumnIndexer(int) parquet.ColumnIndexer {
	return &indexer16{precision: t.precision}
}

// indexer16 collects the column index of a fixed16 column.
type indexer16 struct {
	precision int
	index     format.ColumnIndex
}

func (x *indexer16) Reset() { x.index = format.ColumnIndex{} }

func (x *indexer16) IndexPage(numValues, numNulls int64, lowest, highest parquet.Value) {
	least, greatest := make([]byte, 16), make([]byte, 16)
	switch {
	case numValues == numNulls: // the entry is there and is not looked at
	case x.precision > 0:
		least, greatest = widestBounds(x.precision)
	default:
		copy(least, lowest.ByteArray())
		copy(greatest, highest.ByteArray())
	}
	x.index.NullPages = append(x.index.NullPages, numValues == numNulls)
	x.index.NullCounts = append(x.index.NullCounts, numNulls)
	x.index.MinValues = append(x.index.MinValues, least)
	x.index.MaxValues = append(x.index.MaxValues, greatest)
}

// ColumnIndex returns an index that claims no order between pages.
func (x *indexer16) ColumnIndex() format.ColumnIndex {
	return format.ColumnIndex{
		NullPages:     slices.Clone(x.index.NullPages),
		NullCounts:    slices.Clone(x.index.NullCounts),
		MinValues:     slices.Clone(x.index.MinValues),
		MaxValues:     slices.Clone(x.index.MaxValues),
		BoundaryOrder: format.Unordered,
	}
}

// widestBounds are bounds that hold for every DECIMAL of that precision.
func widestBounds(precision int) (least, greatest []byte) {
	u := uint128{lo: 1}
	for range precision {
		u = u.mulAdd(10, 0)
	}
	return u.negate().bigEndian(), u.bigEndian()
}
