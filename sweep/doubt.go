package sweep

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"strandline/manifests"
	"strandline/window"
)

// Reader is a table that the configuration declares, and what it reads, by the names of
// position vectors.
type Reader struct {
	Table  string
	Inputs []string
	// Check holds the table's results against the logs of its inputs, by all that is known
	// of them: window.ErrHistory if they were computed from others.
	Check func(ctx context.Context) error
}

// doubts are the streams and tables that a sweep leaves as they are, with the tables that
// read them, and why. A table that contradicts the log of an input shows that the log has
// lost entries. Sweeping would then remove the files that those name, and an entry in the
// place of a lost one would keep it from being restored.
type doubts struct {
	reads  map[string]map[string]manifests.Reading // by table and input, the furthest
	inputs map[string]error                        // by the names of position vectors
}

// of is why a stream or table is to be left as it is, or nil.
func (d doubts) of(key Key) error {
	if key.Area != AreaTables {
		return d.inputs[key.Owner]
	}
	for input := range d.reads[key.Owner] {
		if err := d.inputs[input]; err != nil {
			return err
		}
	}
	return d.inputs[manifests.TableInput(key.Owner)]
}

// doubt holds all tables of the lake against the logs of what they read, before anything
// is touched: each by its positions, and by more if it is declared. An input that can't
// be held against its tables is in doubt as well.
func (s *sweeper) doubt(ctx context.Context) error {
	s.doubts = doubts{map[string]map[string]manifests.Reading{}, map[string]error{}}
	// The tables are read first, so that none can be ahead of a log.
	if err := s.readTables(ctx); err != nil {
		return err
	}
	read := map[string]bool{}
	for _, inputs := range s.doubts.reads {
		for input := range inputs {
			read[input] = true
		}
	}
	for input := range read {
		err := s.hold(ctx, input)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.suspect(input, err)
		}
	}
	return nil
}

func (s *sweeper) suspect(input string, err error) {
	s.doubts.inputs[input] = err
	what := "stream " + input
	if table, is := manifests.InputTable(input); is {
		what = "table " + table
	}
	s.trouble = append(s.trouble, fmt.Errorf("sweep %s and the tables that read it: %w", what, err))
}

// readTables finds out what each table reads, and how far it has.
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
			for _, input := range r.Inputs {
				if _, known := reads[input]; r.Table == name && !known {
					reads[input] = manifests.Reading{}
				}
			}
		}
		s.doubts.reads[name] = reads
	}
	return nil
}

// hold holds the tables that read an input against it.
func (s *sweeper) hold(ctx context.Context, input string) error {
	end, err := s.end(ctx, input)
	if err != nil {
		return err
	}
	for table, reads := range s.doubts.reads {
		if r, ok := reads[input]; ok {
			if err := window.CheckHead(table, r, input, end); err != nil {
				return err
			}
		}
	}
	for _, r := range s.options.Readers {
		if !slices.Contains(r.Inputs, input) || s.doubts.reads[r.Table] == nil {
			continue // of a table that is not there
		}
		if err := r.Check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// end is how far an input goes: a position, or a table's version.
func (s *sweeper) end(ctx context.Context, input string) (int64, error) {
	table, is := manifests.InputTable(input)
	if !is {
		end, err := s.landing(input).End(ctx)
		return int64(end), err
	}
	snapshot, err := s.manifests(table).Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	return int64(snapshot.Version), nil
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
