package objstore

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// maxPage is the most rows that S3 lists in one call.
const maxPage = 1000

// List implements Store.
//
// MinIO walks its folders only as far as it needs to fill a page, but counts
// keys that it then drops because they are not after the start. Where those
// are many, rows are missing from the middle of the page, and the page does
// not say that it is cut. A key is counted so if it lies beside a folder of
// the start's path and before it: "a-b" when listing after "a/x". So no call
// here starts inside a folder below the one it lists; and no continuation
// tokens are used, since with them the server picks the start.
func (s *S3) List(ctx context.Context, prefix, after string, limit int) ([]Object, error) {
	if err := checkPrefix(prefix); err != nil {
		return nil, fmt.Errorf("list objects: %w", err)
	}
	if !strings.HasPrefix(after, prefix) {
		if after > prefix {
			return nil, nil
		}
		after = ""
	}
	var found []Object
	l := s3Listing{s3Bucket: s.s3Bucket, ctx: ctx, prefix: s.prefixed(prefix), limit: limit}
	if after != "" {
		l.after = s.prefixed(after)
	}
	l.take = func(key string, row types.Object) bool {
		key = strings.TrimPrefix(key, s.prefix)
		if badKey(key) != "" { // such as the folder markers of web consoles, which no store of ours has made
			return false
		}
		found = append(found, Object{Key: key, Size: aws.ToInt64(row.Size), Modified: aws.ToTime(row.LastModified), Tag: strings.Trim(aws.ToString(row.ETag), `"`)})
		return true
	}
	if err := l.all(); err != nil {
		return nil, s.explain("list", prefix, err)
	}
	return found, nil
}

// s3Listing is one listing under way. Its keys are as the bucket knows them.
type s3Listing struct {
	s3Bucket
	ctx    context.Context
	prefix string
	after  string // the last key seen
	limit  int
	take   func(key string, row types.Object) bool // tells whether it counts
	taken  int
}

// all calls take with each row, up to the limit.
func (l *s3Listing) all() error {
	if l.after < l.prefix {
		l.after = ""
	}
	for more := true; more && l.taken < l.limit; {
		var err error
		if more, err = l.climb(); err != nil {
			return err
		}
	}
	return nil
}

// climb adds what comes after l.after: first in its folder, then in the folder
// above after that, and so on up to the prefix. It stops when there is enough,
// or at the first page that is not all of its folder: then there is more.
func (l *s3Listing) climb() (more bool, err error) {
	after := l.after
	for folder := folderOf(after); len(folder) > len(folderOf(l.prefix)); {
		if more, err = l.page(folder, after); more || err != nil {
			return more, err
		}
		folder = strings.TrimSuffix(folder, "/")
		// The least string that is greater than all that the folder holds: "0"
		// follows the slash. It may be a key itself.
		after = folder + "0"
		if more, err = l.exactly(after); more || err != nil {
			return more, err
		}
		folder = folderOf(folder)
	}
	return l.page(l.prefix, after)
}

// page adds one page of keys under prefix and after a start in prefix's folder.
func (l *s3Listing) page(prefix, after string) (more bool, err error) {
	spare := precursors(after)
	usable := min(l.limit-l.taken, maxPage-spare)
	in := l.request(prefix, usable+spare)
	if after != "" {
		in.StartAfter = aws.String(after)
	}
	out, err := l.client.ListObjectsV2(l.ctx, in)
	for err == nil && len(out.Contents) == 0 && aws.ToBool(out.IsTruncated) {
		in.ContinuationToken = out.NextContinuationToken // an empty page that is not the last
		out, err = l.client.ListObjectsV2(l.ctx, in)
	}
	if err != nil {
		return false, err
	}
	rows := out.Contents[:min(usable, len(out.Contents))]
	for _, row := range rows {
		if err := l.add(row, out.EncodingType); err != nil {
			return false, err
		}
	}
	cut := len(rows) < len(out.Contents) || aws.ToBool(out.IsTruncated)
	return cut || l.taken >= l.limit, nil
}

// request asks for the keys escaped, since XML can't hold all that a key can.
func (l *s3Listing) request(prefix string, rows int) *s3.ListObjectsV2Input {
	return &s3.ListObjectsV2Input{
		Bucket: &l.bucket, Prefix: aws.String(prefix), MaxKeys: aws.Int32(int32(rows)), EncodingType: types.EncodingTypeUrl,
	}
}

// exactly adds key if there is such an object.
func (l *s3Listing) exactly(key string) (full bool, err error) {
	out, err := l.client.ListObjectsV2(l.ctx, l.request(key, 1))
	if err != nil {
		return false, err
	}
	for _, row := range out.Contents {
		name, err := keyOf(row, out.EncodingType)
		if err == nil && name == key {
			err = l.add(row, out.EncodingType)
		}
		if err != nil {
			return false, err
		}
	}
	return l.taken >= l.limit, nil
}

func (l *s3Listing) add(row types.Object, encoding types.EncodingType) error {
	key, err := keyOf(row, encoding)
	if err != nil {
		return err
	}
	l.after = key
	if l.take(key, row) {
		l.taken++
	}
	return nil
}

func keyOf(row types.Object, encoding types.EncodingType) (string, error) {
	key := aws.ToString(row.Key)
	if encoding != types.EncodingTypeUrl { // the server does not know how
		return key, nil
	}
	plain, err := url.QueryUnescape(key)
	if err != nil {
		return "", fmt.Errorf("the key %q is escaped wrongly: %w", key, err)
	}
	return plain, nil
}

// folderOf returns key up to and with its last slash.
func folderOf(key string) string { return key[:strings.LastIndex(key, "/")+1] }

// precursors returns how many keys of the start's own folder MinIO can count
// in vain: those whose name, followed by something less than a slash, begins
// the start's name, as "a" does "a-b".
func precursors(after string) (n int) {
	for _, b := range []byte(after[len(folderOf(after)):]) {
		if b < '/' {
			n++
		}
	}
	return n
}
