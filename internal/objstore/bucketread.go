package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Open reads an object from its beginning, in exactly the version that was listed.
// Open and Read fail with ErrReplaced if the key holds another by now, and with
// ErrNotFound if it holds none. An answer that breaks off is taken up where it
// broke, so that an object of any size is read once.
func (b *Bucket) Open(ctx context.Context, v Version) (io.ReadCloser, error) {
	r := &versionReader{bucket: b, ctx: ctx, version: v}
	if err := r.ask(); err != nil {
		return nil, err
	}
	return r, nil
}

// versionReader reads one version of an object, by as many requests as it takes.
type versionReader struct {
	bucket  *Bucket
	ctx     context.Context
	version Version
	at      int64         // bytes read
	body    io.ReadCloser // of the request under way; nil between two
	failed  int           // requests in a row that brought nothing
}

// ask requests what has not been read yet.
func (r *versionReader) ask() error {
	in := &s3.GetObjectInput{Bucket: &r.bucket.bucket, Key: &r.version.Key, IfMatch: &r.version.ETag}
	if r.at > 0 {
		in.Range = aws.String(fmt.Sprintf("bytes=%d-", r.at))
	}
	out, err := r.bucket.client.GetObject(r.ctx, in)
	if statusOf(err) == http.StatusPreconditionFailed {
		return fmt.Errorf("read %s: %w", r.bucket.URL(r.version.Key), ErrReplaced)
	}
	if err != nil {
		return r.bucket.explain("read", r.version.Key, err)
	}
	r.body = out.Body
	return nil
}

// Read implements io.Reader.
func (r *versionReader) Read(p []byte) (int, error) {
	for {
		n, err := r.once(p)
		r.at += int64(n)
		if n > 0 {
			r.failed = 0
		}
		switch {
		case n > 0 || err == nil, err == io.EOF && r.at == r.version.Size:
			return n, err
		case !r.mayGoOn(err):
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, fmt.Errorf("read %s at byte %d of %d: %w", r.bucket.URL(r.version.Key), r.at, r.version.Size, err)
		}
	}
}

// once reads from the request under way, or from a new one. It returns bytes or
// an error, not both.
func (r *versionReader) once(p []byte) (int, error) {
	if r.body == nil {
		if err := r.ask(); err != nil {
			return 0, err
		}
	}
	n, err := r.body.Read(p)
	if n > 0 {
		return n, nil // the error comes again, or the next request tells
	}
	return 0, err
}

// mayGoOn gives up the request under way, which ended with err, and tells whether
// another may bring the rest. After the last byte none can: what is wrong then is
// the content.
func (r *versionReader) mayGoOn(err error) bool {
	const tries = 5
	_ = r.Close() // it has failed already
	if r.at >= r.version.Size {
		return false
	}
	var refused smithy.APIError
	if errors.As(err, &refused) || errors.Is(err, ErrReplaced) || errors.Is(err, ErrNotFound) {
		return false
	}
	r.failed++
	return r.failed < tries && pause(r.ctx, r.failed) == nil
}

// Close ends the reading.
func (r *versionReader) Close() error {
	if r.body == nil {
		return nil
	}
	err := r.body.Close()
	r.body = nil
	return err
}
