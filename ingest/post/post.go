// Package post is the way in over HTTP: POST /v1/streams/{stream} lands the records of
// its body, and is answered once they are durable.
//
// A body is read into memory, within bounds, and decoded once to know that it can be
// read and what of it is rejected. Then it waits for the stream's next commit, which
// lands all posts that have come meanwhile by one log entry. So many small posts cost
// few writes, and each is in the lake, whole, before its answer goes out.
//
// An answer may be lost, so a post may carry an Idempotency-Key. The entry that lands
// the rows names it too, with what was answered: the log itself refuses to land a key
// twice, whoever commits, and the same answer is given again.
package post

import (
	"cmp"
	"fmt"
	"time"

	"strandline/ingest"
	"strandline/internal/metrics"
	"strandline/landing"
)

// Stream is one that takes posts.
type Stream struct {
	Landing *landing.Stream
	// Read says how the stream's records are written. Its format is what bodies are
	// taken for only where their Content-Type says so.
	Read ingest.Options
	// Tokens are those that may post; nil: anybody may.
	Tokens *Tokens
	// Rate is how many posts a second are taken for each token; 0: any number.
	Rate float64
	// KeepKeys is how long an Idempotency-Key is kept at least; 0: as landing does.
	KeepKeys time.Duration
}

// Limits bound what clients can make the server do. Those that are zero are as
// DefaultLimits says.
type Limits struct {
	Body         int64         // bytes of one body as it is sent
	Decompressed int64         // bytes of one body without its compression
	Line         int           // bytes of one record; a longer one is a reject
	Memory       int64         // bytes that all bodies being read or landed may take
	Connections  int           // at a time; others wait to be accepted
	Read         time.Duration // for a whole request to come in
	Delay        time.Duration // how long a post waits for others at most, before they are committed together
}

// DefaultLimits are the limits that hold if nothing is said.
var DefaultLimits = Limits{
	Body: 16 << 20, Decompressed: 64 << 20, Line: 1 << 20, Memory: 256 << 20,
	Connections: 1024, Read: 30 * time.Second, Delay: 10 * time.Millisecond,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	return Limits{
		Body: cmp.Or(l.Body, d.Body), Decompressed: cmp.Or(l.Decompressed, d.Decompressed), Line: cmp.Or(l.Line, d.Line),
		Memory: cmp.Or(l.Memory, d.Memory), Connections: cmp.Or(l.Connections, d.Connections),
		Read: cmp.Or(l.Read, d.Read), Delay: cmp.Or(l.Delay, d.Delay),
	}
}

// Options are what a server needs.
type Options struct {
	Streams map[string]Stream
	Limits  Limits
	Metrics *metrics.Set
	// TLS is the certificate to serve with; nil: plain HTTP.
	TLS *Certificate
	// Landed is told of every commit, and of every post that had landed before; from
	// several goroutines.
	Landed func(stream string, o ingest.Outcome)
	// Note is told what went wrong with single connections, such as a TLS handshake;
	// nil: nobody is.
	Note func(text string)
	// Trouble is told when commits of a stream begin to go wrong.
	Trouble func(stream string, err error)
	// Over, if not nil, is told when the first one after that went well.
	Over func(stream string)
}

// Validate tells what is wrong with the options.
func (o Options) Validate() error {
	l := o.Limits.withDefaults()
	if l.Body < 0 || l.Decompressed < 0 || l.Line < 0 || l.Memory < 0 || l.Connections < 0 || l.Read < 0 || l.Delay < 0 {
		return fmt.Errorf("limits %+v: none may be negative", l)
	}
	if least := l.leastMemory(); l.Memory < least {
		return fmt.Errorf("memory for posts is %d bytes: want %d at least, or smaller bodies (now %d, %d decompressed)", l.Memory, least, l.Body, l.Decompressed)
	}
	return nil
}

// leastMemory is what the largest body takes: while it is read and decompressed into
// buffers that grow, or while it is held and its parts are unpacked.
func (l Limits) leastMemory() int64 { return 2*(l.Body+l.Decompressed) + overhead }

// held is what the parts of a typed body may take at once, beside the body.
func (l Limits) held() int64 { return 2*l.Body + l.Decompressed }
