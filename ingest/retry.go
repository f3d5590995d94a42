package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/landing"
)

// Retry says which rejects of a stream are to be landed again, and where they are.
type Retry struct {
	// Rejects calls its argument with the stream's rejects, as landing.Stream.Rejects does.
	Rejects func(func(landing.LandedReject) error) error
	// Wanted chooses among those that are pending.
	Wanted func(landing.LandedReject) bool
	// Left is told of each that still can't be read as a row, and why.
	Left func(r landing.LandedReject, reason string) error
	// Delimiter, if not 0, is that of records of CSV, whatever they were landed with.
	Delimiter byte
	// DryRun lands nothing.
	DryRun bool
}

// RetryOutcome is what became of rejects.
type RetryOutcome struct {
	landing.Result
	Readable int64 // landed, or would have in a dry run
	Left     int64 // still can't be read
}

// RetrySource is the name of the arrivals by which rejects land again. The rows keep
// the source and the position that the rejects have.
const RetrySource = "rejects"

// RetryRejects reads pending rejects of stream as it is declared now, and lands by one
// commit the rows that they are. Each lands once, whoever tries and however often: the
// landing log says which have. With log.ErrUnknown it may have been done; trying again
// tells.
func RetryRejects(ctx context.Context, stream *landing.Stream, opts Options, retry Retry) (RetryOutcome, error) {
	decoder, err := NewDecoder(stream.Spec(), opts)
	if err != nil {
		return RetryOutcome{}, err
	}
	for {
		if err := stream.Refresh(ctx); err != nil {
			return RetryOutcome{}, err
		}
		outcome, err := decoder.retry(ctx, stream, retry)
		if !errors.Is(err, landing.ErrRetried) {
			return outcome, err
		}
		retry.Left = nil // they were told
	}
}

// retry is RetryRejects where nobody else is doing the same: else landing.ErrRetried.
func (d *Decoder) retry(ctx context.Context, stream *landing.Stream, retry Retry) (RetryOutcome, error) {
	intake, err := stream.Begin(landing.Source{Name: RetrySource})
	if err != nil {
		return RetryOutcome{}, err
	}
	defer intake.Abort()
	var outcome RetryOutcome
	var landed retriedRecords
	err = retry.Rejects(func(r landing.LandedReject) error {
		if r.Retried || !retry.Wanted(r) {
			return ctx.Err()
		}
		row, problem := d.again(retry.written(r.Reject))
		if problem != nil {
			outcome.Left++
			return retry.left(r, problem.Error())
		}
		outcome.Readable++
		landed.add(r)
		intake.FromLanded(r.Source)
		return errors.Join(intake.Add(row), ctx.Err())
	})
	if err != nil || retry.DryRun || outcome.Readable == 0 {
		return outcome, err
	}
	outcome.Result, err = intake.CommitAs(ctx, landing.Claim{Retried: landed.list})
	return outcome, err
}

// written is a reject as it is to be read.
func (r Retry) written(reject landing.Reject) landing.Reject {
	if r.Delimiter != 0 {
		reject.Delimiter = string(r.Delimiter)
	}
	return reject
}

func (r Retry) left(reject landing.LandedReject, reason string) error {
	if r.Left == nil {
		return nil
	}
	return r.Left(reject, reason)
}

// retriedRecords gathers rejects, which come in order, by their files.
type retriedRecords struct{ list []landing.Retried }

func (l *retriedRecords) add(r landing.LandedReject) {
	if n := len(l.list); n == 0 || l.list[n-1].File != r.File {
		l.list = append(l.list, landing.Retried{File: r.File})
	}
	file := &l.list[len(l.list)-1]
	if n := len(file.Records); n > 0 && file.Records[n-1].To == r.Record {
		file.Records[n-1].To++
		return
	}
	file.Records = append(file.Records, landing.Span{From: r.Record, To: r.Record + 1})
}

// again reads a reject as a row; an error says why it is none. One that was landed with a delimiter of its
// own, which may have been the fault, is read with the stream's if it can't be read with that.
func (d *Decoder) again(r landing.Reject) (landing.Row, error) {
	row, err := d.read(r)
	if err == nil || r.Delimiter == "" {
		return row, err
	}
	r.Delimiter = ""
	if row, other := d.read(r); other == nil {
		return row, nil
	}
	return landing.Row{}, err
}

// read reads a reject as it says that it is written.
func (d *Decoder) read(r landing.Reject) (landing.Row, error) {
	if r.Cut {
		return landing.Row{}, fmt.Errorf("only the first %d bytes were kept of a record that was over the limit", len(r.Raw))
	}
	var one single
	var err error
	if format := Format(r.Format); format == FormatCSV || format == "" && d.opts.Format == FormatCSV {
		err = d.againCSV(r, &one)
	} else {
		err = d.One(r.Raw, r.Context, r.SourcePosition, &one)
	}
	switch {
	case err != nil:
		return landing.Row{}, err
	case one.problem != "":
		return landing.Row{}, errors.New(one.problem)
	case one.records != 1:
		return landing.Row{}, fmt.Errorf("it is read as %d records now", one.records)
	}
	one.row.SourcePosition = r.SourcePosition
	return one.row, nil
}

// againCSV reads a record of CSV below the header and with the delimiter that it came with.
func (d *Decoder) againCSV(r landing.Reject, sink Sink) error {
	csv := *d
	csv.opts.Format = FormatCSV
	switch {
	case r.Context != "":
		csv.opts.CSV.Header = nil
	case len(d.opts.CSV.Header) == 0:
		return errors.New("its header is not known: it came without one, or before headers were kept with rejects")
	}
	if r.Delimiter != "" {
		csv.opts.CSV.Delimiter = r.Delimiter[0]
	}
	if err := csv.opts.CSV.validate(); err != nil {
		return err
	}
	_, err := csv.Decode(bytes.NewReader(slices.Concat([]byte(r.Context), []byte("\n"), r.Raw, []byte("\n"))), sink)
	return err
}

// single takes what is to be one record.
type single struct {
	records int
	row     landing.Row
	problem string
}

// Add keeps a copy of the row.
func (s *single) Add(row landing.Row) error {
	s.records++
	s.row = row
	s.row.Extra, s.row.Values = strings.Clone(row.Extra), slices.Clone(row.Values)
	for i, v := range s.row.Values {
		s.row.Values[i] = v.Clone()
	}
	return nil
}

// Reject keeps the reason.
func (s *single) Reject(r landing.Reject) error {
	s.records++
	s.problem = r.Reason
	return nil
}
