package ingest

import (
	"errors"
	"io"
	"strings"
	"testing"
)

func TestWhatFollowsAGzipIsAMemberOrPaddingOrNamed(t *testing.T) {
	one := gzipped([]byte("one\n"))
	for name, c := range map[string]struct {
		after string
		want  string
		err   error
		says  string
	}{
		"nothing":         {"", "one\n", nil, ""},
		"a member":        {string(gzipped([]byte("two\n"))), "one\ntwo\n", nil, ""},
		"an empty member": {string(gzipped([]byte(""))), "one\n", nil, ""},
		"zeros":           {strings.Repeat("\x00", 100_000), "one\n", nil, ""},
		"zeros and text":  {"\x00\x00x", "one\n", ErrCorrupt, "what follows it is no gzip"},
		"text":            {"text", "one\n", ErrCorrupt, "what follows it is no gzip"},
		"one byte":        {"\x1f", "one\n", ErrTruncated, ""},
		"half a header":   {string(one[:5]), "one\n", ErrTruncated, ""},
	} {
		r, err := Decompress(strings.NewReader(string(one)+c.after), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if string(got) != c.want || !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestTextThatIsNoneIsNamed(t *testing.T) {
	for source, want := range map[string]string{
		"\x04\x22\x4d\x18rest":           "LZ4",
		string(gzipped([]byte("one\n"))): "gzip within another compression",
		"{\x00\"\x00a\x00\"\x00:\x00":    "UTF-16",
		"\x00{\x00\"\x00a\x00\"\x00:":    "UTF-16",
		"\x28\xb5\x2f\xfdrest of zstd":   "zstd within another compression",
	} {
		if err := refuseForeign([]byte(source)[:longestMagic], FormatNDJSON); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", source[:longestMagic], err)
		}
	}
	for _, source := range []string{"", "{", "{}\n", "a,b\n1,2\n"} {
		if err := refuseForeign([]byte(source), FormatCSV); err != nil {
			t.Errorf("%q: got %v", source, err)
		}
	}
}
