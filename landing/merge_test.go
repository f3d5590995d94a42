package landing

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"

	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
)

// wide are columns of every physical type.
var wide = []datafile.Column{
	{Name: "flag", Type: datafile.Type{Kind: datafile.Boolean}},
	{Name: "n", Type: datafile.Type{Kind: datafile.BigInt}},
	{Name: "small", Type: datafile.Type{Kind: datafile.Integer}},
	{Name: "share", Type: datafile.Type{Kind: datafile.Double}},
	{Name: "text", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "price", Type: datafile.Type{Kind: datafile.Decimal, Precision: 38, Scale: 2}},
	{Name: "when", Type: datafile.Type{Kind: datafile.TimestampTZ}},
}

func wideRow(r *rand.Rand, i int) Row {
	price := make([]byte, 16)
	for b := range price {
		price[b] = byte(r.Uint32())
	}
	values := []datafile.Value{
		parquet.BooleanValue(r.IntN(2) == 0), parquet.Int64Value(r.Int64()), parquet.Int32Value(r.Int32()),
		parquet.DoubleValue(r.NormFloat64()), parquet.ByteArrayValue([]byte(fmt.Sprint("text ", r.IntN(9)))),
		parquet.FixedLenByteArrayValue(price), parquet.Int64Value(r.Int64()),
	}
	for c := range values {
		if r.IntN(5) == 0 {
			values[c] = datafile.Value{}
		}
	}
	row := Row{EventTime: r.Int64N(10*microsPerHour) - 5*microsPerHour, SourcePosition: int64(i + 1), Values: values}
	if r.IntN(3) == 0 {
		row.Extra = fmt.Sprintf(`{"i":%d}`, i)
	}
	return row
}

// landWide lands some arrivals of wide rows, in segments of about that size.
func landWide(t interface {
	Helper()
	Fatal(...any)
}, s *Stream, seed uint64, arrivals, segmentRows int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 9))
	for n := range arrivals {
		rows := make([]Row, 1+random.IntN(2*segmentRows))
		for i := range rows {
			rows[i] = wideRow(random, i)
		}
		_, err := land(s, fmt.Sprint(n), rows...)
		check(t, err)
	}
}

func openWide(t *testing.T, store objstore.Store, segmentBytes int64) *Stream {
	w := spec
	w.Columns = wide
	return Open(store, w, Options{Scratch: t.TempDir(), SegmentBytes: segmentBytes})
}

// texts are a segment's rows as they are read, with their positions.
func (s *Stream) texts(t *testing.T, segment Segment) (texts []string) {
	t.Helper()
	paths, release, err := s.Fetch(t.Context(), localfile.New(s.store, t.TempDir(), 1<<30), []Segment{segment})
	check(t, err)
	defer release()
	check(t, segment.scan(t.Context(), paths[0], func(r landedRow) error {
		text := fmt.Sprintf("%d: hour %d", r.at, r.hour)
		for _, v := range r.values[atEventTime:] {
			text += fmt.Sprintf(" %v %q", v.Kind(), v.Bytes())
		}
		texts = append(texts, text)
		return nil
	}))
	return texts
}

func TestACompactedSegmentHoldsTheSameRowsAtTheSamePositionsClustered(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		store := objstore.NewMemory()
		s := openWide(t, store, rapid.Int64Range(2<<10, 64<<10).Draw(rt, "segment bytes"))
		landWide(t, s, rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 6).Draw(rt, "arrivals"), rapid.IntRange(1, 60).Draw(rt, "rows"))
		segments := s.all()
		from := rapid.IntRange(0, len(segments)-2).Draw(rt, "from")
		to := rapid.IntRange(from+2, len(segments)).Draw(rt, "to")
		var want []string
		for _, segment := range segments[from:to] {
			want = append(want, s.texts(t, segment)...)
		}
		merged, err := s.Compact(t.Context(), localfile.New(store, t.TempDir(), 1<<30), segments[from:to])
		check(t, err)
		got := s.texts(t, merged)
		if !slices.IsSortedFunc(got, inHourAndPosition(t)) {
			t.Fatal("rows are not in the order of bucket-hours and positions")
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Fatalf("other rows:\n%q\nwant\n%q", got, want)
		}
		if len(s.all()) != len(segments)-(to-from)+1 || s.all()[from].ID != merged.ID {
			t.Fatalf("the segments are %v", s.all())
		}
	})
}

func inHourAndPosition(t *testing.T) func(a, b string) int {
	return func(a, b string) int {
		var at, other, hour, otherHour int
		_, err := fmt.Sscanf(a, "%d: hour %d", &at, &hour)
		check(t, err)
		_, err = fmt.Sscanf(b, "%d: hour %d", &other, &otherHour)
		check(t, err)
		if hour != otherHour {
			return hour - otherHour
		}
		return at - other
	}
}

// What does not hold what the log says is not compacted, and nothing is changed.
func TestADamagedSegmentIsNotCompacted(t *testing.T) {
	for name, harm := range map[string]func(body []byte) []byte{
		"flipped":   func(body []byte) []byte { body[len(body)/3] ^= 1; return body },
		"cut short": func(body []byte) []byte { return body[:len(body)-9] },
	} {
		store, err := objstore.OpenFolder(t.TempDir())
		check(t, err)
		s := landed(t, store, 3)
		run := s.all()[1:4]
		path := store.URL(s.SegmentKey(run[1].ID))
		body, err := os.ReadFile(path)
		check(t, err)
		check(t, os.WriteFile(path, harm(body), 0o644))
		refused(t, s, run, localfile.ErrDamaged, name)
		check(t, os.Remove(path))
		refused(t, s, run, objstore.ErrNotFound, "gone")
	}
}

// A file whose bytes are those of the log, while its rows are others than the
// log's sums, was never right.
func TestASegmentWithOtherSumsIsNotCompacted(t *testing.T) {
	for name, harm := range map[string]func(g *Segment){
		"sum":    func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Sum.Lo++ }) },
		"moment": func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Moment.Hi++ }) },
		"hour":   func(g *Segment) { withBucket(g, 0, func(b *Bucket) { b.Hour-- }) },
		"hours":  func(g *Segment) { g.Buckets = BucketsOf(g.Buckets.List()[1:]) },
		"rows":   func(g *Segment) { g.Rows++ },
	} {
		store := objstore.NewMemory()
		s := landed(t, store, 3)
		run := s.all()[1:4]
		harm(&run[1])
		refused(t, s, run, ErrSegment, name)
	}
}

func refused(t *testing.T, s *Stream, run []Segment, want error, name string) {
	t.Helper()
	before, files := s.all(), len(objects(t, s))
	_, err := s.Compact(t.Context(), localfile.New(s.store, t.TempDir(), 1<<30), run)
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", name, err, want)
	}
	if now := s.all(); len(now) != len(before) || len(objects(t, s)) != files {
		t.Errorf("%s: something was changed", name)
	}
}

func objects(t *testing.T, s *Stream) []objstore.Object {
	t.Helper()
	found, err := s.store.List(t.Context(), "landing/s/", "", 1000)
	check(t, err)
	return found
}

func TestOfTwoCompactionsOneYieldsAndLeavesNothing(t *testing.T) {
	store := objstore.NewMemory()
	s := landed(t, store, 3)
	other := open(t, store, Options{})
	check(t, other.Refresh(t.Context()))
	segments := s.all()
	files := localfile.New(store, t.TempDir(), 1<<30)
	_, err := s.Compact(t.Context(), files, segments[:3])
	check(t, err)
	left := len(objects(t, s))
	for _, run := range [][]Segment{segments[:3], segments[2:5]} {
		if _, err := other.Compact(t.Context(), files, run); !errors.Is(err, ErrOutrun) {
			t.Errorf("%v, want ErrOutrun", err)
		}
	}
	check(t, store.Delete(t.Context(), s.SegmentKey(segments[0].ID))) // swept meanwhile
	late := open(t, store, Options{})
	check(t, late.Refresh(t.Context()))
	if _, err := late.Compact(t.Context(), files, segments[:3]); !errors.Is(err, ErrOutrun) {
		t.Errorf("of segments that are gone: %v, want ErrOutrun", err)
	}
	if now := len(objects(t, s)); now != left-1 {
		t.Errorf("%d objects, want %d", now, left-1)
	}
}

// The files are swept when their paths are handed out already.
func TestACompactionWhoseSegmentsAreSweptWhileItReadsYields(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	check(t, err)
	s := landed(t, folder, 3)
	other := open(t, folder, Options{})
	check(t, other.Refresh(t.Context()))
	run := s.all()[:3]
	found := storetest.Finding{Folder: folder, After: func(key string) {
		if key != s.SegmentKey(run[2].ID) {
			return
		}
		_, err := s.Compact(t.Context(), localfile.New(folder, t.TempDir(), 1<<30), run[:2])
		check(t, err)
		check(t, folder.Delete(t.Context(), s.SegmentKey(run[0].ID)))
		check(t, folder.Delete(t.Context(), s.SegmentKey(run[1].ID)))
	}}
	if _, err := other.Compact(t.Context(), localfile.New(found, t.TempDir(), 1<<30), run); !errors.Is(err, ErrOutrun) {
		t.Errorf("%v, want ErrOutrun", err)
	}
}

func TestASegmentThatIsLostWhileACompactionReadsIsTold(t *testing.T) {
	folder, err := objstore.OpenFolder(t.TempDir())
	check(t, err)
	s := landed(t, folder, 3)
	run := s.all()[:3]
	found := storetest.Finding{Folder: folder, After: func(key string) {
		if key == s.SegmentKey(run[2].ID) {
			check(t, folder.Delete(t.Context(), s.SegmentKey(run[0].ID)))
		}
	}}
	if _, err := s.Compact(t.Context(), localfile.New(found, t.TempDir(), 1<<30), run); !errors.Is(err, objstore.ErrNotFound) || !strings.Contains(err.Error(), run[0].ID) {
		t.Errorf("%v, want that %s is not there", err, run[0].ID)
	}
}

func TestACompactionIsDoneWhereItsAnswerWasLost(t *testing.T) {
	for seed := range uint64(20) {
		store := objstore.NewFault(objstore.NewMemory(), objstore.SeededFaults(seed, 0.2))
		s := open(t, store, Options{SegmentBytes: 4 << 10})
		for i := range 6 {
			_, _ = land(s, fmt.Sprint(i), randomRows(rand.New(rand.NewPCG(seed, uint64(i))), 100)...) // what lands lands
		}
		for s.Refresh(t.Context()) != nil { // also what landed without an answer
		}
		segments := s.all()
		if len(segments) < 2 {
			continue
		}
		merged, err := s.Compact(t.Context(), localfile.New(store, t.TempDir(), 1<<30), segments)
		if errors.Is(err, log.ErrCorrupt) {
			t.Fatal(err)
		}
		// What seemed not to have landed may follow it.
		if now := s.all(); err == nil && (now[0].ID != merged.ID || now[0].End() != segments[len(segments)-1].End()) {
			t.Errorf("seed %d: done, and the first segment is %s", seed, now[0].ID)
		}
	}
}

// Whoever reads with a view from before a compaction and a sweep reads on.
func TestAReaderWhoseSegmentsAreGoneReadsThoseInTheirPlace(t *testing.T) {
	store := objstore.NewMemory()
	s := landed(t, store, 3)
	reader := open(t, store, Options{})
	check(t, reader.Refresh(t.Context()))
	segments := s.all()
	files := localfile.New(store, t.TempDir(), 1)
	merged, err := s.Compact(t.Context(), files, segments)
	check(t, err)
	for _, segment := range segments {
		check(t, store.Delete(t.Context(), s.SegmentKey(segment.ID)))
	}
	hours := Hours{From: -6, To: 6}
	for _, upTo := range []Position{segments[1].End(), merged.End()} {
		want, err := s.Rederiver(files).Input(t.Context(), hours, upTo)
		check(t, err)
		if got, err := reader.Rederiver(files).Input(t.Context(), hours, upTo); err != nil || got != want {
			t.Errorf("up to %d: %+v, %v; want %+v", upTo, got, err, want)
		}
	}
	check(t, store.Delete(t.Context(), s.SegmentKey(merged.ID)))
	if _, err := reader.Rederiver(files).Input(t.Context(), hours, merged.End()); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("with nothing in their place: %v, want ErrNotFound", err)
	}
}
