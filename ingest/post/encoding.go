package post

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strings"

	"strandline/ingest"
)

// encodings are what a body may be compressed with.
var encodings = []string{"gzip", "zstd", "identity"}

// encodingOf returns what a request says that its body is compressed with, "" for nothing.
func encodingOf(h http.Header) string {
	text := strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ",")))
	switch text {
	case "identity":
		return ""
	case "x-gzip":
		return "gzip"
	}
	return text
}

// checkEncoding refuses a body that is compressed in a way which is not read.
func checkEncoding(h http.Header) *problem {
	if said := encodingOf(h); said == "" || slices.Contains(encodings, said) {
		return nil
	}
	list := strings.Join(encodings, ", ")
	return newProblem(http.StatusUnsupportedMediaType, reasonEncoding, "the body's Content-Encoding is not read; use one of "+list).
		with("Accept-Encoding", list)
}

// Why a body is not what its request says.
var (
	errEncoded    = errors.New("the body is compressed: say so by Content-Encoding")
	errNotEncoded = errors.New("the body is not compressed as its Content-Encoding says")
)

// beginnings are those of bodies that are compressed.
var beginnings = map[string]string{"gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd"}

// isEncoded tells whether a body begins as one does that is compressed as is said, "" for
// not at all.
func isEncoded(body []byte, said string) error {
	for encoding, beginning := range beginnings {
		if said == "" && bytes.HasPrefix(body, []byte(beginning)) {
			return errEncoded
		}
		if said != encoding || bytes.HasPrefix(body, []byte(beginning)) {
			continue
		}
		switch {
		case strings.HasPrefix(beginning, string(body)):
			return ingest.ErrTruncated
		case encoding == "zstd" && isSkipped(body):
			continue
		}
		return errNotEncoded
	}
	return nil
}

// isSkipped tells a frame of zstd that is to be left out, which others may follow.
func isSkipped(body []byte) bool {
	return len(body) >= 4 && body[0]&0xf0 == 0x50 && string(body[1:4]) == "\x2a\x4d\x18"
}
