package post

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"strandline/ingest"
	"strandline/internal/digest"
	"strandline/landing"
)

// post is one that can be landed: its body has been read, and its records too, once.
type post struct {
	source  string
	options ingest.Options
	body    []byte // decompressed
	arrived time.Time
	keyed   bool
	// outcome has its key, if it is keyed, and what becomes of it: how many rows and
	// rejects there are, and where they are once that is known.
	outcome landing.Key
	done    chan verdict // gets one
}

// verdict is what a post is answered.
type verdict struct {
	answer  Answer
	problem *problem // instead, if not nil
}

// source is the kind of all that comes this way.
const source = "http"

// maxWindow is the history that zstd may ask to be kept, in bytes: what RFC 9659 has
// for this content encoding.
const maxWindow = 8 << 20

// read takes a request's body in. The share is given back by the caller.
func (s *Server) read(w http.ResponseWriter, r *http.Request, l *lane, format ingest.Format, share *share) (*post, *problem) {
	sent, err := readAll(http.MaxBytesReader(w, r.Body, s.limits.Body), s.limits.Body, share)
	if err != nil {
		return nil, s.unreadable(err)
	}
	p := &post{source: source + ":" + rand.Text(), options: l.Read, arrived: time.Now(), done: make(chan verdict, 1)}
	p.options.Format, p.options.MaxRecord, p.options.MaxWindow = format, s.limits.Line, maxWindow
	select {
	case s.decoders <- struct{}{}:
		defer func() { <-s.decoders }()
	case <-r.Context().Done():
		return nil, s.unreadable(context.Cause(r.Context()))
	}
	if p.body, err = s.decompress(sent, r.Header, share); err != nil {
		return nil, s.unreadable(err)
	}
	if err := p.check(l.spec, s.limits.Decompressed); err != nil {
		return nil, s.unreadable(err)
	}
	return p, nil
}

// errEncoded says that a body is compressed and its request does not say so.
var errEncoded = errors.New("the body is compressed: say so by Content-Encoding")

// decompress returns a body without its compression.
func (s *Server) decompress(sent []byte, h http.Header, share *share) ([]byte, error) {
	if h.Get("Content-Encoding") == "" || h.Get("Content-Encoding") == "identity" {
		if bytes.HasPrefix(sent, []byte("\x1f\x8b")) || bytes.HasPrefix(sent, []byte("\x28\xb5\x2f\xfd")) {
			return nil, errEncoded
		}
		return sent, nil
	}
	plain, err := ingest.Decompress(bytes.NewReader(sent), maxWindow)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	body, err := readAll(plain, s.limits.Decompressed, share)
	share.giveBack(int64(cap(sent)))
	return body, err
}

// digest is of what was posted. The same bytes in another format are something else.
func (p *post) digest() digest.Hash {
	h := sha256.New()
	fmt.Fprintln(h, p.options.Format)
	h.Write(p.body)
	return digest.Hash(h.Sum(nil))
}

// land decodes the body again, to land it.
func (p *post) land(spec landing.Spec, in *landing.Intake) error {
	in.From(p.source)
	decoder, err := ingest.NewDecoder(spec, p.options)
	if err != nil {
		return err
	}
	_, err = decoder.Decode(bytes.NewReader(p.body), in)
	return err
}

// unreadable says why a body was not taken.
func (s *Server) unreadable(err error) *problem {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge), errors.Is(err, errTooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, reasonTooLarge,
			fmt.Sprintf("the body has more than %d bytes, or more than %d without its compression: post less at a time", s.limits.Body, s.limits.Decompressed))
	case errors.Is(err, errNoMemory):
		return newProblem(http.StatusServiceUnavailable, reasonBusy, "the server holds as many bodies as it may: post again").after(soon)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, reasonSlow, fmt.Sprintf("the request did not come in whole within %v", s.limits.Read))
	case errors.Is(err, errEncoded):
		return newProblem(http.StatusUnsupportedMediaType, reasonEncoding, err.Error())
	case errors.Is(err, ingest.ErrInput):
		return newProblem(http.StatusBadRequest, reasonBody, fmt.Sprintf("nothing landed: the body can't be read: %v", err))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		return newProblem(http.StatusBadRequest, reasonBody, "nothing landed: the request ended before its body was whole")
	}
	return newProblem(http.StatusBadRequest, reasonBody, fmt.Sprintf("nothing landed: read the body: %v", err))
}
