package digest

import (
	"encoding/hex"
	"testing"
)

// The published values of XXH3 with 128 bits: checkpoints are held against it for ever.
func TestAChecksumIsThatOfXXH3(t *testing.T) {
	for text, want := range map[string]string{
		"":  "99aa06d3014798d86001c324468d497f",
		"a": "a96faf705af16834e6c632b61e964e1f",
	} {
		sum := ChecksumOf([]byte(text))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("the Checksum of %q is %s, want %s", text, got, want)
		}
	}
}
