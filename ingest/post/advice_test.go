package post

import (
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// Nobody waits at a post until its body is complete.
func TestWhoSentABodyThatEndsTooSoonIsToldToSendItAgain(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	avro := avroEvents(t, 2)
	for name, got := range map[string]reply{
		"gzip":   s.post(ndjson, gzipped(line("a"))[:20], "Content-Encoding: gzip"),
		"nearly": s.post(ndjson, "\x1f", "Content-Encoding: gzip"),
		"json":   s.post("application/json", `[{"time":1},`),
		"avro":   s.post("application/avro", avro[:len(avro)-1]),
	} {
		if detail := got.problem.Detail; got.status != 400 || !strings.Contains(detail, "nothing landed") || !strings.Contains(detail, "send it again, whole") || strings.Contains(detail, "wait") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
}
