package landing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
)

// valueBytes is what a value takes in memory, beside the bytes it points to.
const valueBytes = 24

const maxRejectBytes = 32 << 20

// rejectColumns are those of a file of rejects. Files that were written before there
// were more have the first four.
var rejectColumns = []datafile.Column{
	{Name: ColumnSource, Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: ColumnSourcePosition, Type: datafile.Type{Kind: datafile.BigInt}},
	{Name: "reason", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "raw", Type: datafile.Type{Kind: datafile.Blob}},
	{Name: "cut", Type: datafile.Type{Kind: datafile.Boolean}},
	{Name: "format", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "context", Type: datafile.Type{Kind: datafile.Varchar}},
	{Name: "delimiter", Type: datafile.Type{Kind: datafile.Varchar}},
}

// How many columns a file of rejects has: at first, then, and where one has a delimiter of its own.
const (
	firstRejectColumns = 4
	usualRejectColumns = 7
)

// rejectBuffer gathers rejects until they are written as a file.
type rejectBuffer struct {
	source    string // of those to come
	data      [][]datafile.Value
	rows      int
	bytes     int
	delimited bool // one has a delimiter of its own
}

func (b *rejectBuffer) add(r Reject) {
	if b.data == nil {
		b.data = make([][]datafile.Value, len(rejectColumns))
	}
	for i, v := range []datafile.Value{
		parquet.ByteArrayValue([]byte(b.source)), parquet.Int64Value(r.SourcePosition),
		parquet.ByteArrayValue([]byte(r.Reason)), parquet.ByteArrayValue(slices.Clone(r.Raw)),
		parquet.BooleanValue(r.Cut), parquet.ByteArrayValue([]byte(r.Format)), parquet.ByteArrayValue([]byte(r.Context)),
		parquet.ByteArrayValue([]byte(r.Delimiter)),
	} {
		b.data[i] = append(b.data[i], v)
	}
	b.rows++
	b.delimited = b.delimited || r.Delimiter != ""
	b.bytes += len(b.source) + len(r.Raw) + len(r.Reason) + len(r.Context) + len(rejectColumns)*valueBytes
}

// closeRejects writes the rejects gathered so far as a file in scratch.
func (in *Intake) closeRejects() error {
	rejects := in.rejects
	if rejects.rows == 0 {
		return nil
	}
	id, err := objstore.FreshID()
	if err != nil {
		return err
	}
	columns := usualRejectColumns
	if rejects.delimited {
		columns = len(rejectColumns)
	}
	if _, err := datafile.Write(in.path(id), rejectColumns[:columns], rejects.data[:columns], []int{rejects.rows}); err != nil {
		return fmt.Errorf("write %d rejects: %w", rejects.rows, err)
	}
	in.rejected = append(in.rejected, id)
	in.rejects = &rejectBuffer{source: rejects.source}
	return nil
}

// LandedReject is a reject as the lake holds it.
type LandedReject struct {
	Reject
	Source   string
	LandedAt time.Time
	File     string // id of its file
	Record   int64  // where it is in there, from 0
	Retried  bool   // it has landed again, as a row
}

// rejectFile is a file of rejects, and which of them have landed again.
type rejectFile struct {
	id      string
	at      time.Time
	retried spans
}

// Rejects calls fn with every reject of the stream that has not expired, in the
// order they came, as of the last Refresh. An error of fn ends it and is returned.
func (s *Stream) Rejects(ctx context.Context, files *localfile.Cache, fn func(LandedReject) error) error {
	var list []rejectFile
	s.View(func(state *State) {
		for a := range state.withRejects() {
			for _, id := range a.RejectFiles {
				list = append(list, rejectFile{id, a.LandedAt, slices.Clone(state.retried[id])})
			}
		}
	})
	for _, f := range list {
		err := s.scanRejects(ctx, files, f, fn)
		if errors.Is(err, objstore.ErrNotFound) && s.expiredSince(ctx, f) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expiredSince reads the log on and tells whether the rejects of a file have expired.
func (s *Stream) expiredSince(ctx context.Context, f rejectFile) bool {
	if s.Refresh(ctx) != nil {
		return false
	}
	expired := true
	s.View(func(state *State) {
		for a := range state.withRejects() {
			expired = expired && !slices.Contains(a.RejectFiles, f.id)
		}
	})
	return expired
}

// withRejects yields, in order, all arrivals that have files of rejects, and others,
// with those of the files that have not expired.
func (s *State) withRejects() iter.Seq[Arrival] {
	return func(yield func(Arrival) bool) {
		for _, some := range [][]Arrival{s.rejected, s.arrivals} {
			for _, a := range some {
				a.RejectFiles = s.RejectFiles(a)
				if !yield(a) {
					return
				}
			}
		}
	}
}

// ExpiredRejects counts the rejects that have expired with the rows that they came
// with.
func (s *State) ExpiredRejects() int64 {
	_, gone := s.Arrived()
	for a := range s.withRejects() {
		if len(a.RejectFiles) > 0 {
			gone -= a.Rejects
		}
	}
	return gone
}

func (s *Stream) scanRejects(ctx context.Context, files *localfile.Cache, f rejectFile, fn func(LandedReject) error) error {
	key := s.rejectKey(f.id)
	path, release, err := files.Get(ctx, key)
	if err != nil {
		return fmt.Errorf("fetch rejects %s: %w", key, err)
	}
	defer release()
	record := int64(-1)
	err = scanRejectFile(path, func(r Reject, source string) error {
		record++
		r.Raw = slices.Clone(r.Raw)
		return fn(LandedReject{
			Reject: r, Source: source, LandedAt: f.at, File: f.id, Record: record, Retried: f.retried.has(record),
		})
	})
	if err = files.Gone(err, path); errors.Is(err, datafile.ErrCorrupt) || errors.Is(err, objstore.ErrNotFound) {
		return fmt.Errorf("read rejects %s: %w", key, err)
	}
	return err
}

// scanRejectFile calls fn with each reject of a file, and its source. The reject's
// bytes are valid during that call only. datafile.ErrCorrupt if it is no whole file
// of rejects.
func scanRejectFile(path string, fn func(r Reject, source string) error) error {
	file, err := datafile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if columns := file.Columns(); !areRejectColumns(columns) {
		return fmt.Errorf("%w: it has the columns %v, want %v", datafile.ErrCorrupt, columns, rejectColumns[:usualRejectColumns])
	}
	return file.Scan(func(row []datafile.Value) error {
		return fn(rejectOf(row), string(row[0].ByteArray()))
	})
}

func areRejectColumns(columns []datafile.Column) bool {
	n := len(columns)
	return (n == firstRejectColumns || n == usualRejectColumns || n == len(rejectColumns)) && slices.Equal(columns, rejectColumns[:n])
}

// rejectOf reads a row of a file of rejects; its bytes stay the row's.
func rejectOf(row []datafile.Value) Reject {
	r := Reject{SourcePosition: row[1].Int64(), Reason: string(row[2].ByteArray()), Raw: row[3].ByteArray()}
	if len(row) > firstRejectColumns {
		r.Cut, r.Format, r.Context = row[4].Boolean(), string(row[5].ByteArray()), string(row[6].ByteArray())
	}
	if len(row) > usualRejectColumns {
		r.Delimiter = string(row[usualRejectColumns].ByteArray())
	}
	return r
}

// CheckRejects reads one of an arrival's files of rejects, at path:
// datafile.ErrCorrupt if it does not hold what the landing log says.
func (s *State) CheckRejects(a Arrival, id, path string) error {
	var records int64
	err := scanRejectFile(path, func(Reject, string) error { records++; return nil })
	if err == nil && (records > a.Rejects || len(a.RejectFiles) == 1 && records != a.Rejects) {
		err = fmt.Errorf("%w: it has %d records of %q, the landing log says %d", datafile.ErrCorrupt, records, a.Name, a.Rejects)
	}
	if last := s.retried[id].end(); err == nil && records < last {
		err = fmt.Errorf("%w: it has %d records of %q, of which the landing log says that record %d landed again", datafile.ErrCorrupt, records, a.Name, last)
	}
	return err
}
