package datafile

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AppendPlain is AppendDigested of a value that was made for the vector's type, and whose
// bytes are those of text. It need not copy them: what text has room for has to stay as it
// is until Keep.
//
// Most values are short and written as they are encoded. They take this one function, in
// which no step waits for how long the one before was.
func (v *Vector) AppendPlain(dst []byte, p *Plain, text []byte) ([]byte, error) {
	at, from, size, zeros := len(dst), int(p.at.from), int(p.at.to-p.at.from), int(p.zeros)
	switch {
	case p.is != v.takes || p.at.to == 0 || size > shortSpan || zeros > shortZeros,
		cap(dst)-at < maxPrefix+shortSpan+shortZeros || cap(text)-from < shortSpan,
		v.rows%BlockRows == 0 || v.bytes && !v.last.borrows(text) || v.text >= math.MaxInt32:
		return v.appendPlain(dst, p, text)
	}
	s := v.last
	if v.bytes {
		s.spans = append(s.spans, p.at)
		v.text += int64(size)
	} else {
		s.words = append(s.words, uint64(p.number))
	}
	v.differ = true
	v.there(s)

	prefix := &prefixes[(size+zeros)%len(prefixes)]
	binary.LittleEndian.PutUint32(dst[at:at+maxPrefix], prefix.text)
	at += int(prefix.size)
	copyShort((*[shortSpan]byte)(dst[at:at+shortSpan]), (*[shortSpan]byte)(text[from:from+shortSpan]))
	at += size
	binary.LittleEndian.PutUint64(dst[at:at+shortZeros], lanes*'0')
	return dst[:at+zeros], nil
}

const (
	shortZeros = 8 // that AppendPlain is fast with
	maxPrefix  = 4 // bytes of a prefix, with one too many
)

// prefixes are what canonical encodings begin with, by the length of what follows.
var prefixes = func() (all [64]struct{ text, size uint32 }) {
	for n := range all {
		text := appendLength(nil, n)
		all[n].size = uint32(len(text))
		all[n].text = binary.LittleEndian.Uint32(append(text, 0, 0))
	}
	return all
}()

// appendPlain is AppendPlain of any value.
func (v *Vector) appendPlain(dst []byte, p *Plain, text []byte) ([]byte, error) {
	switch {
	case p.is != plainNull && p.is != v.takes:
		return dst, fmt.Errorf("holds a plain value that was not made for %s", v.typ)
	case p.is == plainNull:
		v.differ = v.rows > 0
		v.appendNull()
		return AppendNull(dst), nil
	case p.is == plainText:
		v.differ = v.rows > 0
		dst = appendSpan(appendLength(dst, int(p.at.to-p.at.from)), text, p.at)
		return dst, v.borrow(text, p.at)
	}
	v.differ = v.rows > 0
	v.appendWord(uint64(p.number))
	switch {
	case p.at != span{}:
		dst = appendSpan(appendLength(dst, int(p.at.to-p.at.from)+int(p.zeros)), text, p.at)
		return append(dst, zeros[:p.zeros]...), nil
	case v.typ.Kind == Decimal:
		return appendShortDecimal(dst, &v.typ, p.number), nil
	default:
		return appendSigned(dst, p.number), nil
	}
}

// zeros are as many as a number can have at its end that are not written.
const zeros = "000000000000000000"

// plainOf is what plain values of a type are.
func plainOf(t Type, bytes bool) plainKind {
	switch {
	case t.Kind == Varchar:
		return plainText
	case t.Kind == BigInt, t.Kind == Timestamp, t.Kind == TimestampTZ, t.Kind == Decimal && !bytes:
		return plainNumber
	default:
		return plainNull
	}
}
