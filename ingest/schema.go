package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
	"strandline/landing"
)

// schema is a stream's declaration, made ready for decoding.
type schema struct {
	columns []datafile.Column
	fields  fields
	members *members
	clock   clock
	spec    landing.Spec
	untimed bool // rows do without an event time
}

// fields are those of an object that are declared, by name, exactly as it is
// written.
type fields map[string]*field

// field says what to do with the fields of one name.
type field struct {
	column int    // index of the declared column, -1 where it is not declared
	time   bool   // it is the event time
	inner  fields // what is declared of an object in its place
	plain  plain
}

// plain says what the values of a field mostly are, and are read as without a detour.
type plain uint8

const (
	notPlain    plain = iota
	plainText         // of a VARCHAR
	plainNumber       // of a BIGINT or DECIMAL
	plainTime         // of the event time, a number of whole units
)

// declared tells whether the field itself is read, so that extra does without it.
// The object that a declared field is in stays in extra as it came.
func (f *field) declared() bool { return f != nil && (f.column >= 0 || f.time) }

// at returns the field that a path leads to, which it makes where there is none.
func (f fields) at(path landing.Path) *field {
	next := f[path[0]]
	if next == nil {
		next = &field{column: -1}
		f[path[0]] = next
	}
	if len(path) == 1 {
		return next
	}
	if next.inner == nil {
		next.inner = fields{}
	}
	return next.inner.at(path[1:])
}

func newSchema(spec landing.Spec) (schema, error) {
	clock, err := newClock(spec.EventTime)
	if err != nil {
		return schema{}, fmt.Errorf("stream %s: %w", spec.Stream, err)
	}
	s := schema{columns: spec.Columns, fields: fields{}, members: newMembers(), clock: clock, spec: spec}
	for i, c := range spec.Columns {
		for _, path := range spec.FieldsOf(c.Name) {
			f := s.fields.at(path)
			if f.column >= 0 {
				return schema{}, fmt.Errorf("stream %s: column %q is declared to be read from the field %s, which column %q is read from already",
					spec.Stream, c.Name, path, spec.Columns[f.column].Name)
			}
			f.column = i
		}
	}
	for _, path := range spec.FieldsOf(spec.EventTime.Column) {
		s.fields.at(path).time = true
	}
	for _, f := range s.fields {
		f.plain = s.plainOf(f)
	}
	return s, nil
}

func (s schema) plainOf(f *field) plain {
	switch {
	case f.inner != nil || f.time && f.column >= 0 || !f.declared():
		return notPlain
	case f.time && s.clock.wholeUnits():
		return plainTime
	case f.time:
		return notPlain
	}
	switch s.columns[f.column].Type.Kind {
	case datafile.Varchar:
		return plainText
	case datafile.BigInt, datafile.Decimal:
		return plainNumber
	default:
		return notPlain
	}
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

	plain  landing.PlainRow // the values that are plain, which values lacks
	detour bool             // values has others
}

func newRecord(s schema) record {
	n := len(s.columns)
	return record{schema: s, values: make([]datafile.Value, n), plain: landing.PlainRow{Values: make([]datafile.Plain, n)}}
}

// reset begins a row that is in a text.
func (r *record) reset(text []byte) {
	if r.detour {
		clear(r.values)
	}
	clear(r.plain.Values)
	r.plain.Text, r.detour = text, false
	r.timed, r.extra, r.text = false, r.extra[:0], r.text[:0]
}

// setTime reads the event time.
func (r *record) setTime(text []byte) error {
	at, err := r.clock.read(text)
	if err == nil && r.timed && at != r.row.EventTime {
		err = timeFlaw(fmt.Errorf("event time: the record has more than one of the fields %s, and they differ", list(r.spec.FieldsOf(r.spec.EventTime.Column))))
	}
	r.row.EventTime, r.timed = at, err == nil
	r.plain.Time = datafile.PlainInteger(at, 0, 0, 0)
	return err
}

// setTimeOf is setTime of a whole number of units, and not ok where there is anything to
// be said about it. It is at [from, to) of the record's text.
func (r *record) setTimeOf(n int64, from, to int) (ok bool) {
	micros, ok := r.clock.ofUnits(n)
	if ok = ok && !r.timed; ok {
		r.row.EventTime, r.timed = micros, true
		r.plain.Time = datafile.PlainInteger(micros, r.clock.shift, from, to)
	}
	return ok
}

// setPlain keeps a value of a declared column, if it is the first that the record has.
func (r *record) setPlain(f *field, value datafile.Plain) (ok bool) {
	at := &r.plain.Values[f.column]
	if ok = at.IsNull() && (!r.detour || r.values[f.column].IsNull()); ok {
		*at = value
	}
	return ok
}

// leavePlain makes the values that are plain those of values.
func (r *record) leavePlain() {
	r.detour = true
	for i := range r.plain.Values {
		if p := &r.plain.Values[i]; !p.IsNull() {
			r.values[i], *p = p.Value(&r.columns[i].Type, r.plain.Text), datafile.Plain{}
		}
	}
}

// set reads the value of a declared column. Of several fields that the column is
// read from, those that are there have to agree: none of them is the one to drop.
func (r *record) set(f *field, text []byte) error {
	c := &r.columns[f.column]
	if f.time && c.Type.Kind == datafile.TimestampTZ {
		// As an instant the field has one meaning, and its unit says which.
		text = time.UnixMicro(r.row.EventTime).UTC().AppendFormat(nil, time.RFC3339Nano)
	}
	value, err := datafile.ParseBorrowed(c.Type, text)
	if err != nil {
		return textFlaw(text, fmt.Errorf("column %s: %w", c.Name, err))
	}
	return r.setValue(f, value)
}

// setValue keeps the value of a declared column.
func (r *record) setValue(f *field, value datafile.Value) error {
	r.leavePlain()
	c := &r.columns[f.column]
	if before := &r.values[f.column]; !before.IsNull() && datafile.Compare(c.Type, *before, value) != 0 {
		return columnFlaw(fmt.Errorf("column %s: the record has more than one of the fields %s, and they differ", c.Name, list(r.spec.FieldsOf(c.Name))))
	}
	r.values[f.column] = value
	return nil
}

// list names fields, for a reason.
func list(paths []landing.Path) string {
	var names []string
	for _, path := range paths {
		if name := path.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
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
	if !r.timed && !r.untimed {
		return landing.Row{}, errNoTime
	}
	r.leavePlain()
	r.row.SourcePosition, r.row.Values, r.row.Extra = position, r.values, r.wholeExtra()
	return r.row, nil
}

// finishPlain is finish of a row whose values are all plain; not ok if it is not so, or
// there is no row.
func (r *record) finishPlain(position int64) (row *landing.PlainRow, ok bool) {
	if r.detour || !r.timed {
		return nil, false
	}
	row = &r.plain
	row.EventTime, row.SourcePosition, row.Extra = r.row.EventTime, position, r.wholeExtra()
	return row, true
}

func (r *record) wholeExtra() string {
	if len(r.extra) == 0 {
		return ""
	}
	return string(append(r.extra, '}'))
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
