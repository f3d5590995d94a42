package duck

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

func writeJSON(ctx context.Context, rows *Rows, b *bufio.Writer) error {
	record := shape{kind: duckdb.TYPE_STRUCT}
	for _, out := range rows.outputs {
		record.names = append(record.names, out.name)
		record.children = append(record.children, out.shape)
	}
	var line []byte
	return rows.each(ctx, func(row []any) error {
		line = record.appendFields(line[:0], row)
		line = append(line, '\n')
		_, err := b.Write(line)
		return err
	})
}

// appendJSON writes a value as JSON: numbers with all their digits, NaN and
// infinities as texts, JSON columns as what they are, maps as objects.
func (s shape) appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		if s.json {
			return appendRaw(b, v)
		}
		return appendString(b, v)
	case []byte, time.Time:
		return appendString(b, s.text(v))
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case []any:
		return s.appendList(b, v)
	case map[string]any:
		fields := make([]any, len(s.names))
		for i, name := range s.names {
			fields[i] = v[name]
		}
		return s.appendFields(b, fields)
	case duckdb.OrderedMap:
		return s.appendMap(b, v)
	}
	return append(b, s.text(v)...) // a bool or an exact number
}

func (s shape) appendFields(b []byte, values []any) []byte {
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, s.names[i]), ':')
		b = s.children[i].appendJSON(b, v)
	}
	return append(b, '}')
}

func (s shape) appendList(b []byte, items []any) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.children[0].appendJSON(b, item)
	}
	return append(b, ']')
}

func (s shape) appendMap(b []byte, m duckdb.OrderedMap) []byte {
	keys, values := m.Keys(), m.Values()
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, s.children[0].text(key)), ':')
		b = s.children[1].appendJSON(b, values[i])
	}
	return append(b, '}')
}

func appendFloat(b []byte, f float64, bits int) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendString(b, floatText(f, bits))
	}
	return append(b, floatText(f, bits)...)
}

// appendRaw puts JSON text in as it is, on one line.
func appendRaw(b []byte, text string) []byte {
	out := bytes.NewBuffer(b)
	if err := json.Compact(out, []byte(text)); err != nil {
		return appendString(b, text)
	}
	return out.Bytes()
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
