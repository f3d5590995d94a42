package objstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// ErrReplaced says that an object is not in the version any more that was listed.
var ErrReplaced = errors.New("the object was replaced")

// Version is what a key of a bucket held when it was listed.
type Version struct {
	Key  string // whole, and any that S3 allows
	ETag string // in quotes, as the server says it; another content has another
	Size int64  // bytes
	// Modified is when the server took it, to the second; nothing may rest on it.
	Modified time.Time
}

// Bucket is a bucket in which others put objects. It only reads. Its methods are
// safe for concurrent use.
type Bucket struct{ s3Bucket }

// OpenBucket finds the credentials for a bucket. It does not call the bucket.
// The Prefix of the options has no meaning here.
func OpenBucket(ctx context.Context, o S3Options) (*Bucket, error) {
	o.Prefix = ""
	bucket, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	return &Bucket{bucket}, nil
}

// URL names the object of a key.
func (b *Bucket) URL(key string) string { return b.url(key) }

// Page lists up to max objects whose key starts with prefix and is greater than
// after, in byte order of their keys; fewer only where there are no more. What is
// put meanwhile may be missing. Uploads that are not completed are not there.
func (b *Bucket) Page(ctx context.Context, prefix, after string, max int) ([]Version, error) {
	if after > prefix && !strings.HasPrefix(after, prefix) {
		return nil, nil
	}
	var found []Version
	l := s3Listing{s3Bucket: b.s3Bucket, ctx: ctx, prefix: prefix, after: after, limit: max}
	l.take = func(key string, row types.Object) bool {
		found = append(found, Version{Key: key, ETag: aws.ToString(row.ETag), Size: aws.ToInt64(row.Size), Modified: aws.ToTime(row.LastModified)})
		return true
	}
	if err := l.all(); err != nil {
		return nil, b.explain("list", prefix, err)
	}
	return found, nil
}

// Look returns what key holds now, or ErrNotFound.
func (b *Bucket) Look(ctx context.Context, key string) (Version, error) {
	page, err := b.Page(ctx, key, "", 1)
	if err != nil {
		return Version{}, err
	}
	if len(page) == 0 || page[0].Key != key {
		return Version{}, fmt.Errorf("look for %s: %w", b.URL(key), ErrNotFound)
	}
	return page[0], nil
}
