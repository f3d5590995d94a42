package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"strandline/landing"
)

// noValue begins the context of a record that has no value of its own.
const noValue = `{"` + FieldTombstone + `":true`

// FieldTombstone is the field of a context that says, where it comes first and is true,
// that there is no value: the record is its context alone.
const FieldTombstone = "_tombstone"

// One reads one JSON object that a source handed over by itself, such as a message. It
// may have line breaks. context is a JSON object of what the source says of the record
// beside its value, or ""; its fields are read as if they stood in the value, and a
// value that has one of them too is a reject. position is the record's source position.
//
// The sink gets a row or a reject, and a reject keeps raw and context, so that reading
// it again needs nothing else. The only errors are the sink's.
func (d *Decoder) One(raw []byte, context string, position int64, sink Sink) error {
	if d.single == nil {
		d.single = newJSONDecoding(&decoding{record: newRecord(d.schema)})
	}
	reject := landing.Reject{SourcePosition: position, Raw: raw, Context: context, Format: string(FormatJSON)}
	if len(raw) > d.opts.MaxRecord {
		reject.Raw = raw[:min(len(raw), rawKept)]
		reject.Class, reject.Cut = landing.RejectLength, len(reject.Raw) < len(raw)
		reject.Reason = fmt.Sprintf("the record has %d bytes, more than the limit of %d (only its first %d bytes are kept)", len(raw), d.opts.MaxRecord, len(reject.Raw))
		return sink.Reject(reject)
	}
	row, problem := d.single.alone(raw, context, position)
	if problem != nil {
		reject.Reason, reject.Class = problem.Error(), classOf(problem)
		return sink.Reject(reject)
	}
	return sink.Add(row)
}

// alone reads one object and its context as a row.
func (j *jsonDecoding) alone(raw []byte, context string, position int64) (landing.Row, error) {
	object := joined(context, raw)
	if len(bytes.TrimSpace(object)) == 0 {
		return landing.Row{}, errors.New("the record is empty, want one JSON object")
	}
	err := j.gather(object)
	if err == nil {
		return j.record.finish(position)
	}
	// What is wrong with the value is told as of the value, with its own offsets.
	if alone := j.gather(raw); alone != nil && len(raw) > 0 {
		err = alone
	}
	return landing.Row{}, err
}

func (j *jsonDecoding) gather(object []byte) error {
	j.record.reset(nil)
	return explain(j.object(object))
}

// joined returns one object with the members of both. Where raw is no object the result
// is none either.
func joined(context string, raw []byte) []byte {
	if len(raw) == 0 && strings.HasPrefix(context, noValue) {
		return []byte(context)
	}
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if context == "" || context == "{}" || len(raw) == 0 || raw[0] != '{' {
		return raw
	}
	members := bytes.TrimLeft(raw[1:], " \t\r\n")
	out := make([]byte, 0, len(context)+len(raw))
	out = append(out, context[:len(context)-1]...)
	if len(members) > 0 && members[0] != '}' {
		out = append(out, ',')
	}
	return append(out, members...)
}
