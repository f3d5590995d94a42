package datafile

import "encoding/binary"

// span is a part of a text.
type span struct{ from, to uint32 }

// shortSpan is the size of a part, in bytes, up to which appendSpan is fast.
const shortSpan = 32

// appendSpan appends a part of a text. Of a short one it always copies shortSpan bytes,
// the last of them into room that is written over later: how long the next text is the
// processor can't foresee, and a copy of just its bytes waits for that.
func appendSpan(dst, text []byte, s span) []byte {
	at, from, size := len(dst), int(s.from), int(s.to-s.from)
	if size > shortSpan || cap(dst)-at < shortSpan || cap(text)-from < shortSpan {
		return append(dst, text[s.from:s.to]...)
	}
	copyShort((*[shortSpan]byte)(dst[at:at+shortSpan]), (*[shortSpan]byte)(text[from:from+shortSpan]))
	return dst[:at+size]
}

// copyShort copies in four words, without a call.
func copyShort(to, from *[shortSpan]byte) {
	binary.LittleEndian.PutUint64(to[:8], binary.LittleEndian.Uint64(from[:8]))
	binary.LittleEndian.PutUint64(to[8:16], binary.LittleEndian.Uint64(from[8:16]))
	binary.LittleEndian.PutUint64(to[16:24], binary.LittleEndian.Uint64(from[16:24]))
	binary.LittleEndian.PutUint64(to[24:], binary.LittleEndian.Uint64(from[24:]))
}

// firstWord returns the first eight bytes of a text as a number, the first one lowest, and
// zeros for those that it lacks.
func firstWord(text []byte) uint64 {
	if cap(text) >= 8 {
		return binary.LittleEndian.Uint64(text[:8]) & (1<<(8*uint(len(text))) - 1)
	}
	var word [8]byte
	copy(word[:], text)
	return binary.LittleEndian.Uint64(word[:])
}
