package config

import (
	"strings"
	"time"
)

// Objects is a prefix of a bucket whose objects are landed as they come.
type Objects struct {
	Bucket  string
	Prefix  string // empty or with a slash at its end
	Reach   S3
	Include []string // patterns as path.Match reads them; empty: every object
	Exclude []string // patterns of objects to leave alone, even if included
	Every   time.Duration
}

// String returns the s3:// address.
func (o Objects) String() string { return "s3://" + o.Bucket + "/" + o.Prefix }

// DefaultListEvery is how often a prefix is listed that does not say.
const DefaultListEvery = 30 * time.Second

func (v value) objects() *Objects {
	o := &Objects{Every: DefaultListEvery, Reach: v.lakeReach}
	if v.isText() {
		v.prefix(o)
		return o
	}
	f := v.fieldsOr("s3://bucket/prefix", "url", "endpoint", "region", "path_style", "include", "exclude", "every")
	if f.has("endpoint") || f.has("region") || f.has("path_style") {
		o.Reach = f.reach()
	}
	if v, ok := f.need("url", "the prefix to watch, as s3://bucket/prefix"); ok {
		v.prefix(o)
	}
	o.Include, o.Exclude = f.picked()
	if v, ok := f.get("every"); ok {
		if d, ok := v.duration(); ok && d < time.Second {
			v.problem("%v is too often to list a bucket; want 1s or more", d)
		} else {
			o.Every = d
		}
	}
	return o
}

// prefix reads what to watch, which must have nothing to do with the lake's.
func (v value) prefix(o *Objects) {
	text, ok := v.text()
	if !ok {
		return
	}
	rest, isS3 := strings.CutPrefix(text, "s3://")
	if !isS3 {
		v.problem("%q: want s3://bucket/prefix", text)
		return
	}
	bucket, prefix, _ := strings.Cut(rest, "/")
	if !bucketPattern.MatchString(bucket) {
		v.problem("bucket %q: want 3 to 63 of a–z, 0–9, - and ., as in s3://bucket/prefix", bucket)
		return
	}
	if prefix = strings.TrimRight(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	o.Bucket, o.Prefix = bucket, prefix
	if v.lakeAt.Overlaps(*o, v.lakeReach) {
		v.problem("the prefix and the lake lie one in the other, so the lake would land its own files: want prefixes side by side")
	}
}

// Overlaps tells whether the lake, reached so, and a prefix have keys in common, as far
// as their addresses tell.
func (l Lake) Overlaps(o Objects, reach S3) bool {
	return reach.Endpoint == o.Reach.Endpoint && l.MayOverlap(o)
}

// MayOverlap is Overlaps where two endpoints may be spellings of one.
func (l Lake) MayOverlap(o Objects) bool {
	if !l.InS3() || l.Bucket != o.Bucket {
		return false
	}
	lake := l.Prefix
	if lake != "" {
		lake += "/"
	}
	return strings.HasPrefix(lake, o.Prefix) || strings.HasPrefix(o.Prefix, lake)
}
