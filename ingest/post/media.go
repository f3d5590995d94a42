package post

import (
	"mime"
	"net/http"
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

// formatOf returns the format of a request's body.
func formatOf(h http.Header) (ingest.Format, *problem) {
	said := h.Values("Content-Type")
	if len(said) != 1 {
		return "", unsupported("the request must say once what its body is, by its Content-Type")
	}
	name, params, err := mime.ParseMediaType(said[0])
	if err != nil {
		return "", unsupported("its Content-Type is malformed")
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
