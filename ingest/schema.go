package ingest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
	"strandline/landing"
)

// schema is a stream's declaration, made ready for decoding.
type schema struct {
	columns []datafile.Column
	fields  map[string]field // by name, exactly as it is written
	clock   clock
	time    string // name of the event time's field
}

// field says what to do with the fields of one name.
type field struct {
	column int  // index of the declared column, -1 where it is not declared
	time   bool // it is the event time
}

// undeclared is the field of a name that the stream does not know.
var undeclared = field{column: -1}

func newSchema(spec landing.Spec) (schema, error) {
	clock, err := newClock(spec.EventTime)
	if err != nil {
		return schema{}, fmt.Errorf("stream %s: %w", spec.Stream, err)
	}
	s := schema{columns: spec.Columns, fields: map[string]field{}, clock: clock, time: spec.EventTime.Column}
	for i, c := range spec.Columns {
		if _, twice := s.fields[c.Name]; twice {
			return schema{}, fmt.Errorf("stream %s: column %q is declared twice", spec.Stream, c.Name)
		}
		s.fields[c.Name] = field{column: i}
	}
	at, declared := s.fields[s.time]
	if !declared {
		at = undeclared
	}
	at.time = true
	s.fields[s.time] = at
	return s, nil
}

// record gathers one row while its fields are read. The bytes of its values
// are those of the record being read.
type record struct {
	schema
	row    landing.Row
	timed  bool   // the event time has been read
	extra  []byte // of the row, without the closing brace
	values []datafile.Value
	text   []byte // scratch for a text that is not in the source as it is meant
}

func (r *record) reset() {
	clear(r.values)
	r.timed, r.extra, r.text = false, r.extra[:0], r.text[:0]
}

// setTime reads the event time.
func (r *record) setTime(text []byte) (err error) {
	r.row.EventTime, err = r.clock.read(text)
	r.timed = err == nil
	return err
}

// set reads the value of a declared column.
func (r *record) set(f field, text []byte) (err error) {
	c := r.columns[f.column]
	if f.time && c.Type.Kind == datafile.TimestampTZ {
		// As an instant the field has one meaning, and its unit says which.
		text = time.UnixMicro(r.row.EventTime).UTC().AppendFormat(nil, time.RFC3339Nano)
	}
	if r.values[f.column], err = datafile.ParseBorrowed(c.Type, text); err != nil {
		return fmt.Errorf("column %s: %w", c.Name, err)
	}
	return nil
}

// addExtra keeps an undeclared field: name and value are JSON as it came.
func (r *record) addExtra(name, value []byte) {
	separator := byte(',')
	if len(r.extra) == 0 {
		separator = '{'
	}
	r.extra = append(append(r.extra, separator), name...)
	r.extra = append(append(r.extra, ':'), value...)
}

// finish returns the row, or why there is none.
func (r *record) finish(position int64) (landing.Row, error) {
	if !r.timed {
		return landing.Row{}, errNoTime
	}
	r.row.SourcePosition, r.row.Values, r.row.Extra = position, r.values, ""
	if len(r.extra) > 0 {
		r.row.Extra = string(append(r.extra, '}'))
	}
	return r.row, nil
}

// compact returns a JSON value without the space between its tokens, all else
// as it came.
func compact(value jsontext.Value) (jsontext.Value, error) {
	nested := value.Kind() == '{' || value.Kind() == '['
	if !nested || !bytes.ContainsAny(value, " \t\r\n") {
		return value, nil
	}
	return jsontext.AppendFormat(nil, value, jsontext.PreserveRawStrings(true))
}
