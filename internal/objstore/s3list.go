package objstore

import (
	"context"
	"fmt"
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
	l := s3Listing{S3: s, ctx: ctx, prefix: prefix, after: after, limit: limit}
	for more := true; more && len(l.found) < limit; {
		var err error
		if more, err = l.climb(); err != nil {
			return nil, s.explain("list", prefix, err)
		}
	}
	return l.found, nil
}

// s3Listing is one listing under way.
type s3Listing struct {
	*S3
	ctx    context.Context
	prefix string
	after  string // the last key seen
	limit  int
	found  []Object
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
	usable := min(l.limit-len(l.found), maxPage-spare)
	in := &s3.ListObjectsV2Input{Bucket: &l.bucket, Prefix: l.key(prefix), MaxKeys: aws.Int32(int32(usable + spare))}
	if after != "" {
		in.StartAfter = l.key(after)
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
		l.add(row)
	}
	cut := len(rows) < len(out.Contents) || aws.ToBool(out.IsTruncated)
	return cut || len(l.found) >= l.limit, nil
}

// exactly adds key if there is such an object.
func (l *s3Listing) exactly(key string) (full bool, err error) {
	out, err := l.client.ListObjectsV2(l.ctx, &s3.ListObjectsV2Input{Bucket: &l.bucket, Prefix: l.key(key), MaxKeys: aws.Int32(1)})
	if err != nil {
		return false, err
	}
	for _, row := range out.Contents {
		if aws.ToString(row.Key) == l.prefixed(key) {
			l.add(row)
		}
	}
	return len(l.found) >= l.limit, nil
}

// add leaves out what no store of ours has made, such as the folder markers of
// web consoles.
func (l *s3Listing) add(row types.Object) {
	l.after = strings.TrimPrefix(aws.ToString(row.Key), l.S3.prefix)
	if badKey(l.after) == "" {
		l.found = append(l.found, Object{Key: l.after, Size: aws.ToInt64(row.Size), Modified: aws.ToTime(row.LastModified)})
	}
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
