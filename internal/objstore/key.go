package objstore

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest key and the longest part of one between two slashes, in bytes.
// Folders allow 255 bytes a name and S3 1,024 a key; a bucket prefix and the
// folder a lake lies in need the rest.
const (
	MaxKeyBytes     = 900
	MaxSegmentBytes = 200
)

// CheckKey returns an error that wraps ErrBadKey if some store could not hold
// key, or would hold it under another name. A good key is UTF-8 without
// control characters or backslashes, and its segments between slashes are not
// empty and do not start with a dot (such names are the folder store's own).
func CheckKey(key string) error {
	if reason := badKey(key); reason != "" {
		return fmt.Errorf("key %q: %s: %w", key, reason, ErrBadKey)
	}
	return nil
}

// checkPrefix is CheckKey for the start of keys: it may be empty, or end with
// a slash.
func checkPrefix(prefix string) error {
	if prefix == "" {
		return nil
	}
	return CheckKey(strings.TrimSuffix(prefix, "/"))
}

func badKey(key string) (reason string) {
	if len(key) > MaxKeyBytes {
		return fmt.Sprintf("longer than %d bytes", MaxKeyBytes)
	}
	if !utf8.ValidString(key) {
		return "not UTF-8"
	}
	if strings.ContainsFunc(key, unicode.IsControl) {
		return "holds a control character"
	}
	if strings.Contains(key, `\`) {
		return "holds a backslash"
	}
	for segment := range strings.SplitSeq(key, "/") {
		if reason := badSegment(segment); reason != "" {
			return reason
		}
	}
	return ""
}

func badSegment(segment string) (reason string) {
	switch {
	case segment == "":
		return "has an empty segment, or starts or ends with a slash"
	case segment[0] == '.':
		return "has a segment that starts with a dot"
	case len(segment) > MaxSegmentBytes:
		return fmt.Sprintf("has a segment longer than %d bytes", MaxSegmentBytes)
	}
	return ""
}
