package digest

import (
	"encoding/hex"
	"slices"
)

// pairs are the two lower-case digits of each byte.
var pairs = func() (p [256][2]byte) {
	for i := range p {
		hex.Encode(p[i][:], []byte{byte(i)})
	}
	return p
}()

// AppendHex writes two lower-case hexadecimal digits for each byte of b after text, a byte
// at a time and so sooner than encoding/hex does.
func AppendHex(text, b []byte) []byte {
	n := len(text)
	text = slices.Grow(text, 2*len(b))[:n+2*len(b)]
	for i, to := 0, text[n:]; i < len(b); i++ {
		copy(to[2*i:2*i+2], pairs[b[i]][:])
	}
	return text
}
