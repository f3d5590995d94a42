package arrowrows

import (
	"fmt"
	"os"

	"strandline/internal/jsonrow"
)

// extent is where a stream lies: [from, to), the mark of its end included.
type extent struct{ from, to int64 }

// findStreams returns where the streams lie that a copy of so many bytes consists of, one
// after another; no byte of it is left over.
func findStreams(copied *os.File, size int64) (all []extent, err error) {
	for at := int64(0); at < size || at == 0; {
		if at > 0 {
			if err := beginsStream(copied, at, size); err != nil {
				return nil, err
			}
		}
		end, err := findEnd(copied, at, size)
		if err != nil {
			return nil, err
		}
		all = append(all, extent{at, end})
		at = end
	}
	return all, nil
}

// findEnd returns where the stream ends that begins at an offset.
func findEnd(copied *os.File, at, size int64) (int64, error) {
	first, err := messageAt(copied, at, size)
	if err == nil {
		err = first.checkSchema()
	}
	for m := first; err == nil; m, err = messageAt(copied, m.end, size) {
		if m.meta == nil {
			return m.end, nil
		}
	}
	return 0, err
}

// beginsStream says what is wrong with the bytes after the end of a stream, unless
// another one begins there.
func beginsStream(copied *os.File, at, size int64) error {
	head := make([]byte, min(int64(len(messageMark)), size-at))
	if _, err := copied.ReadAt(head, at); err != nil {
		return err
	}
	switch string(head) {
	case messageMark:
		return nil
	case messageMark[:len(head)]:
		return fmt.Errorf("%w: another stream begins in it and does not end", jsonrow.ErrCut)
	}
	return fmt.Errorf("%w: after the end of its stream come %d bytes that are no other one", jsonrow.ErrDamaged, size-at)
}
