// Package jsonvalue says what a JSON value means to a column, and finds one within
// another. JSON here is valid: it was checked when it landed.
package jsonvalue

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"strandline/internal/datafile"
)

// Value is one JSON value, as it is written.
type Value = jsontext.Value

// Text returns the text that a column of a type is read from, null where the value
// is JSON's null: of a string what is in it, of any other value its token, and for a
// column of JSON the value itself without space between its tokens. An object or an
// array is an error for all other types.
func Text(t datafile.Type, value Value) (text []byte, null bool, err error) {
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
func At(value Value, path []string) (Value, error) {
	for _, name := range path {
		var err error
		if value, err = member(value, name); err != nil || value == nil {
			return nil, err
		}
	}
	return value, nil
}

// member returns the value of an object's field, nil where there is none.
func member(object Value, name string) (found Value, err error) {
	err = Members(object, func(key string, value Value) error {
		if key != name {
			return nil
		}
		found = value
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return found, err
}

var errFound = errors.New("it is found")

// Members calls fn with each field of an object, in their order, until fn errs. What
// is no object has none.
func Members(object Value, fn func(name string, value Value) error) error {
	if object.Kind() != '{' {
		return nil
	}
	tokens := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := tokens.ReadToken(); err != nil {
		return err
	}
	for tokens.PeekKind() == '"' {
		key, err := tokens.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		value, err := tokens.ReadValue()
		if err == nil {
			err = fn(name, value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
