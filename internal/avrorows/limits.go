package avrorows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"

	"strandline/internal/jsonrow"
)

// limits are what the reader says of a value that is right and that it does not read. It
// has no errors of their own for them, so they are told by its words, which are fixed.
var limits = []struct{ said, means string }{
	{"(raise WithMax", tooLargeBlock},
	{"zero-byte items exceeds", "an array has more than 4096 elements that take no bytes, which are nulls or empty records"},
	{"recursion limit exceeded", "its values are nested too deeply"},
}

var tooLargeBlock = fmt.Sprintf("a block has more than %d MiB, packed or not: write it in smaller ones", maxBlock>>20)

// limited puts an error that tells of a limit of the reader into its class. Others stay
// as they are.
func limited(err error) error {
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("%w: %s", jsonrow.ErrUnsupported, tooLargeBlock)
	}
	for _, l := range limits {
		if strings.Contains(err.Error(), l.said) {
			return fmt.Errorf("%w: %s", jsonrow.ErrUnsupported, l.means)
		}
	}
	return err
}

// unread is the error of a header that is there and can't be read. Its bytes are damaged, or it says what is
// not read, such as another codec; the reader tells the one from the other by its words alone.
func unread(err error) error {
	if disk := new(fs.PathError); errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &disk) {
		return err
	}
	said := strings.TrimPrefix(err.Error(), "ocf: ")
	switch schema, of := strings.CutPrefix(said, "parsing schema: "); {
	case limited(err) != err:
		return err
	case strings.HasPrefix(said, "unknown codec"):
		return fmt.Errorf("%w: %s (of codecs, null, deflate, snappy and zstandard are read)", jsonrow.ErrUnsupported, said)
	case of && !strings.HasPrefix(schema, "invalid schema json"):
		return fmt.Errorf("%w: its header has a schema that is none of Avro (%s): it was damaged, or what writes it does not keep to the specification", jsonrow.ErrUnsupported, schema)
	}
	return fmt.Errorf("%w: its header does not fit together (%s)", jsonrow.ErrDamaged, said)
}
