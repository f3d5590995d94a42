package digest

import (
	"encoding/hex"
	"testing"
)

func TestHexIsThatOfEncodingHex(t *testing.T) {
	var all []byte
	for i := range 256 {
		all = append(all, byte(i))
		before := []byte("before ")
		if got, want := string(AppendHex(before, all)), "before "+hex.EncodeToString(all); got != want {
			t.Fatalf("%d bytes are %q, want %q", len(all), got, want)
		}
	}
}

func BenchmarkHex(b *testing.B) {
	sum, room := make([]byte, 16), make([]byte, 0, 64)
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			AppendHex(room, sum)
		}
	})
	b.Run("encoding", func(b *testing.B) {
		for b.Loop() {
			hex.AppendEncode(room, sum)
		}
	})
}
