package log

import (
	"encoding/hex"
	"errors"
	"strings"

	"strandline/internal/digest"
)

// Every object of a log ends with a seal of all bytes before it: an entry with their
// SHA-256, as its last field, and a checkpoint, which is large, as rawSum says.
// The chain finds out an entry that was changed once another follows it; the
// seal finds out the newest entry and a checkpoint, which nothing follows. It
// is against damage and editing by hand, not against forgers.
const (
	sealStart = `,"seal":"`
	sealEnd   = `"}`
	sealBytes = len(sealStart) + 2*len(digest.Hash{}) + len(sealEnd)
)

var errSeal = errors.New("its bytes don't match its seal: it was damaged or edited")

// seal returns a JSON object with its seal as the last field.
func seal(object []byte) []byte {
	open := object[:len(object)-1] // without the last brace
	sum := digest.OfBytes(open)
	return append(open, sealStart+hex.EncodeToString(sum[:])+sealEnd...)
}

// checkSeal refuses an object that is not byte for byte what seal made.
func checkSeal(object []byte) error {
	at := len(object) - sealBytes
	if at < 0 {
		return errSeal
	}
	sum, ok := strings.CutPrefix(string(object[at:]), sealStart)
	if !ok || sum != digest.OfBytes(object[:at]).String()+sealEnd {
		return errSeal
	}
	return nil
}
