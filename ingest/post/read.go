package post

import (
	"bytes"
	"context"
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

// maxWindow is the history that zstd may ask to be kept, in bytes: what RFC 9659 has
// for this content encoding.
const maxWindow = 8 << 20

// newPost is the post that a request asks for, without its body.
func (l *lane) newPost(a asked, limits Limits) *post {
	p := &post{source: sourceOf(a), options: l.Read, arrived: time.Now(), done: make(chan verdict, 1)}
	p.options.Format, p.options.MaxRecord, p.options.MaxWindow = a.format, limits.Line, maxWindow
	p.options.Room = ingest.Room{Held: limits.held(), Unpacked: limits.Decompressed}
	if a.key != "" {
		p.keyed, p.outcome.Digest = true, digestOfKey(a.token, a.key)
	}
	return p
}

// receive reads a request's body as it is sent. The share is given back by the caller.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, share *share) ([]byte, error) {
	if r.ContentLength > s.limits.Body {
		return nil, errTooLarge
	}
	defer s.drain.reading(w)()
	sent, err := readAll(http.MaxBytesReader(w, r.Body, s.limits.Body), s.limits.Body, share)
	if err != nil && s.drain.cut.Err() != nil {
		return nil, errStopping
	}
	return sent, err
}

// errStopping says that a body was not whole when the server could wait no longer.
var errStopping = errors.New("the server is stopping")

// open gives a post its body, which tells it from others.
func (s *Server) open(p *post, sent []byte, h http.Header, share *share) (err error) {
	if p.body, err = s.decompress(sent, h, share); err == nil {
		p.outcome.Body = p.digest()
	}
	return err
}

// decompress returns a body without its compression.
func (s *Server) decompress(sent []byte, h http.Header, share *share) ([]byte, error) {
	said := encodingOf(h)
	if err := isEncoded(sent, said); err != nil {
		return nil, err
	}
	if said == "" {
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
	case errors.As(err, &tooLarge), errors.Is(err, errTooLarge), errors.Is(err, ingest.ErrLarge):
		return newProblem(http.StatusRequestEntityTooLarge, reasonTooLarge,
			fmt.Sprintf("the body has more than %d bytes, or more than %d without its compression: post less at a time", s.limits.Body, s.limits.Decompressed))
	case errors.Is(err, errNoMemory):
		return newProblem(http.StatusServiceUnavailable, reasonBusy, "the server holds as many bodies as it may: post again").after(soon)
	case errors.Is(err, errStopping):
		return stopping()
	case errors.Is(err, errTooManyRejects):
		return newProblem(http.StatusUnprocessableEntity, reasonRejects,
			fmt.Sprintf("nothing landed: more than %d records of the body can't be read: mend it, or post less at a time, or land it as a file by strandline land", maxRejects))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, reasonSlow,
			fmt.Sprintf("nothing landed: the request did not come in whole within %v; send it again, faster, or less at a time", s.limits.Read)).after(soon)
	case errors.Is(err, errEncoded), errors.Is(err, errNotEncoded):
		return newProblem(http.StatusUnsupportedMediaType, reasonEncoding, err.Error())
	case errors.Is(err, ingest.ErrInput):
		return newProblem(http.StatusBadRequest, reasonBody, fmt.Sprintf("nothing landed: the body can't be read: %v", ingest.OfBody.About(err)))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, context.Canceled):
		return newProblem(http.StatusBadRequest, reasonBody, "nothing landed: the request ended before its body was whole: send it again, whole")
	}
	return newProblem(http.StatusBadRequest, reasonBody, fmt.Sprintf("nothing landed: read the body: %v", err))
}
