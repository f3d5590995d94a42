package landing

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"strandline/internal/datafile"
)

func TestACounterEncodesWhateverNumbersCome(t *testing.T) {
	random, n := rand.New(rand.NewPCG(9, 0)), int64(-30)
	c, before := new(counter), ""
	for i := range 5000 {
		if i%1000 == 0 {
			before = strconv.Itoa(i)
			c.after([]byte(before))
		}
		if n++; random.IntN(50) == 0 {
			n = random.Int64N(2000) - 100
		}
		if got, want := string(c.appendTo([]byte("row "), n)), string(datafile.AppendInteger([]byte("row "+before), n)); got != want {
			t.Fatalf("%d is %q, want %q", n, got, want)
		}
	}
}
