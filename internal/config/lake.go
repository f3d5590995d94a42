package config

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

var (
	schemePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

// maxKeyPart is the longest part of an object key between slashes, in bytes.
const maxKeyPart = 255

func (v value) lake() Lake {
	text, ok := v.text()
	if !ok {
		return Lake{}
	}
	if rest, isS3 := strings.CutPrefix(text, "s3://"); isS3 {
		return v.bucket(rest)
	}
	if schemePattern.MatchString(text) {
		v.problem("%q: want a folder, or s3://bucket/prefix", text)
		return Lake{}
	}
	folder, _ := v.folder()
	if folder == "/" {
		v.problem("the root of the file system is no place for a lake: want a folder of its own")
	}
	return Lake{Folder: folder}
}

func (v value) bucket(rest string) Lake {
	bucket, prefix, _ := strings.Cut(rest, "/")
	if !bucketPattern.MatchString(bucket) {
		v.problem("bucket %q: want 3 to 63 of a–z, 0–9, - and ., as in s3://bucket/prefix", bucket)
		return Lake{}
	}
	l := Lake{Bucket: bucket, Prefix: strings.Trim(prefix, "/")}
	if l.Prefix == "" {
		return l
	}
	for part := range strings.SplitSeq(l.Prefix, "/") {
		if part == "" || part == "." || part == ".." || len(part) > maxKeyPart {
			v.problem("prefix %q: want parts between single slashes, none of them . or .. or longer than %d bytes", prefix, maxKeyPart)
			break
		}
	}
	return l
}

func (v value) s3(lake Lake) S3 {
	f := v.fields("endpoint", "region", "path_style")
	if lake.Folder != "" {
		v.problemAt(v.key, "the lake is a folder, which needs none of this (leave s3 out, or write lake: s3://bucket/prefix)")
	}
	return f.reach()
}

// reach reads how a bucket is reached.
func (f fields) reach() S3 {
	var s S3
	if v, ok := f.get("endpoint"); ok {
		s.Endpoint = v.endpoint()
	}
	if v, ok := f.get("region"); ok {
		s.Region = v.textIfAny()
	}
	s.PathStyle = s.Endpoint != ""
	if v, ok := f.get("path_style"); ok {
		s.PathStyle, _ = v.boolean()
	}
	return s
}

// endpoint returns the endpoint without a slash at its end. An empty one, as
// from ${VAR:-}, is the same as none.
func (v value) endpoint() string {
	text := v.textIfAny()
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		v.problem("want http://host:port or https://host")
	case u.User != nil:
		v.problem("holds a user or a password; give credentials by the AWS environment")
	case strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "":
		v.problem("want a host alone, without a path; bucket and prefix belong in lake: s3://bucket/prefix")
	}
	return strings.TrimRight(text, "/")
}

func (v value) engine() Engine {
	f := v.fields("memory_limit", "temp_dir")
	e := Engine{MemoryLimit: DefaultMemoryLimit}
	if v, ok := f.get("memory_limit"); ok {
		e.MemoryLimit, _ = v.bytes("an amount of memory such as 512MB or 2GiB")
	}
	if v, ok := f.get("temp_dir"); ok {
		e.TempDir, _ = v.folder()
	}
	return e
}

var (
	sizePattern = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([A-Za-z]+)$`)
	sizeUnits   = map[string]float64{
		"b":  1,
		"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}
)

// bytes returns a size in bytes; want says what of, with an example.
func (v value) bytes(want string) (int64, bool) {
	text, ok := v.measure(want)
	if !ok {
		return 0, false
	}
	if m := sizePattern.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseFloat(m[1], 64)
		size := n * sizeUnits[strings.ToLower(m[2])]
		if err == nil && size >= 1 && size < 1<<62 {
			return int64(size), true
		}
	}
	v.problem("%q: want %s (B, kB, MB, GB, TB, or KiB, MiB, GiB, TiB)", text, want)
	return 0, false
}
