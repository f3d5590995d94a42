package ingest

import (
	"errors"

	"strandline/internal/jsonrow"
	"strandline/landing"
)

// flaw is why a record is a reject, and of what kind that is. The kind is said where the
// reason is found: a reason quotes what came, so nothing can be told from its words. A
// reason that says no kind is that the record has not the form of its format.
type flaw struct {
	error
	class landing.RejectClass
}

// Unwrap returns the reason alone.
func (f flaw) Unwrap() error { return f.error }

// classOf returns the kind of a reason.
func classOf(reason error) landing.RejectClass {
	var f flaw
	if errors.As(reason, &f) {
		return f.class
	}
	return landing.RejectForm
}

// timeFlaw is that there is no event time which is one.
func timeFlaw(reason error) error { return flaw{reason, landing.RejectEventTime} }

// columnFlaw is that a column can't have a value.
func columnFlaw(reason error) error { return flaw{reason, landing.RejectColumn} }

// encodingFlaw is that there are bytes which are no text.
func encodingFlaw(reason error) error { return flaw{reason, landing.RejectEncoding} }

// IsNoText tells whether what is wrong is that there are bytes which are no text.
func IsNoText(err error) bool { return classOf(err) == landing.RejectEncoding }

// textFlaw is that a column can't have the value that a text is.
func textFlaw(text []byte, reason error) error {
	if checkText(text) != nil {
		return encodingFlaw(reason)
	}
	return columnFlaw(reason)
}

// typedFlaw is that a value of a typed file is none that can be read; nil if reason is.
func typedFlaw(reason error) error {
	switch {
	case reason == nil:
		return nil
	case errors.Is(reason, jsonrow.ErrNoText):
		return encodingFlaw(reason)
	}
	return columnFlaw(reason)
}
