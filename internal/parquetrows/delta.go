package parquetrows

import "encoding/binary"

// plainOfDeltas turns at most that many 32-bit values in DELTA_BINARY_PACKED into
// PLAIN. Differences are taken as 64 bits, as the engine writes them: it takes an
// unsigned column's values for what they are and not for their 32 bits, so that a
// difference may need 33.
func plainOfDeltas(packed []byte, most int) ([]byte, error) {
	d := deltas{packedBytes{rest: packed}}
	return d.all(most)
}

// deltas reads blocks of differences.
type deltas struct{ packedBytes }

// all returns the values ahead, at most that many.
func (d *deltas) all(most int) ([]byte, error) {
	blockSize, minis, total, value := d.uvarint(), d.uvarint(), d.uvarint(), d.varint()
	if d.bad || minis == 0 || blockSize%minis != 0 || blockSize > 1<<20 || blockSize/minis%8 != 0 || total > uint64(most) {
		return nil, errPacked
	}
	out := make([]byte, 0, 4*total)
	if total > 0 {
		out = binary.LittleEndian.AppendUint32(out, uint32(value))
	}
	for uint64(len(out)) < 4*total && !d.bad {
		out, value = d.block(out, value, int(blockSize/minis), int(minis), 4*int(total))
	}
	if d.bad {
		return nil, errPacked
	}
	return out, nil
}

// block appends the values of one block, up to so many bytes in all.
func (d *deltas) block(out []byte, value int64, size, minis, bytes int) ([]byte, int64) {
	least := d.varint()
	for _, width := range d.take(minis) {
		if len(out) == bytes || d.bad {
			break
		}
		mini := d.take(size * int(width) / 8)
		d.bad = d.bad || width > 64
		for i := 0; i < size && len(out) < bytes && !d.bad; i++ {
			value += least + int64(bitsAt(mini, i*int(width), int(width)))
			out = binary.LittleEndian.AppendUint32(out, uint32(value))
		}
	}
	return out, value
}

// bitsAt returns so many bits from a place on, of bytes that begin with their lowest.
func bitsAt(b []byte, at, width int) (v uint64) {
	for have := 0; have < width; {
		n := min(8-at%8, width-have)
		part := uint64(b[at/8]>>(at%8)) & (1<<n - 1)
		v |= part << have
		at, have = at+n, have+n
	}
	return v
}
