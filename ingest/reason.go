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
	case errors.As(err, &syntax):
		return fmt.Errorf("the record is no JSON: %v, at byte %d", syntax.Err, syntax.ByteOffset+1)
	default:
		return err
	}
}

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
