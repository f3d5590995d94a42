package ingest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// oneByOne hides that a sink takes rows which were gathered apart from it.
type oneByOne struct{ Sink }

// landedBy lands a source, and tells what the lake has of it then: rows with their
// positions, by digest, and rejects.
func landedBy(t *testing.T, source []byte, opts Options, through func(*landing.Intake) Sink) string {
	t.Helper()
	store := objstore.NewMemory()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	stream := landing.Open(store, nastySpec(), landing.Options{Scratch: t.TempDir(), SegmentBytes: 4 << 20, Now: func() time.Time { return now }})
	intake, err := stream.Begin(landing.Source{Name: "source", Way: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDecoder(nastySpec(), opts)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := d.Decode(bytes.NewReader(source), through(intake))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := intake.Commit(t.Context(), landing.Identity{Size: 1}); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	fmt.Fprintf(&all, "%+v\n", counts)
	stream.View(func(state *landing.State) {
		fmt.Fprintf(&all, "%+v\n%+v\n", state.InputOf(landing.Hours{From: -1 << 40, To: 1 << 40}), state.WaysIn(now))
	})
	err = stream.Rejects(t.Context(), localfile.New(store, t.TempDir(), localfile.DefaultMaxBytes), func(r landing.LandedReject) error {
		fmt.Fprintf(&all, "%d %s %t %s\n", r.SourcePosition, r.Reason, r.Cut, r.Raw)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// mixedRecords are many lines of all kinds: rows of several hours, blank lines, rejects,
// lines longer than a part and, with opts, than what is kept.
func mixedRecords(random *rand.Rand, size int) []byte {
	var b bytes.Buffer
	lengths := []int{partSize * 11 / 10, 10_000, 2 * partSize, partSize - 10, 2 * partSize} // of long ones
	for b.Len() < size || len(lengths) > 0 {
		switch n := random.IntN(1000); {
		case n == 0 && len(lengths) > 0:
			fmt.Fprintf(&b, `{"time":%d,"place":"%s"}`, random.Int64N(1e8), strings.Repeat("x", lengths[0]))
			lengths = lengths[1:]
		case n < 20:
			fmt.Fprintf(&b, `{"time":%d,"count":"none"}`, n)
		case n < 30:
			b.WriteString(" \r")
		case n == 30:
			b.WriteString(strings.Repeat("\n", random.IntN(2*partLines)))
		case n < 300:
			fmt.Fprintf(&b, `{"time":%d,"id":"%d","other":%d}`, random.Int64N(1e8), n, n)
		default:
			fmt.Fprintf(&b, `{"id":"%d","mag":%d.25,"count":%d,"time":%d}`, n, n, n, random.Int64N(1e8))
		}
		b.WriteString("\n")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Read in parts, by however many goroutines, a source is the same rows at the same
// positions, and the same rejects, as read line by line.
func TestASourceReadInPartsIsTheSame(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	opts := Options{MaxRecord: partSize * 3 / 2}
	for seed := range uint64(2) {
		source := mixedRecords(rand.New(rand.NewPCG(seed, 7)), 6*partSize)
		want := landedBy(t, source, opts, func(in *landing.Intake) Sink { return oneByOne{in} })
		if !strings.Contains(want, "more than the limit") || !strings.Contains(want, "count") {
			t.Fatalf("seed %d: there are too few kinds of records", seed)
		}
		for _, width := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(width)
			if got := landedBy(t, source, opts, func(in *landing.Intake) Sink { return in }); got != want {
				t.Errorf("seed %d, %d at once:\n%.600s\nwant\n%.600s", seed, width, got, want)
			}
		}
	}
}

// A source that fails on its way ends with its error, whatever is being read of it.
func TestASourceThatFailsIsNotLandedInParts(t *testing.T) {
	source := mixedRecords(rand.New(rand.NewPCG(3, 7)), 3*partSize)
	intake, err := openStream(t, nastySpec()).Begin(landing.Source{Name: "source"})
	if err != nil {
		t.Fatal(err)
	}
	defer intake.Abort()
	d, err := NewDecoder(nastySpec(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	failing := iotest.TimeoutReader(bytes.NewReader(source)) // on its second read
	if _, err := d.Decode(failing, intake); err != iotest.ErrTimeout {
		t.Errorf("got %v", err)
	}
}

// Whole lines are handed over, whatever their length, and none twice.
func TestLinesAreHandedOverWhole(t *testing.T) {
	source := []byte("a\nbb\n\nccccccccc\nd\ne")
	for size := 1; size < 20; size++ {
		ahead, got := newLookahead(iotest.OneByteReader(bytes.NewReader(source))), []byte(nil)
		for {
			lines, ok := ahead.lines(size, make([]byte, 0, 3))
			if !ok {
				end, more := ahead.lineEnd(0, 100)
				if !more {
					break
				}
				lines = slices.Clone(ahead.ahead()[:end])
				ahead.consume(end)
			}
			if len(got) > 0 && got[len(got)-1] != '\n' {
				t.Errorf("of %d bytes: %q goes on with %q", size, got, lines)
			}
			got = append(got, lines...)
		}
		if !bytes.Equal(got, source) {
			t.Errorf("of %d bytes: got %q, want %q", size, got, source)
		}
	}
}
