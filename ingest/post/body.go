package post

import (
	"errors"
	"io"
)

// Why a body is not taken.
var (
	errTooLarge = errors.New("it is too large")
	errNoMemory = errors.New("there is no memory for it now")
)

// chunk is what a body's buffer begins with, in bytes.
const chunk = 8 << 10

// readAll reads r to its end, at most limit bytes. What it holds is taken from the
// share before it is there: never more than what was sent, and as much again.
func readAll(r io.Reader, limit int64, s *share) ([]byte, error) {
	var body []byte
	for {
		if len(body) == cap(body) {
			grown, err := grow(body, limit, s)
			if err != nil {
				return nil, err
			}
			body = grown
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if int64(len(body)) > limit {
			return nil, errTooLarge
		}
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// grow returns the body in a buffer of twice the size, or of one byte more than the limit.
func grow(body []byte, limit int64, s *share) ([]byte, error) {
	size := min(max(chunk, 2*int64(cap(body))), limit+1)
	if !s.take(size) {
		return nil, errNoMemory
	}
	grown := make([]byte, len(body), size)
	copy(grown, body)
	s.giveBack(int64(cap(body)))
	return grown, nil
}
