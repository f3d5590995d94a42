package sweep

import (
	"context"
	"fmt"
	"strings"

	"strandline/manifests"
	"strandline/window"
)

// Reader is a table that the configuration declares, and the stream that it reads.
type Reader struct {
	Table, Stream string
	// Check holds the table's results against the landing log, by all that is known
	// of them: window.ErrHistory if they were computed from another.
	Check func(ctx context.Context) error
}

// doubts are the streams that a sweep leaves as they are, with the tables that read
// them, and why. A table that contradicts a landing log shows that the log has lost
// entries. Sweeping would then remove the files that those name, and an entry in the
// place of a lost one would keep it from being restored.
type doubts struct {
	reads   map[string]map[string]manifests.Reading // by table and stream, the furthest
	streams map[string]error
}

// of is why a stream or table is to be left as it is, or nil.
func (d doubts) of(key Key) error {
	if key.Area == AreaLanding {
		return d.streams[key.Owner]
	}
	for stream := range d.reads[key.Owner] {
		if err := d.streams[stream]; err != nil {
			return err
		}
	}
	return nil
}

// doubt holds all tables of the lake against the landing logs, before anything is
// touched: each by its positions, and by more if it is declared. A stream that can't
// be held against its tables is in doubt as well.
func (s *sweeper) doubt(ctx context.Context) error {
	s.doubts = doubts{map[string]map[string]manifests.Reading{}, map[string]error{}}
	// The tables are read first, so that none can be ahead of a log.
	if err := s.readTables(ctx); err != nil {
		return err
	}
	read := map[string]bool{}
	for _, streams := range s.doubts.reads {
		for stream := range streams {
			read[stream] = true
		}
	}
	for stream := range read {
		err := s.hold(ctx, stream)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.suspect(stream, err)
		}
	}
	return nil
}

func (s *sweeper) suspect(stream string, err error) {
	s.doubts.streams[stream] = err
	s.trouble = append(s.trouble, fmt.Errorf("sweep stream %s and the tables that read it: %w", stream, err))
}

// readTables finds out which streams each table reads, and how far it has.
func (s *sweeper) readTables(ctx context.Context) error {
	names, err := s.tables(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		snapshot, err := s.manifests(name).Snapshot(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		reads := map[string]manifests.Reading{}
		if err == nil { // else it is told when the sweep comes to the table
			reads = snapshot.Furthest()
		}
		for _, r := range s.options.Readers {
			if _, known := reads[r.Stream]; r.Table == name && !known {
				reads[r.Stream] = manifests.Reading{}
			}
		}
		s.doubts.reads[name] = reads
	}
	return nil
}

// hold holds the tables that read a stream against it.
func (s *sweeper) hold(ctx context.Context, stream string) error {
	end, err := s.landing(stream).End(ctx)
	if err != nil {
		return err
	}
	for table, reads := range s.doubts.reads {
		if r, ok := reads[stream]; ok {
			if err := window.CheckHead(table, r, stream, end); err != nil {
				return err
			}
		}
	}
	for _, r := range s.options.Readers {
		if r.Stream != stream || s.doubts.reads[r.Table] == nil {
			continue // of a table that is not there
		}
		if err := r.Check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// tables lists the names under which the lake has tables.
func (s *sweeper) tables(ctx context.Context) (names []string, err error) {
	const folder = string(AreaTables) + "/"
	for after := ""; ; {
		listed, err := s.store.List(ctx, folder, after, 1)
		if err != nil {
			return nil, fmt.Errorf("list the tables of the lake: %w", err)
		}
		if len(listed) == 0 {
			return names, nil
		}
		name, _, in := strings.Cut(strings.TrimPrefix(listed[0].Key, folder), "/")
		if !in {
			after = listed[0].Key // foreign
			continue
		}
		names = append(names, name)
		after = folder + name + "0" // which follows all keys that go on with "/"
	}
}
