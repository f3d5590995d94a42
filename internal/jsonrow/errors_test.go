package jsonrow

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
)

func TestAPanicOfAReaderIsToldOfTheFileAndKeepsItsClass(t *testing.T) {
	none := []byte(nil)
	for name, c := range map[string]struct {
		read func() error
		want string
	}{
		"an index":                 {func() error { _ = none[len(none)]; return nil }, "it is damaged: its footer does not fit together"},
		"a kind":                   {func() error { panic(&reflect.ValueError{Method: "reflect.Value.Len"}) }, "it is damaged: its footer does not fit together"},
		"a text":                   {func() error { panic("bytes.Buffer: truncation out of range") }, "it is damaged: its footer does not fit together"},
		"what a reader words":      {func() error { panic(errors.New("its type 7 is not known")) }, "it is damaged: its type 7 is not known"},
		"what has a class":         {func() error { panic(fmt.Errorf("%w: 3 bytes", ErrLarge)) }, "it takes more memory than it may: 3 bytes"},
		"recovered by the reader":  {recovering, "it is damaged: its footer does not fit together"},
		"an error that is no such": {func() error { return ErrCut }, "it ends too early"},
	} {
		if err := Guard("its footer", c.read); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

// recovering is a reader that makes an error of its own panic.
func recovering() (err error) {
	defer func() { err = fmt.Errorf("unknown error while reading: %w", recover().(error)) }()
	var none []byte
	_ = none[len(none)]
	return nil
}
