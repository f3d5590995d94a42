package post

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"
)

// problem is an answer that says why nothing landed, as RFC 9457 has it, or with the
// reason "unknown" that this is not known.
type problem struct {
	Type   string `json:"type"` // always "about:blank": the title is that of the status
	Title  string `json:"title"`
	Status int    `json:"status"`
	Reason string `json:"reason"` // for programs; it never changes
	Detail string `json:"detail"` // for a person: what is wrong, and what to do

	retry  time.Duration     // 0: it is no use to ask again
	header map[string]string // beside what all problems have
}

// The reasons.
const (
	reasonNotFound    = "not-found"
	reasonMethod      = "method"
	reasonToken       = "token"
	reasonForbidden   = "forbidden"
	reasonMediaType   = "media-type"
	reasonEncoding    = "encoding"
	reasonKey         = "key"
	reasonKeyReused   = "key-reused"
	reasonKeyInFlight = "key-in-flight"
	reasonKeys        = "too-many-keys"
	reasonTooLarge    = "too-large"
	reasonBody        = "body"
	reasonRejects     = "too-many-rejects"
	reasonSlow        = "slow"
	reasonRate        = "rate"
	reasonBusy        = "busy"
	reasonStopping    = "stopping"
	reasonStore       = "store"
	reasonMisdeclared = "misdeclared"
	reasonUnknown     = "unknown"
)

func newProblem(status int, reason, detail string) *problem {
	return &problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Reason: reason, Detail: detail}
}

// after says that asking again is of use, and when.
func (p *problem) after(d time.Duration) *problem {
	p.retry = d
	return p
}

// with adds a header to the answer.
func (p *problem) with(name, value string) *problem {
	if p.header == nil {
		p.header = map[string]string{}
	}
	p.header[name] = value
	return p
}

func (p *problem) write(w http.ResponseWriter) {
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	if p.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retry.Seconds()))))
	}
	writeJSON(w, "application/problem+json", p.Status, p)
}

// writeJSON writes an answer. That a client went away before it had read it is found
// out by the client.
func writeJSON(w http.ResponseWriter, contentType string, status int, value any) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
