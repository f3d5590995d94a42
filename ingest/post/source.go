package post

import (
	"crypto/rand"
	"regexp"

	"strandline/internal/digest"
	"strandline/landing"
)

// source is the kind of all that comes this way.
const source = "http"

// tagOf names a token in sources: by a part of its digest, which tells nothing of it.
func tagOf(token digest.Hash) string {
	if token == (digest.Hash{}) {
		return "open"
	}
	return token.String()[:8]
}

// sourceOf is what the rows of a post have as their source. A post without a key has a
// name of its own, which no key can be.
func sourceOf(a asked) string {
	if a.key == "" {
		return source + ":" + tagOf(a.token) + "/" + rand.Text()
	}
	return source + ":" + tagOf(a.token) + ":" + a.key
}

// RowsOf chooses the rows that came by posts with an idempotency key, whatever token was
// sent with it.
func RowsOf(key string) landing.RowSource {
	return landing.RowSource{Match: source + ":(open|[0-9a-f]{8}):" + regexp.QuoteMeta(key)}
}
