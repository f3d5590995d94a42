package infer

import (
	"bytes"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/jsonvalue"
	"strandline/landing"
)

// field is what was seen of the fields of one path.
type field struct {
	name string

	objects int64
	others  int64 // values that are neither objects nor null
	example string
	left    []datafile.Type // the types that hold every value, the first best
	times   []meaning       // what they all may mean as an event time
	strange string          // the value after which that was nothing, if before it was something
	inner   *fields         // of the values that are objects

	quoted bool // there are texts where the format has numbers

	odd int64 // texts that stand for no number: NaN and the infinities

	declared *datafile.Type // what a schema says, if all files that have one say the same
	schemas  int            // that say something
}

// fields are those of an object, in the order in which they were first seen.
type fields struct {
	all   []*field
	named map[string]*field
}

func newFields() *fields { return &fields{named: map[string]*field{}} }

func (f *fields) get(name string) *field {
	known := f.named[name]
	if known == nil {
		known = &field{name: name, left: slices.Clone(candidates), times: slices.Clone(meanings), inner: newFields()}
		f.named[name] = known
		f.all = append(f.all, known)
	}
	return known
}

// at returns the field to which a path leads.
func (f *fields) at(path landing.Path) *field {
	for _, name := range path[:len(path)-1] {
		f = f.get(name).inner
	}
	return f.get(path[len(path)-1])
}

// declare notes what the schema of one more file says.
func (f *field) declare(t datafile.Type) {
	if f.schemas++; f.schemas == 1 {
		f.declared = &t
	} else if f.declared != nil && *f.declared != t {
		f.declared = nil
	}
}

// takes tells whether a value, as it comes, is one of a type.
func takes(t datafile.Type, value []byte) bool {
	asked, _, err := jsonvalue.Text(t, value)
	if err == nil {
		_, err = datafile.ParseBorrowed(t, asked)
	}
	return err == nil
}

// candidates are the types that are inferred, the narrowest first. The last takes any
// JSON value.
var candidates = func() []datafile.Type {
	types := []datafile.Type{{Kind: datafile.Boolean}, {Kind: datafile.BigInt}, {Kind: datafile.UBigInt}}
	for _, scale := range []int{2, 3, 4, 6, 9} {
		types = append(types, datafile.Type{Kind: datafile.Decimal, Precision: 18, Scale: scale})
	}
	for _, scale := range []int{0, 9, 18} {
		types = append(types, datafile.Type{Kind: datafile.Decimal, Precision: 38, Scale: scale})
	}
	for _, kind := range []datafile.Kind{datafile.Double, datafile.UUID, datafile.Date, datafile.TimestampTZ, datafile.Timestamp, datafile.Varchar, datafile.JSON} {
		types = append(types, datafile.Type{Kind: kind})
	}
	return types
}()

// object adds what an object holds. texts says that numbers come as texts.
func (f *fields) object(object []byte, texts bool, depth int) error {
	return jsonvalue.Members(object, func(name string, value jsonvalue.Value) error {
		return f.get(name).value(value, texts, depth)
	})
}

func (f *field) value(value []byte, texts bool, depth int) error {
	switch {
	case value[0] == 'n', texts && string(value) == `""`:
		return nil
	case value[0] == '{' && depth < maxDepth:
		f.objects++
		f.times = nil
		return f.inner.object(value, texts, depth+1)
	case value[0] == '{':
		f.objects++
	default:
		f.others++
		if f.example == "" {
			f.example = string(value)
		}
	}
	return f.judge(value, texts)
}

// judge leaves the types that take a value as landing does, and keep what it says.
func (f *field) judge(value []byte, texts bool) error {
	text, _, err := jsonvalue.Text(datafile.Type{Kind: datafile.Varchar}, value)
	if err != nil {
		text = nil // an object or an array
	}
	switch strings.ToLower(strings.TrimLeft(string(text), "+-")) {
	case "nan", "inf", "infinity":
		f.odd++
	}
	if f.declared != nil && !takes(*f.declared, value) {
		f.declared = nil
	}
	f.left = slices.DeleteFunc(f.left, func(t datafile.Type) bool {
		return !takes(t, value) || !suits(t, value[0], text, texts)
	})
	f.quoted = f.quoted || value[0] == '"' && !texts
	before := len(f.times)
	f.times = slices.DeleteFunc(f.times, func(m meaning) bool { return text == nil || !m.fits(value[0], text) })
	if before > 0 && len(f.times) == 0 && f.others > 1 {
		f.strange = string(value[:min(len(value), mostShown)])
	}
	return nil
}

// suits tells whether a value that a type takes is likely one of it. A text that looks
// like a number is none where the format has numbers, nor one with zeros in front
// anywhere: codes are written so.
func suits(t datafile.Type, first byte, text []byte, texts bool) bool {
	isText := first == '"'
	switch t.Kind {
	case datafile.Varchar, datafile.JSON:
		return true
	case datafile.UUID, datafile.Date, datafile.Timestamp, datafile.TimestampTZ:
		return isText
	case datafile.Boolean:
		return texts || !isText
	}
	if isText && !texts || bytes.HasPrefix(text, []byte("+")) || hasLeadingZero(text) {
		return false
	}
	whole := t.Kind == datafile.BigInt || t.Kind == datafile.UBigInt
	return t.Kind == datafile.Double || !bytes.ContainsAny(text, "eE") && !(whole && bytes.Contains(text, []byte(".")))
}

func hasLeadingZero(text []byte) bool {
	digits := bytes.TrimPrefix(text, []byte("-"))
	return len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}
