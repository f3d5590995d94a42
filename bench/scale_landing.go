package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"strandline/ingest"
	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
)

// A synthetic stream: of every perHour arrivals each brings rows of the same new
// hour and late ones of the hour before. Runs of perCompaction are compacted.
const (
	perHour       = 10
	perCompaction = 1000
	rowsNew       = 15
	rowsLate      = 5
	// perCheckpoint is how many entries lie between two checkpoints while a lake is
	// made; what lies before the newest one is trimmed.
	perCheckpoint = 10_000
)

// growing is the log of a synthetic stream. Nearly all entries are appended as they
// are, without files; those that a checkpoint is made at are landed for real.
type growing struct {
	store   *objstore.Memory
	log     *log.Log
	head    log.Head
	scratch string
	stream  *landing.Stream
	next    landing.Position
	landed  int
	pending []landing.Segment // not compacted yet
}

// growStream lands that many segments in store, which is left as maintenance
// leaves it: compacted and trimmed, with a tail after the newest checkpoint.
func growStream(ctx context.Context, store *objstore.Memory, segments int, scratch string) error {
	often := log.Options{CheckpointEvery: perCheckpoint}
	g := &growing{store: store, log: log.New(store, "landing/"+salesSpec.Stream, often), scratch: scratch}
	g.stream = landing.Open(store, salesSpec, landing.Options{Scratch: scratch, Log: often})
	for g.landed < segments {
		if err := g.step(ctx, perCheckpoint); err != nil {
			return err
		}
	}
	last := g.head.Number + 100 // of which the last checkpoint is made
	g.stream = landing.Open(store, salesSpec, landing.Options{Scratch: scratch, Log: log.Options{CheckpointEvery: last}})
	for g.head.Number < last {
		if err := g.step(ctx, last); err != nil {
			return err
		}
	}
	bytes, err := newest(ctx, store, "landing/"+salesSpec.Stream)
	for err == nil && g.head.Number < last+tail(bytes) {
		err = g.step(ctx, last)
	}
	return err
}

// tail is how many entries follow the newest checkpoint in the middle between two:
// half of 100, and of 100 more for each 16 MiB that the checkpoint has.
func tail(checkpoint int64) uint64 { return 50 * uint64(1+checkpoint/(16<<20)) }

// newest returns how many bytes the newest checkpoint of a log has.
func newest(ctx context.Context, store *objstore.Memory, prefix string) (bytes int64, err error) {
	listed, err := store.List(ctx, prefix+"/checkpoints/", "", 1000)
	for _, o := range listed {
		bytes = o.Size
	}
	return bytes, err
}

// step lands one segment.
func (g *growing) step(ctx context.Context, every uint64) error {
	if (g.head.Number+2)%every == 0 && len(g.pending) > 1 { // runs end before what lands for real
		return g.compact(ctx)
	}
	g.landed++
	if at := g.head.Number + 1; at%every == 0 {
		if err := g.landReally(ctx); err != nil {
			return err
		}
		return trimmed(ctx, g.store, "landing/"+salesSpec.Stream, at)
	}
	s := fakeSegment(g.landed, g.next)
	name := fmt.Sprintf("inbox/2026/sales-%09d.ndjson", g.landed)
	commit := landing.Commit{
		EventTime: salesSpec.EventTime, Segments: []landing.Segment{s},
		Arrival: landing.Arrival{
			Identity: landing.Identity{Digest: digest.OfBytes([]byte(name)), Size: 2000},
			Name:     name, LandedAt: hourOf(g.landed), From: g.next, To: s.End(),
		},
		Marks:    []landing.Mark{{Way: ingest.WayDir, Latest: hourOf(g.landed)}},
		MarkedAt: hourOf(g.landed),
	}
	if err := g.append(ctx, map[string]any{"marked": commit}); err != nil {
		return err
	}
	g.next = s.End()
	if g.pending = append(g.pending, s); len(g.pending) < perCompaction {
		return nil
	}
	return g.compact(ctx)
}

// compact compacts what is pending.
func (g *growing) compact(ctx context.Context) error {
	compaction := compacted(g.pending)
	g.pending = nil
	return g.append(ctx, map[string]any{"compaction": compaction})
}

func (g *growing) append(ctx context.Context, body any) error {
	entry, err := g.log.Append(ctx, g.head, body)
	g.head = entry.Head()
	return err
}

// landReally lands rows as anybody does.
func (g *growing) landReally(ctx context.Context) error {
	outcome, err := landRows(ctx, g.stream, g.landed, hourOf(g.landed))
	if err != nil {
		return err
	}
	entries, err := g.log.ReadAfter(ctx, g.head)
	if err != nil {
		return err
	}
	for _, e := range entries {
		g.head = e.Head()
	}
	g.pending, g.next = nil, outcome.To
	return nil
}

// landRows lands the nth arrival, with rows of an hour and of the one before.
func landRows(ctx context.Context, stream *landing.Stream, n int, hour time.Time) (ingest.Outcome, error) {
	var lines bytes.Buffer
	for i := range rowsNew + rowsLate {
		at := hour.Add(time.Duration(i) * time.Minute)
		if i >= rowsNew {
			at = at.Add(-time.Hour)
		}
		fmt.Fprintf(&lines, `{"id":"%d-%d","at":%d,"shop":"s","cents":%d}`+"\n", n, i, at.UnixMilli(), i)
	}
	return ingest.LandReader(ctx, stream, &lines, fmt.Sprintf("inbox/2026/sales-%09d.ndjson", n), ingest.Options{})
}

// hourOf is the hour that the nth arrival brings new rows of.
func hourOf(n int) time.Time { return firstDay.Add(time.Duration(n/perHour) * time.Hour) }

// fakeSegment is the nth segment, of which there is no file.
func fakeSegment(n int, base landing.Position) landing.Segment {
	hour := hourOf(n).Unix() / 3600
	h := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(n)))
	word := func(i int) uint64 { return binary.BigEndian.Uint64(h[8*i:]) }
	return landing.Segment{
		ID: fmt.Sprintf("%x", h[:16]), Base: base, Rows: rowsNew + rowsLate, Bytes: 3000, Digest: digest.Hash(h), Columns: salesSpec.Columns,
		Buckets: landing.BucketsOf([]landing.Bucket{
			{Hour: hour - 1, Rows: rowsLate, Sum: digest.Sum128{Hi: word(0), Lo: word(1)}, Moment: digest.Sum128{Hi: word(1), Lo: word(2)}},
			{Hour: hour, Rows: rowsNew, Sum: digest.Sum128{Hi: word(2), Lo: word(3)}, Moment: digest.Sum128{Hi: word(3), Lo: word(0)}},
		}),
	}
}

// compacted puts one segment in the place of several.
func compacted(run []landing.Segment) landing.Compaction {
	c := landing.Compaction{Segment: fakeSegment(-int(run[0].Base)-1, run[0].Base)}
	merged := &c.Segment
	merged.Rows = 0
	var buckets []landing.Bucket
	at := map[int64]int{}
	for _, s := range run {
		c.Replaced = append(c.Replaced, s.ID)
		for b := range s.Buckets.All() {
			i, known := at[b.Hour]
			if !known {
				i, at[b.Hour] = len(buckets), len(buckets)
				buckets = append(buckets, landing.Bucket{Hour: b.Hour})
			}
			total := &buckets[i]
			total.Rows += b.Rows
			total.Sum = total.Sum.Add(b.Sum)
			total.Moment = total.Moment.Add(b.Moment).Add(b.Sum.Mul(uint64(s.Base - merged.Base)))
		}
		merged.Rows += s.Rows
	}
	merged.Buckets = landing.BucketsOf(buckets)
	return c
}

// trimmed removes what the newest checkpoint, that of entry newest, makes needless.
func trimmed(ctx context.Context, store *objstore.Memory, prefix string, newest uint64) error {
	for _, part := range []string{"/log/", "/checkpoints/"} {
		for {
			listed, err := store.List(ctx, prefix+part, "", 1000)
			if err != nil {
				return err
			}
			last := fmt.Sprintf("%s%s%020d", prefix, part, newest)
			removed := 0
			for _, o := range listed {
				if o.Key < last {
					removed++
					if err := store.Delete(ctx, o.Key); err != nil {
						return err
					}
				}
			}
			if removed == 0 {
				break
			}
		}
	}
	return nil
}
