package ingest

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// explain turns the JSON reader's errors into reasons for a person; others
// are reasons already.
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return duplicateName(err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON object ends too early")
	case !errors.As(err, &syntax):
		return err
	}
	noJSON := fmt.Errorf("the record is no JSON: %v, at byte %d", syntax.Err, syntax.ByteOffset+1)
	if errors.Is(syntax.Err, errUTF8) {
		return encodingFlaw(noJSON)
	}
	return noJSON
}

// errUTF8 is the JSON reader's error of bytes that are not UTF-8, for which it has no
// name.
var errUTF8 = func() error {
	_, err := jsontext.AppendQuote(nil, "\xff")
	return errors.Unwrap(err)
}()

func duplicateName(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return errors.New("an object has a name twice")
	}
	return fmt.Errorf("an object has the name %s twice", clip([]byte(syntax.JSONPointer.LastToken())))
}

// describe names a kind of JSON value.
func describe(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	default:
		return kind.String()
	}
}
