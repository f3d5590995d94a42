package kafka

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest"
)

// The fields that Kafka says of a record beside its value. A value may not have them.
const (
	FieldKey       = "_key"        // a text
	FieldKeyBytes  = "_key_base64" // of a key that is no UTF-8, instead of _key
	FieldTimestamp = "_timestamp"  // milliseconds since 1970
	FieldHeaders   = "_headers"    // an object of texts
)

// contextOf returns the JSON object of what Kafka says of a record beside its value.
// What is not there is left out.
func contextOf(r *kgo.Record) string {
	c := object{'{'}
	if r.Value == nil {
		c = append(c.member(ingest.FieldTombstone), "true"...)
	}
	switch {
	case r.Key == nil:
	case utf8.Valid(r.Key):
		c = appendText(c.member(FieldKey), r.Key)
	default:
		c = appendBase64(c.member(FieldKeyBytes), r.Key)
	}
	if at := r.Timestamp.UnixMilli(); at >= 0 {
		c = strconv.AppendInt(c.member(FieldTimestamp), at, 10)
	}
	if len(r.Headers) > 0 {
		c = append(c.member(FieldHeaders), headersOf(r.Headers)...)
	}
	return string(append(c, '}'))
}

// headersOf returns the headers as an object. Those that share a name are an array.
func headersOf(headers []kgo.RecordHeader) []byte {
	byName := map[string][]kgo.RecordHeader{}
	var names []string
	for _, h := range headers {
		name := strings.ToValidUTF8(h.Key, "\uFFFD")
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], h)
	}
	o := object{'{'}
	for _, name := range names {
		o = appendHeaders(o.member(name), byName[name])
	}
	return append(o, '}')
}

func appendHeaders(dst []byte, same []kgo.RecordHeader) []byte {
	if len(same) == 1 {
		return appendHeader(dst, same[0].Value)
	}
	for i, h := range same {
		dst = appendHeader(append(dst, "[,"[min(i, 1)]), h.Value)
	}
	return append(dst, ']')
}

// appendHeader writes a header's value: a text, null, or an object with its base64.
func appendHeader(dst []byte, value []byte) []byte {
	switch {
	case value == nil:
		return append(dst, "null"...)
	case utf8.Valid(value):
		return appendText(dst, value)
	}
	return append(appendBase64(append(dst, `{"base64":`...), value), '}')
}

// object is a JSON object without its closing brace.
type object []byte

func (o object) member(name string) object {
	if len(o) > 1 {
		o = append(o, ',')
	}
	return append(appendText(o, []byte(name)), ':')
}

func appendText(dst, text []byte) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // it errs only where text is no UTF-8
	return dst
}

func appendBase64(dst, value []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), value), '"')
}
