package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/datafile"
	"strandline/internal/digest"
	"strandline/internal/log"
	"strandline/landing"
)

// stream audits a stream's log, segments and files of rejects.
func (r *run) stream(ctx context.Context, room Room) error {
	p := &placing{tell: r.tell}
	x, err := landing.Examine(ctx, r.Store, room.Name,
		func(f log.Finding) { p.fault(finding(room, f)) },
		func(_ uint64, a landing.Arrival) { p.landed(a) },
		r.step)
	if err != nil {
		return err
	}
	if x.Known {
		p.flush(int64(x.State.Next()))
	} else {
		p.flush(0)
	}
	r.streams[room.Name] = x
	segments := map[string]named{}
	for _, s := range x.Segments {
		segments[s.ID] = r.segment(room, s)
	}
	still := stillNamed(ctx, func() (namer, error) {
		files, err := landing.Open(r.Store, landing.Spec{Stream: room.Name}, landing.Options{}).Files(ctx)
		if files == nil {
			return nil, cmp.Or(err, log.ErrCorrupt) // a log that was there is gone
		}
		return files, nil
	})
	if err := r.files(ctx, room, Data, segments, x.Known, still); err != nil {
		return err
	}
	archives := map[string]named{}
	for _, a := range x.Archives {
		archives[a.ID] = archive(room, a)
	}
	if err := r.files(ctx, room, Archives, archives, x.Known, still); err != nil {
		return err
	}
	rejects := map[string]named{}
	for _, a := range x.Arrivals {
		for _, id := range x.State.RejectFiles(a) {
			rejects[id] = rejectFile(room, x.State, a, id)
		}
	}
	return r.files(ctx, room, Rejects, rejects, x.Known, still)
}

func (r *run) segment(room Room, s landing.Segment) named {
	return named{
		key: landing.SegmentKey(room.Name, s.ID), bytes: s.Bytes, names: segmentNames,
		hits: func() Fault {
			hours := s.Buckets.Hours()
			return Fault{
				Room: room, Positions: &Span{int64(s.Base), int64(s.End())},
				EventTime: timesOf(hours), Partitions: r.touched(room.Name, hours),
			}
		},
		read: func(ctx context.Context, path string) (string, error) {
			if fault, err := bytesFault(path, s.Digest); fault != "" || err != nil {
				return fault, err
			}
			return asFault(s.Check(ctx, path), landing.ErrSegment)
		},
	}
}

func archive(room Room, a landing.Archive) named {
	return named{
		key: landing.ArchiveKey(room.Name, a.ID), bytes: a.Bytes, names: archiveNames,
		hits: func() Fault { return Fault{Room: room, Positions: &Span{int64(a.From), int64(a.To)}} },
		read: func(_ context.Context, path string) (string, error) {
			fault, err := bytesFault(path, a.Digest)
			if err != nil || fault == "" {
				return "", err
			}
			err = a.CheckIndex(path)
			switch {
			case err == nil:
				return fault + "; its index is whole", nil
			case errors.Is(err, log.ErrCorrupt):
				return fault + "; its index is damaged", nil
			}
			return "", err
		},
	}
}

// bytesFault says what is wrong with a file whose bytes are not those of a digest.
func bytesFault(path string, want digest.Hash) (string, error) {
	sum, err := digest.OfFile(path)
	if err != nil || sum == want {
		return "", err
	}
	return fmt.Sprintf("its bytes are not those that were written: SHA-256 %s, the log says %s", sum, want), nil
}

func rejectFile(room Room, state *landing.State, a landing.Arrival, id string) named {
	return named{
		key: landing.RejectKey(room.Name, id), names: rejectsNames,
		hits: func() Fault { return Fault{Room: room} },
		read: func(_ context.Context, path string) (string, error) {
			return asFault(state.CheckRejects(a, id, path), datafile.ErrCorrupt)
		},
	}
}

// asFault makes text of an error that blames the file.
func asFault(err, blames error) (fault string, other error) {
	if errors.Is(err, blames) {
		return err.Error(), nil
	}
	return "", err
}

// touched names the partitions of the known jobs that rows of these hours can
// belong to, as job/partition.
func (r *run) touched(stream string, hours []int64) (names []string) {
	for _, j := range r.Jobs {
		in, reads := j.StreamInput(stream)
		if !reads {
			continue
		}
		for _, p := range j.Touched(in, hours) {
			names = append(names, j.Name+"/"+p.String())
		}
	}
	return names
}

// newest calls use with a stream as it is now; or, where it can't be opened any
// more, as it was examined.
func (r *run) newest(ctx context.Context, stream string, use func(*landing.State)) error {
	s, err := openStream(ctx, r.Store, stream)
	switch {
	case err == nil:
		s.View(use)
	case ctx.Err() != nil:
		return ctx.Err()
	default:
		use(r.streams[stream].State)
	}
	return nil
}

// Times is a half-open range of event time.
type Times struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// String writes the range as text does.
func (t Times) String() string {
	return fmt.Sprintf("[%s, %s)", t.From.Format(time.RFC3339), t.To.Format(time.RFC3339))
}

// timesOf returns the range of ascending hours since 1970.
func timesOf(hours []int64) *Times {
	if len(hours) == 0 {
		return nil
	}
	hour := func(h int64) time.Time { return time.Unix(h*3600, 0).UTC() }
	return &Times{hour(hours[0]), hour(hours[len(hours)-1] + 1)}
}
