package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"strandline/internal/datafile"
	"strandline/landing"
)

// streamColumns is what jobs may lean on: the declared columns of each
// declared stream, also of one that has problems of its own.
type streamColumns map[string][]datafile.Column

func (v value) streams(known streamColumns, serve *Serve) []Stream {
	var out []Stream
	for _, e := range v.entries("a map with a stream or more") {
		s := e.stream(serve)
		known[e.name] = s.Spec.Columns
		e.groupOfItsOwn(s, out)
		out = append(out, s)
	}
	if v.isEmpty(yaml.MappingNode) {
		v.problemAt(v.key, "declares no stream")
	}
	return out
}

func (e entry) stream(serve *Serve) Stream {
	e.named("stream")
	f := e.fields("format", "delimiter", "csv", "event_time", "columns", "optional", "dir", "s3", "http", "kafka", "retain", "watermark")
	s := Stream{Name: e.name, Spec: landing.Spec{Stream: e.name}}
	if v, ok := f.need("format", strings.Join(formats, ", ")); ok {
		format, _ := v.oneOf(formats...)
		s.Format = Format(format)
	}
	s.CSV = f.csv(s.Format)
	if v, ok := f.need("event_time", "{column: …, unit: …} says which field is the event time and what it means"); ok {
		s.Spec.EventTime = v.eventTime()
	}
	if v, ok := f.need("columns", "a map of column names to types, such as {id: VARCHAR}"); ok {
		v.columns(&s.Spec)
	}
	if v, ok := f.get("optional"); ok {
		s.Optional = v.optional(s)
		if s.Format != "" && !s.Format.headed() {
			v.problem("a field that is missing in %s is NULL anyway", s.Format)
		}
	}
	if v, ok := f.get("dir"); ok {
		s.Dir = v.watched(s.Format)
	}
	if v, ok := f.get("s3"); ok {
		s.S3 = v.objects()
	}
	if v, ok := f.get("http"); ok {
		s.HTTP = v.http(serve)
	}
	if v, ok := f.get("kafka"); ok {
		s.Kafka = v.kafka(s.Format)
	}
	if v, ok := f.get("retain"); ok && !v.isNothing() {
		s.Retain = v.retain()
	}
	if v, ok := f.get("watermark"); ok && !v.isNothing() {
		s.Spec.Watermark = v.watermark()
	}
	return s
}

// formats are the choices of a stream's format.
var formats = []string{
	string(FormatNDJSON), string(FormatJSON), string(FormatCSV), string(FormatParquet), string(FormatArrow), string(FormatAvro),
}

// landsCSV is how CSV gets into a stream that declares another format.
const landsCSV = "strandline land STREAM FILE --format csv --delimiter C lands a file of CSV in a stream of any format"

// csv reads how CSV is written: in full, or its delimiter alone.
func (f fields) csv(format Format) CSV {
	short, isShort := f.get("delimiter")
	full, isFull := f.get("csv")
	switch {
	case format != FormatCSV && isShort && format != "":
		short.problem("only csv has a delimiter, and the format is %s (%s)", format, landsCSV)
	case format != FormatCSV && isFull && format != "":
		full.problem("the format is %s (%s)", format, landsCSV)
	case format != FormatCSV:
	case isFull && isShort:
		short.problem("say it in csv: {delimiter: …}, beside the rest")
	case isFull:
		return full.csv()
	case isShort:
		out := usualCSV
		if out.Delimiter = short.character(); out.Delimiter == out.Quote {
			short.problem("a quote can't be the delimiter (csv: {quote: …} declares another quote)")
		}
		return out
	default:
		return usualCSV
	}
	return CSV{}
}
