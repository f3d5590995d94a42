package digest

import (
	"math/rand/v2"
	"testing"
)

// Texts of all lengths, few and many of each, have the digests that each has by itself.
func TestManyTextsHaveTheDigestOfEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	var many Many
	for round := range 40 {
		var want []Hash
		for range random.IntN(1000) {
			size := random.IntN(1 + round*30)
			text := many.Next()
			for range size {
				text = append(text, byte(random.Uint32()))
			}
			want = append(want, OfBytes(text[len(text)-size:]))
			many.Add(text)
		}
		got := many.Hashes()
		if len(got) != len(want) {
			t.Fatalf("round %d: %d digests of %d texts", round, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("round %d: text %d of %d is %s, want %s", round, i, len(want), got[i], want[i])
			}
		}
	}
}

func BenchmarkMany(b *testing.B) {
	var many Many
	b.Run("each", func(b *testing.B) {
		text := make([]byte, 125)
		for b.Loop() {
			OfBytes(text)
		}
	})
	b.Run("many", func(b *testing.B) {
		text := make([]byte, 125)
		for b.Loop() {
			if many.Add(append(many.Next(), text...)); len(many.hashes) >= 4096 {
				many.Hashes()
			}
		}
	})
}
