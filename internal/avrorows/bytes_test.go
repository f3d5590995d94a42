package avrorows

import (
	"strings"
	"testing"

	"github.com/twmb/avro"

	"strandline/internal/jsonrow"
)

func TestBytesAreTextsWhereTheyAreWantedAsTexts(t *testing.T) {
	schema := avro.MustParse(`{"type": "record", "name": "r", "fields": [
		{"name": "b", "type": ["null", "bytes"]}, {"name": "s", "type": {"type": "record", "name": "s", "fields": [{"name": "b", "type": "bytes"}, {"name": "l", "type": {"type": "array", "items": "bytes"}}]}}]}`)
	texts := jsonrow.Paths{}
	texts.Set([]string{"s", "b"}, true)
	node := schema.Root()
	w := newWriting(node, 1<<20, texts)
	of := func(b string) map[string]any {
		return map[string]any{"b": []byte("x"), "s": map[string]any{"b": []byte(b), "l": []any{[]byte("x")}}}
	}
	if got, err := w.row(of("é")); string(got) != `{"b":"78","s":{"b":"é","l":["78"]}}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := w.row(of("\xff")); err == nil || !strings.Contains(err.Error(), "column s: ") {
		t.Errorf("bytes that are no text: got %s, %v", got, err)
	}
}
