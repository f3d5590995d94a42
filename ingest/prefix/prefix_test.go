package prefix

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/miniotest"
	"strandline/internal/objstore"
	"strandline/landing"
)

func TestMain(m *testing.M) { miniotest.Main(m) }

// place is a prefix in a real bucket, and a stream that takes it in.
type place struct {
	t       *testing.T
	server  miniotest.Server
	bucket  string
	objects *objstore.Bucket
	stream  *landing.Stream
	landed  []string // what each arrival was
	reports []string
	oldest  time.Time // since when something waits
}

func spec() landing.Spec {
	return landing.Spec{
		Stream: "s", EventTime: landing.EventTime{Column: "t", Unit: landing.UnitSeconds},
		Columns: []datafile.Column{{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}}},
	}
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, server: miniotest.Start(t)}
	p.bucket = p.server.Bucket(t)
	var err error
	p.objects, err = objstore.OpenBucket(t.Context(), objstore.S3Options{Bucket: p.bucket, Endpoint: p.server.Endpoint, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	p.stream = landing.Open(objstore.NewMemory(), spec(), landing.Options{Scratch: t.TempDir()})
	return p
}

// rows are as many records as there are ids.
func rows(ids ...string) []byte {
	var text strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&text, "{\"t\":1,\"id\":%q}\n", id)
	}
	return []byte(text.String())
}

func (p *place) put(key string, body []byte) { p.server.Put(p.t, p.bucket, key, body) }

// watcher is a process's own.
func (p *place) watcher(bucket Bucket, source Source) *Watcher {
	p.t.Helper()
	source.Bucket = bucket
	w, err := NewWatcher(source, Target{
		Stream: p.stream,
		Landed: func(o ingest.Outcome) error {
			what := fmt.Sprintf("%s %d", strings.TrimPrefix(o.Name, "s3://"+p.bucket+"/"), o.Rows())
			if o.Duplicate {
				what += " duplicate"
			}
			if o.SameName {
				what += " same name"
			}
			p.landed = append(p.landed, what)
			return nil
		},
		Report: func(name string, err error) { p.reports = append(p.reports, name+": "+err.Error()) },
		Oldest: func(since time.Time) { p.oldest = since },
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return w
}

// lands has w list the prefix once, and wants exactly these to land.
func (p *place) lands(w *Watcher, want ...string) {
	p.t.Helper()
	p.landed = nil
	if err := w.Once(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	if !slices.Equal(p.landed, want) {
		p.t.Errorf("landed %q, want %q", p.landed, want)
	}
}

// told wants exactly so many reports since it was asked last.
func (p *place) told(want int) {
	p.t.Helper()
	if len(p.reports) != want {
		p.t.Errorf("got %d reports %q, want %d", len(p.reports), p.reports, want)
	}
	p.reports = nil
}

func TestObjectsLandOnceInWhateverOrderTheyCome(t *testing.T) {
	p := newPlace(t)
	w := p.watcher(p.objects, Source{Prefix: "in/"})
	p.put("in/b.ndjson", rows("1", "2"))
	p.put("out/c.ndjson", rows("no"))
	p.lands(w, "in/b.ndjson 2")
	p.stream.View(func(state *landing.State) {
		if ways := state.WaysIn(time.Now()); len(ways) != 1 || ways[0].Name != ingest.WayS3 {
			t.Errorf("the ways in are %+v", ways)
		}
	})
	p.put("in/a.ndjson", rows("3")) // after b, before it by name
	p.lands(w, "in/a.ndjson 1")
	p.put("in/b.ndjson", rows("4"))
	p.lands(w, "in/b.ndjson 1 same name")
	p.put("in/copy.ndjson", rows("3"))
	p.lands(w, "in/copy.ndjson 0 duplicate")
	p.put("in/b.ndjson", rows("1", "2")) // what was there first
	p.lands(w)
	p.server.Delete(t, p.bucket, "in/a.ndjson")
	p.lands(w)
	p.lands(p.watcher(p.objects, Source{Prefix: "in/"})) // a new process
	if next := p.stream.Next(); next != 4 {
		t.Errorf("the stream has %d rows, want 4", next)
	}
	p.told(0)
}

func TestSmallObjectsOfAPageLandTogether(t *testing.T) {
	p := newPlace(t)
	lake := objstore.NewMemory()
	p.stream = landing.Open(lake, spec(), landing.Options{Scratch: t.TempDir()})
	var want []string
	for i := range 10 {
		key := fmt.Sprint(i)
		p.put(key, rows(key))
		want = append(want, key+" 1")
	}
	w := p.watcher(p.objects, Source{})
	p.lands(w, want...)
	p.lands(p.watcher(p.objects, Source{})) // each is known in its version
	if entries, err := lake.List(t.Context(), "landing/s/log/", "", 10); err != nil || len(entries) != 1 {
		t.Errorf("there are %d entries (%v), want one", len(entries), err)
	}
	p.told(0)
}

func TestFolderMarksHiddenAndUnfinishedObjectsAreNotTaken(t *testing.T) {
	p := newPlace(t)
	for key, body := range map[string][]byte{
		"in/folder/": nil, "in/empty": nil, "in/made_$folder$": nil, "in/.hidden": rows("1"), "in/a/.git/b": rows("1"), "in/a.tmp": rows("1"),
		"in/skip/a.ndjson": rows("1"), "in/a.txt": rows("1"), "in/deep/er/a b+%2F é.ndjson": rows("1"),
	} {
		p.put(key, body)
	}
	p.server.Begin(t, p.bucket, "in/unfinished.ndjson", rows("1"))
	w := p.watcher(p.objects, Source{Prefix: "in/", Include: []string{"*.ndjson"}, Exclude: []string{"skip/**"}})
	p.lands(w, "in/deep/er/a b+%2F é.ndjson 1")
	p.told(0)
}

func TestCompressedObjectsAndThoseOfOtherFormatsLand(t *testing.T) {
	p := newPlace(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(rows("1", "2")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p.put("a.gz", packed.Bytes())
	p.put("b", rows("1", "2"))
	p.lands(p.watcher(p.objects, Source{}), "a.gz 2", "b 0 duplicate")
	p.put("c.csv", []byte("id,t\n1,1\n"))
	w := p.watcher(p.objects, Source{Include: []string{"*.csv"}})
	w.to.Options.Format = ingest.FormatCSV
	p.lands(w, "c.csv 1")
}

func TestFaultyObjectIsReportedOnceAVersionAndItsNeighboursLand(t *testing.T) {
	p := newPlace(t)
	p.put("a.gz", []byte("\x1f\x8b\x08\x00 cut"))
	p.put("b", rows("1"))
	w := p.watcher(p.objects, Source{})
	p.lands(w, "b 1")
	p.told(1)
	p.lands(w)
	p.told(0)
	if p.oldest.IsZero() {
		t.Error("the faulty object does not count as one that waits")
	}
	p.put("a.gz", rows("2"))
	p.lands(w, "a.gz 1")
	if !p.oldest.IsZero() {
		t.Errorf("all have landed, and one waits since %v", p.oldest)
	}
}

// swapping is a bucket in which somebody puts another object right before one is read.
type swapping struct {
	*objstore.Bucket
	swap func()
}

func (s swapping) Open(ctx context.Context, v objstore.Version) (io.ReadCloser, error) {
	s.swap()
	return s.Bucket.Open(ctx, v)
}

func TestObjectReplacedOrDeletedBeforeItIsReadWaitsForTheNextListing(t *testing.T) {
	p := newPlace(t)
	p.put("a", rows("1"))
	n := 0
	w := p.watcher(swapping{p.objects, func() {
		switch n++; n {
		case 1:
			p.put("a", rows("2", "3"))
		case 2:
			p.server.Delete(t, p.bucket, "a")
		}
	}}, Source{})
	p.lands(w)
	p.lands(w)
	p.put("a", rows("2", "3"))
	p.lands(w, "a 2")
	p.told(0)
}

// Several processes that watch one prefix race for each object.
func TestEachObjectLandsOnceHoweverManyProcessesWatch(t *testing.T) {
	p := newPlace(t)
	for i := range 10 {
		p.put(fmt.Sprint(i), rows(fmt.Sprint(i)))
	}
	lake := objstore.NewMemory()
	var group errgroup.Group
	for range 3 {
		w, err := NewWatcher(Source{Bucket: p.objects}, Target{
			Stream: landing.Open(lake, spec(), landing.Options{Scratch: t.TempDir()}),
			Landed: func(ingest.Outcome) error { return nil },
			Report: func(name string, err error) { t.Errorf("%s: %v", name, err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() error { return w.Once(t.Context()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	stream := landing.Open(lake, spec(), landing.Options{})
	if end, err := stream.End(t.Context()); err != nil || end != 10 {
		t.Errorf("the stream has %d rows, %v; want 10", end, err)
	}
}

func TestSourceThatIsNoneIsRefused(t *testing.T) {
	for _, source := range []Source{{Prefix: "in"}, {Include: []string{"["}}, {Exclude: []string{""}}} {
		if _, err := NewWatcher(source, Target{}); err == nil {
			t.Errorf("%+v was accepted", source)
		}
	}
}

var errSilent = errors.New("the bucket does not answer")
