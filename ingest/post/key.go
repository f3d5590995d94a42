package post

import (
	"errors"
	"net/http"
	"strings"
	"sync"

	"strandline/internal/digest"
)

// headerKey is the header of the IETF draft "The Idempotency-Key HTTP Header Field".
const headerKey = "Idempotency-Key"

// maxKey is how long a key may be, in bytes.
const maxKey = 255

// keyOf returns a request's idempotency key, "" where it has none. As in the draft it
// is a string of structured fields (RFC 9651): printable ASCII in double quotes.
func keyOf(h http.Header) (string, error) {
	values := h.Values(headerKey)
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", errors.New("it is there more than once")
	}
	key, err := parseString(strings.Trim(values[0], " "))
	switch {
	case err != nil:
		return "", err
	case key == "":
		return "", errors.New("it is empty")
	case len(key) > maxKey:
		return "", errors.New("it has more than 255 characters")
	}
	return key, nil
}

var errNoString = errors.New(`want a text in double quotes, as in Idempotency-Key: "8e03978e-40d5-43dd-bc93-6894a57f9324"`)

// parseString reads a string of structured fields, which has nothing after it.
func parseString(text string) (string, error) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", errNoString
	}
	var out strings.Builder
	inner := text[1 : len(text)-1]
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		if c == '\\' {
			if i++; i == len(inner) || inner[i] != '"' && inner[i] != '\\' {
				return "", errors.New(`in it a backslash must be followed by a double quote or a backslash`)
			}
			c = inner[i]
		} else if c == '"' || c < 0x20 || c > 0x7e {
			return "", errNoString
		}
		out.WriteByte(c)
	}
	return out.String(), nil
}

// digestOfKey is what the log knows a key by. Keys of different tokens are different.
func digestOfKey(token digest.Hash, key string) digest.Hash {
	return digest.OfBytes(append(token[:], key...))
}

func keyInFlight() *problem {
	return newProblem(http.StatusConflict, reasonKeyInFlight,
		"a post with this Idempotency-Key is being landed: post again for its answer").after(soon)
}

// underWay are the keys whose posts are being landed by this process. Those that other
// processes land are found out by the log.
type underWay struct{ keys sync.Map }

// begin tells whether nobody else is landing a post with this key.
func (u *underWay) begin(key digest.Hash) bool {
	_, busy := u.keys.LoadOrStore(key, nil)
	return !busy
}

func (u *underWay) end(key digest.Hash) { u.keys.Delete(key) }
