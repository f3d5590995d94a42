package objstore

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// FreshID draws a name for a data file that nobody has used: two attempts at
// the same work never share a key, so neither can break or lose the other's.
func FreshID() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", fmt.Errorf("draw a file id: %w", err)
	}
	return hex.EncodeToString(b[:]), nil
}
