package landing

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"strandline/internal/digest"
)

// Claim says what an arrival is, so that the log can tell it from every other. All
// of it is committed by the entry that lands the rows.
type Claim struct {
	// Identity is that of the content. The zero Identity is of an arrival that can't
	// be known again by its content; it gets one that nothing else has.
	Identity Identity
	// Version, together with the name of the source, is what the source itself calls
	// this content, such as an ETag; "" where it has no such.
	Version string
	// What follows is of arrivals without identity, and but for Progress without version.
	// Progress is what the arrival reads of ordered sources, each of which is there once.
	// With it a Version tells the source, as it is up to where it was read, from others.
	Progress []Progress
	// Keys are those of the posts in it.
	Keys []Key
	// KeepKeys is how long these are kept at least, from when they land. Default
	// DefaultKeyLife.
	KeepKeys time.Duration
	// Retried are the rejects that it lands again.
	Retried []Retried
}

// Progress is the half-open offsets [From, To) that an arrival reads of an ordered
// source, such as a Kafka partition or a file that grows. From is where the stream
// is in that source, or anything where the source is new to it.
type Progress struct {
	Source string `json:"source"`
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	// Gap, which lies within [From, To), is what somebody accepted as lost.
	Gap *Gap `json:"gap,omitempty"`
}

// Gap is the half-open offsets [From, To) of an ordered source that were not read,
// and why. It is recorded for ever.
type Gap struct {
	From   int64  `json:"from"`
	To     int64  `json:"to"`
	Reason string `json:"reason"`
}

// Key is the idempotency key of a post, and what became of the post.
type Key struct {
	Digest digest.Hash `json:"digest"` // of the key
	Body   digest.Hash `json:"body"`   // of what was posted with it
	// From and To are the rows [From, To) of the arrival in a Claim, counted from 0, and
	// the positions that these got once they have landed.
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Rejects int64    `json:"rejects,omitempty"`
	Reasons []Reason `json:"reasons,omitempty"` // of as many rejects as the answer told
	// Until is how long the key is kept at least, by the store's clock. It comes of the
	// commit, whatever a Claim says.
	Until time.Time `json:"until"`
}

// Reason is why a record of a post could not be read as a row.
type Reason struct {
	Line int64  `json:"line"` // of the post, from 1
	Text string `json:"text"`
}

// Retried are rejects that an arrival lands again, by where they are in their file.
type Retried struct {
	File    string `json:"file"`    // id of the file of rejects
	Records []Span `json:"records"` // ascending, apart from one another
}

// Span is the half-open range [From, To) of the records of a file, counted from 0.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Why a claim is refused. Nothing was landed.
var (
	// ErrMoved is a MovedError.
	ErrMoved = errors.New("the stream is elsewhere in the source")
	// ErrKeysLanded is a KeysLandedError.
	ErrKeysLanded = errors.New("posts with these keys have landed already")
	// ErrTooManyKeys says that the stream remembers as many keys as it may. It will take
	// new ones when older ones are forgotten.
	ErrTooManyKeys = errors.New("the stream remembers too many idempotency keys; post again later")
	// ErrRetried says that rejects have been landed again already, or have expired.
	ErrRetried = errors.New("the rejects are not pending any more")
)

// MovedError says that the stream is not at the offset of an ordered source from
// which an arrival reads on: another process has landed some of it, or something is
// left out. It is ErrMoved.
type MovedError struct {
	Source string
	At     int64 // where the stream is
	From   int64 // where the arrival begins
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("%v: it is at offset %d of %q, and this begins at %d; read on from %[2]d", ErrMoved, e.At, e.Source, e.From)
}

func (e *MovedError) Unwrap() error { return ErrMoved }

// KeysLandedError names the keys of a claim that have landed before, and what became
// of the posts that brought them. Without these the rest of the claim may be landed.
// It is ErrKeysLanded.
type KeysLandedError struct {
	Keys []Key
}

func (e *KeysLandedError) Error() string {
	return fmt.Sprintf("%v: %d of them", ErrKeysLanded, len(e.Keys))
}

func (e *KeysLandedError) Unwrap() error { return ErrKeysLanded }

// DefaultKeyLife is how long a key is kept if its Claim says nothing else.
const DefaultKeyLife = 24 * time.Hour

// unknownSize is the size of an Identity that is not of a content.
const unknownSize = -1

// ByContent tells whether the identity is of a content, by which it is known again.
func (id Identity) ByContent() bool { return id.Size != unknownSize }

// freshIdentity is one that no other arrival has.
func freshIdentity() (id Identity, err error) {
	id.Size = unknownSize
	_, err = rand.Read(id.Digest[:])
	return id, err
}

// settled returns the claim with all that it leaves open; an error if it can't be one.
func (c Claim) settled() (Claim, error) {
	byContent := c.Identity != (Identity{})
	if byContent && len(c.Progress) > 0 || (byContent || c.Version != "") && len(c.Keys)+len(c.Retried) > 0 {
		return c, errors.New("an arrival is known by its content, or by what it reads of ordered sources, the keys in it and the rejects that it lands again: not by both")
	}
	if c.Identity == (Identity{}) {
		id, err := freshIdentity()
		if err != nil {
			return c, err
		}
		c.Identity = id
	}
	c.KeepKeys = cmp.Or(c.KeepKeys, DefaultKeyLife)
	return c, c.check()
}

// check tells whether the claim is one that some log may take.
func (c Claim) check() error {
	if err := checkProgress(c.Progress); err != nil {
		return err
	}
	if err := checkKeys(c.Keys); err != nil {
		return err
	}
	return checkRetried(c.Retried)
}
