// Package jsonvalue says what a JSON value means to a column, and finds one within
// another. JSON here is valid: it was checked when it landed.
package jsonvalue

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
)

// Text returns the text that a column of a type is read from, null where the value
// is JSON's null: of a string what is in it, of any other value its token, and for a
// column of JSON the value itself without space between its tokens. An object or an
// array is an error for all other types.
func Text(t datafile.Type, value jsontext.Value) (text []byte, null bool, err error) {
	switch kind := value.Kind(); {
	case kind == 'n':
		return nil, true, nil
	case t.Kind == datafile.JSON:
		text, err = jsontext.AppendFormat(nil, value, jsontext.PreserveRawStrings(true))
	case kind == '"':
		text, err = jsontext.AppendUnquote(nil, value)
	case kind == '{' || kind == '[':
		return nil, false, fmt.Errorf("it holds %s, want %s", nouns[kind], t)
	default:
		text = value
	}
	return text, false, err
}

var nouns = map[jsontext.Kind]string{'{': "an object", '[': "an array"}

// At returns the value that a path leads to, the names of fields from the outermost
// object on, and nil where there is none. It is a part of value.
func At(value jsontext.Value, path []string) (jsontext.Value, error) {
	for _, name := range path {
		var err error
		if value, err = member(value, name); err != nil || value == nil {
			return nil, err
		}
	}
	return value, nil
}

// member returns the value of an object's field, nil where there is none.
func member(object jsontext.Value, name string) (jsontext.Value, error) {
	if object.Kind() != '{' {
		return nil, nil
	}
	tokens := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := tokens.ReadToken(); err != nil {
		return nil, err
	}
	for tokens.PeekKind() == '"' {
		key, err := tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		if key.String() != name {
			if err := tokens.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		return tokens.ReadValue()
	}
	return nil, nil
}
