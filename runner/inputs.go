package runner

import (
	"context"
	"errors"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// Input is an input of a job, opened by this process: a stream or a table.
type Input struct {
	Stream *landing.Stream
	Table  *manifests.Table
	// Made is the task that makes the table, which tells how far it is complete; nil where
	// nobody asks for that.
	Made *Task
}

// FromStream are the inputs of a job that reads one stream.
func FromStream(stream *landing.Stream) []Input { return []Input{{Stream: stream}} }

// end is up to where the input goes, as it was last read.
func (in Input) end() int64 {
	if in.Table != nil {
		return int64(in.Table.Version())
	}
	return int64(in.Stream.Next())
}

// pinned is what a job reads and has published, all as it was at one time.
type pinned struct {
	heads  window.Heads                   // of the inputs
	at     []uint64                       // the entries of their logs that these are of
	tables map[string]*manifests.Snapshot // of the inputs that are tables, by name
	made   map[string]window.Watermark    // up to where they are settled
	own    *manifests.Snapshot            // of the job's own table
}

// beside calls fn with the inputs and the table as they are now; made are the watermarks
// of tables that were settled before, if they matter.
//
// A table's receipts may be of newer input than the heads that were read before
// them. That is a contradiction only if the logs, read once more, still end
// before what they were computed from: who published them had read it.
func (t *Task) beside(ctx context.Context, made map[string]window.Watermark, fn func(pinned) error) (err error) {
	now := pinned{made: made}
	if now.tables, err = t.refresh(ctx); err != nil {
		return err
	}
	if now.own, err = t.table.Snapshot(ctx); err != nil {
		return err
	}
	if err = t.view(now, fn); !errors.Is(err, window.ErrHistory) {
		return err
	}
	if now.tables, err = t.refresh(ctx); err != nil {
		return err
	}
	return t.view(now, fn)
}

// settled are the watermarks of the inputs that are tables, by name. What a table has is
// read after it, so that it has all that was settled.
func (t *Task) settled(ctx context.Context) (map[string]window.Watermark, error) {
	made := map[string]window.Watermark{}
	for _, in := range t.inputs {
		if in.Made == nil {
			continue
		}
		plan, err := in.Made.Overview(ctx)
		if err != nil {
			return nil, err
		}
		made[in.Table.Name()] = plan.Settled()
	}
	return made, nil
}

// agree is landing.IsMisdeclared if what had landed in a stream of the job, as it was last read, is not what
// its declaration says, so that its rows can't be read.
func (t *Task) agree() error {
	for _, in := range t.inputs {
		if in.Stream == nil {
			continue
		}
		if err := in.Stream.Agrees(); err != nil {
			return err
		}
	}
	return nil
}

// refresh reads the logs of all inputs on, however the streams are declared, and returns the tables.
func (t *Task) refresh(ctx context.Context) (map[string]*manifests.Snapshot, error) {
	tables := map[string]*manifests.Snapshot{}
	for i, in := range t.inputs {
		if in.Stream != nil {
			if err := in.Stream.ReadOn(ctx); err != nil {
				return nil, err
			}
			continue
		}
		table, err := in.Table.Snapshot(ctx)
		if err == nil {
			err = t.compiled.FitsTable(i, table)
		}
		if err != nil {
			return nil, err
		}
		tables[in.Table.Name()] = table
	}
	return tables, nil
}

// madeBy is window.ErrInput if one of the tables, by name, does not make what the job
// reads of it.
func (t *Task) madeBy(tables map[string]*manifests.Snapshot) error {
	for i, in := range t.Job().Inputs {
		if !in.Table {
			continue
		}
		if err := t.compiled.MadeBy(i, tables[in.Name]); err != nil {
			return err
		}
	}
	return nil
}

// view calls fn with the streams held as they are.
func (t *Task) view(now pinned, fn func(pinned) error) (err error) {
	i := len(now.heads)
	if i == len(t.inputs) {
		return fn(now)
	}
	if in := t.inputs[i]; in.Stream == nil {
		table := now.tables[in.Table.Name()]
		now.heads = append(now.heads, window.TableHead(table, now.made[in.Table.Name()]))
		now.at = append(now.at, uint64(table.Version))
		return t.view(now, fn)
	}
	t.inputs[i].Stream.ViewAt(func(s *landing.State, entry uint64) {
		now.heads = append(now.heads, window.StreamHead(s))
		now.at = append(now.at, entry)
		err = t.view(now, fn)
	})
	return err
}

// source is what this process computes with, from the inputs up to a position vector,
// of which tables are the versions.
func (t *Task) source(read manifests.Positions, tables map[string]*manifests.Snapshot) window.Source {
	from := window.Source{Engine: t.lake.Engine, Files: t.lake.Files, Scratch: t.lake.Scratch}
	for i, in := range t.Job().Inputs {
		from.Feeds = append(from.Feeds, window.Feed{
			Stream: t.inputs[i].Stream, UpTo: landing.Position(read[in.At()]), Table: tables[in.Name],
		})
	}
	return from
}
