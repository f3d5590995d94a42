package digest_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"strandline/internal/digest"

	"pgregory.net/rapid"
)

var modulus = new(big.Int).Lsh(big.NewInt(1), 128)

func bigOf(s digest.Sum128) *big.Int {
	hi := new(big.Int).SetUint64(s.Hi)
	return hi.Lsh(hi, 64).Add(hi, new(big.Int).SetUint64(s.Lo))
}

func draw(t *rapid.T, label string) digest.Sum128 {
	return digest.Sum128{Hi: rapid.Uint64().Draw(t, label+".Hi"), Lo: rapid.Uint64().Draw(t, label+".Lo")}
}

func TestSumsAreArithmeticModulo128Bits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, n := draw(t, "a"), draw(t, "b"), rapid.Uint64().Draw(t, "n")
		sum := new(big.Int).Add(bigOf(a), bigOf(b))
		if got := bigOf(a.Add(b)); got.Cmp(sum.Mod(sum, modulus)) != 0 {
			t.Fatalf("%s + %s = %x", a, b, got)
		}
		product := new(big.Int).Mul(bigOf(a), new(big.Int).SetUint64(n))
		if got := bigOf(a.Mul(n)); got.Cmp(product.Mod(product, modulus)) != 0 {
			t.Fatalf("%s * %d = %x", a, n, got)
		}
	})
}

func TestTheSumDoesNotDependOnTheOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "rows")
		var forward, shuffled digest.Sum128
		for _, r := range rows {
			forward = forward.Add(digest.OfRow(r))
		}
		for _, r := range rapid.Permutation(rows).Draw(t, "order") {
			shuffled = shuffled.Add(digest.OfRow(r))
		}
		if forward != shuffled {
			t.Fatalf("%s in one order, %s in another", forward, shuffled)
		}
	})
}

func TestOneRowMoreOrLessShows(t *testing.T) {
	row := digest.OfRow([]byte("1:a"))
	if twice := row.Add(row); twice == row || twice != row.Mul(2) || row.Mul(0) != (digest.Sum128{}) {
		t.Errorf("%s, twice %s", row, twice)
	}
	// SHA-256("abc"), FIPS 180-2, appendix B.1.
	if got := digest.OfRow([]byte("abc")).String(); got != "ba7816bf8f01cfea414140de5dae2223" {
		t.Errorf("got %s", got)
	}
}

func TestSumsAreReadBackAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := draw(t, "a")
		body, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back digest.Sum128
		if err := json.Unmarshal(body, &back); err != nil || back != a || len(body) != 34 {
			t.Fatalf("%s became %s: %v", body, back, err)
		}
	})
}

func TestHashesAreReadBackAsWritten(t *testing.T) {
	for _, h := range []digest.Hash{{}, digest.OfBytes(nil), digest.OfBytes([]byte("abc"))} {
		body, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		var back digest.Hash
		if err := json.Unmarshal(body, &back); err != nil || back != h {
			t.Errorf("%s became %s: %v", body, back, err)
		}
	}
	if s := (digest.Hash{}).String(); s != "" {
		t.Errorf("the zero hash is written as %q", s)
	}
}

func TestWhatIsNoDigestIsRefused(t *testing.T) {
	for _, s := range []string{"", "0", strings.Repeat("g", 32), strings.Repeat("0", 33)} {
		if got, err := digest.ParseSum128(s); err == nil {
			t.Errorf("%q was read as %s", s, got)
		}
	}
	for _, s := range []string{"0", strings.Repeat("g", 64), strings.Repeat("0", 62)} {
		if got, err := digest.ParseHash(s); err == nil {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}
