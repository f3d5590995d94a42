package post

import (
	"crypto/rand"

	"strandline/internal/digest"
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
