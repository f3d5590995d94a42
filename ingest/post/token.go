package post

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"strandline/internal/digest"
)

// minToken is how many characters a token must have, so that it can't be guessed.
const minToken = 16

// Tokens are bearer tokens. Only their digests are kept.
type Tokens struct{ sets []func() []digest.Hash }

// Add lets in the tokens of a text: one a line, but for empty lines and those that
// begin with #.
func (t *Tokens) Add(text string) error {
	set, err := parseTokens(text)
	if err != nil {
		return err
	}
	t.sets = append(t.sets, func() []digest.Hash { return set })
	return nil
}

// AddFile lets in the tokens of a file, as they are at any time. Trouble is told when it
// changes to what can't be read, or is gone: then it lets in nobody, since tokens are
// taken back that way.
func (t *Tokens) AddFile(path string, trouble func(error)) error {
	set, err := reload(func([]digest.Hash) ([]digest.Hash, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read the tokens in %s: %w", path, err)
		}
		set, err := parseTokens(string(text))
		if err != nil {
			return nil, fmt.Errorf("read the tokens in %s: %w", path, err)
		}
		return set, nil
	}, trouble, path)
	if err != nil {
		return err
	}
	t.sets = append(t.sets, set.get)
	return nil
}

func parseTokens(text string) (set []digest.Hash, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		token := strings.TrimSpace(line)
		if token == "" || token[0] == '#' {
			continue
		}
		if len(token) < minToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, fmt.Errorf("line %d: want a token of %d characters or more, of printable ASCII without spaces", n, minToken)
		}
		if strings.HasPrefix(token, "change-me") {
			return nil, fmt.Errorf("line %d: a token that begins with change-me is that of an example, which anybody knows: put one of your own, such as of openssl rand -hex 32", n)
		}
		set = append(set, digest.OfBytes([]byte(token)))
	}
	if set == nil {
		return nil, errors.New("there is no token")
	}
	return set, nil
}

// has tells whether a token is among them, in a time that tells nothing of them.
func (t *Tokens) has(token digest.Hash) bool {
	found := 0
	for _, set := range t.sets {
		for _, one := range set() {
			found |= subtle.ConstantTimeCompare(one[:], token[:])
		}
	}
	return found == 1
}

// authorize returns the digest of the token that a request comes with, zero where the
// stream wants none.
func (s *Server) authorize(l *lane, h http.Header) (digest.Hash, *problem) {
	if l.Tokens == nil {
		return digest.Hash{}, nil
	}
	scheme, text, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return digest.Hash{}, newProblem(http.StatusUnauthorized, reasonToken, "the stream wants a token: send Authorization: Bearer …").
			with("WWW-Authenticate", `Bearer realm="strandline"`)
	}
	token := digest.OfBytes([]byte(strings.TrimSpace(text)))
	if l.Tokens.has(token) {
		return token, nil
	}
	for _, other := range s.lanes {
		if other.Tokens != nil && other.Tokens.has(token) {
			return digest.Hash{}, newProblem(http.StatusForbidden, reasonForbidden, "the token is for another stream").
				with("WWW-Authenticate", `Bearer realm="strandline", error="insufficient_scope"`)
		}
	}
	return digest.Hash{}, newProblem(http.StatusUnauthorized, reasonToken, "the token is not one of this server's").
		with("WWW-Authenticate", `Bearer realm="strandline", error="invalid_token"`)
}
