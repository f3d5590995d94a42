package kubeapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// kindStatus is the kind of what the API answers where it has no object to show.
const kindStatus = "Status"

// envelope is what every answer of the API has.
type envelope struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status json.RawMessage `json:"status"`
}

// answers is ErrAnswer unless an answer of 2xx is what a request asks for: who has the
// address may be a proxy with a page of its own, which carried nothing out.
func (r Request) answers(answer *http.Response, data []byte) error {
	var e envelope
	if err := json.Unmarshal(data, &e); err != nil || e.Kind == "" {
		return fmt.Errorf("%w: %s, %s", ErrAnswer, answer.Status, excerpt(answer, data))
	}
	if r.Verb == "delete" && e.Kind == kindStatus && string(e.Status) == `"Success"` {
		return nil
	}
	version, kind, name := r.Version, r.Kind, r.Name
	if r.Group != "" {
		version = r.Group + "/" + r.Version
	}
	if r.Verb == "list" {
		kind, name = kind+"List", e.Metadata.Name
	}
	if e.APIVersion != version || e.Kind != kind || e.Metadata.Name != name {
		return fmt.Errorf("%w: it is a %s %q of %s, and not the %s %q of %s", ErrAnswer, e.Kind, e.Metadata.Name, cmp.Or(e.APIVersion, "no version"), kind, name, version)
	}
	return nil
}

var (
	hidden = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<!--.*?-->`)
	tag    = regexp.MustCompile(`<[^<>]*>`)
)

// mostExcerpt is how many characters are told of what is no answer of the API.
const mostExcerpt = 200

// excerpt says who sent what is no answer of the API, as far as that is known, and how it
// begins, without the tags of a page.
func excerpt(answer *http.Response, data []byte) string {
	text := string(data[:min(len(data), 1<<16)])
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	if kind == "text/html" || strings.HasPrefix(strings.TrimSpace(text), "<") {
		text = tag.ReplaceAllString(hidden.ReplaceAllString(text, " "), " ")
	}
	words := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "?"))
	said := "with nothing in it"
	if len(words) > 0 {
		said = fmt.Sprintf("%s: %s", cmp.Or(kind, "of no type"), string(words[:min(len(words), mostExcerpt)]))
	} else if len(data) > 0 {
		said = fmt.Sprintf("%s without words", cmp.Or(kind, "of no type"))
	}
	for _, name := range []string{"Server", "Via", "Location"} {
		if value := answer.Header.Get(name); value != "" {
			said += fmt.Sprintf(" (%s: %.100s)", name, value)
		}
	}
	return said
}
