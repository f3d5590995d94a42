package digest

import (
	"math/rand/v2"
	"testing"
)

// Rows of all lengths, few and many of each, have the digests that each has by itself.
func TestManyRowsHaveTheDigestOfEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	var rows Rows
	for round := range 40 {
		var want []Sum128
		for range random.IntN(1000) {
			size := random.IntN(1 + round*30)
			text := rows.Next()
			for range size {
				text = append(text, byte(random.Uint32()))
			}
			want = append(want, OfRow(text[len(text)-size:]))
			rows.Add(text)
		}
		got := rows.Sums()
		if len(got) != len(want) {
			t.Fatalf("round %d: %d digests of %d rows", round, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("round %d: row %d of %d is %s, want %s", round, i, len(want), got[i], want[i])
			}
		}
	}
}

func BenchmarkRows(b *testing.B) {
	var rows Rows
	b.Run("each", func(b *testing.B) {
		text := make([]byte, 125)
		for b.Loop() {
			OfRow(text)
		}
	})
	b.Run("many", func(b *testing.B) {
		text := make([]byte, 125)
		for b.Loop() {
			if rows.Add(append(rows.Next(), text...)); len(rows.sums) >= 4096 {
				rows.Sums()
			}
		}
	})
}
