package objstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Read implements Store.
func (s *S3) Read(ctx context.Context, key string) ([]byte, error) {
	return s.bytes(ctx, key, nil)
}

// ReadRange implements Store.
func (s *S3) ReadRange(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if err := checkRange(key, offset, length); err != nil {
		return nil, err
	}
	return s.bytes(ctx, key, aws.String(httpRange(offset, length)))
}

// Download implements Store.
func (s *S3) Download(ctx context.Context, key, path string) error {
	return again(ctx, func() error {
		return s.get(ctx, key, nil, func(body io.Reader) error {
			return download(path, func(file *os.File) error { return copyAll(ctx, file, body) })
		})
	})
}

func (s *S3) bytes(ctx context.Context, key string, part *string) ([]byte, error) {
	var all []byte
	err := again(ctx, func() error {
		return s.get(ctx, key, part, func(body io.Reader) (err error) {
			all, err = io.ReadAll(body)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

func (s *S3) get(ctx context.Context, key string, part *string, use func(io.Reader) error) error {
	if err := begin(ctx, key); err != nil {
		return fmt.Errorf("read object: %w", err)
	}
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: s.key(key), Range: part})
	if err != nil {
		return s.explain("read", key, err)
	}
	defer out.Body.Close()
	if err := use(out.Body); err != nil {
		return fmt.Errorf("read %s: %w", s.URL(key), err)
	}
	return nil
}

// again repeats a read whose answer broke off in the middle. The SDK retries
// only up to the first byte; what the server refused is refused for good.
func again(ctx context.Context, read func() error) error {
	const tries = 3
	for try := 0; ; try++ {
		err := read()
		var refused smithy.APIError
		switch {
		case err == nil, try == tries-1, ctx.Err() != nil,
			errors.Is(err, ErrNotFound), errors.Is(err, ErrBadKey), errors.As(err, &refused):
			return err
		}
		if pause(ctx, try) != nil {
			return err
		}
	}
}
