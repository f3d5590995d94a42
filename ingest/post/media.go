package post

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"strandline/ingest"
)

// mediaTypes are those that a body may be of; the first of a format is the one to use.
var mediaTypes = []struct {
	name   string
	format ingest.Format
}{
	{"application/x-ndjson", ingest.FormatNDJSON},
	{"application/ndjson", ingest.FormatNDJSON},
	{"application/jsonl", ingest.FormatNDJSON},
	{"application/json", ingest.FormatJSON},
	{"text/csv", ingest.FormatCSV},
	{"application/vnd.apache.parquet", ingest.FormatParquet},
	{"application/vnd.apache.arrow.stream", ingest.FormatArrow},
	{"application/vnd.apache.arrow.file", ingest.FormatArrow},
	{"application/avro", ingest.FormatAvro},
}

// encodings are what a body may be compressed with. Which it is, is seen from its bytes.
var encodings = []string{"gzip", "zstd", "identity"}

// formatOf returns the format of a request's body.
func formatOf(h http.Header) (ingest.Format, *problem) {
	text := h.Get("Content-Type")
	name, params, err := mime.ParseMediaType(text)
	if err != nil {
		return "", unsupported("the request must say what its body is, by its Content-Type")
	}
	if charset := strings.ToLower(params["charset"]); charset != "" && charset != "utf-8" && charset != "us-ascii" {
		return "", unsupported("the body must be UTF-8")
	}
	if params["header"] == "absent" {
		return "", unsupported("CSV must begin with the names of its columns")
	}
	for _, m := range mediaTypes {
		if m.name == name {
			return m.format, nil
		}
	}
	return "", unsupported("bodies of this type are not read")
}

func unsupported(why string) *problem {
	names := make([]string, len(mediaTypes))
	for i, m := range mediaTypes {
		names[i] = m.name
	}
	list := strings.Join(names, ", ")
	return newProblem(http.StatusUnsupportedMediaType, reasonMediaType, why+"; send one of "+list).with("Accept-Post", list)
}

// checkEncoding refuses a body that is compressed in a way which is not read.
func checkEncoding(h http.Header) *problem {
	text := strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ",")))
	if text == "" || slices.Contains(encodings, strings.Replace(text, "x-gzip", "gzip", 1)) {
		return nil
	}
	list := strings.Join(encodings, ", ")
	return newProblem(http.StatusUnsupportedMediaType, reasonEncoding, "the body's Content-Encoding is not read; use one of "+list).
		with("Accept-Encoding", list)
}
