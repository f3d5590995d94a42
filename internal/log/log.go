// Package log is the numbered, hash-chained, put-if-absent log that both
// landing and manifests stand on.
//
// Entry n is the object <prefix>/log/<n as 20 digits>.json, n = 1, 2, 3 …
// Creating it is the only commit point, and comes after everything the entry
// names is durable. Invariants:
//
//   - An entry is never changed. Each carries the digest of the one before it,
//     so that a slot that was freed and made again is found out, and a seal
//     over its own bytes.
//   - Nobody appends to an entry that he has not read. What was read may be lost, and
//     another come in its place, so it is looked at before (see isStill).
//   - An entry carries its writer's nonce. A writer whose answer was lost reads
//     the slot back and compares, so it says won or lost only when it knows;
//     otherwise it says ErrUnknown.
//   - A checkpoint at n is the state folded from entries 1 … n. It can be lost
//     at no cost but time, as long as an older one or entry 1 is there. Entry n
//     stays as long as the checkpoint does, and opening from the checkpoint
//     looks that it is the entry it was made at.
//   - A trim removes entries below a checkpoint, and checkpoints that no one
//     needs. The two newest checkpoints, and every entry from the older of them
//     on, are never removed. Before it removes anything it records what it will
//     (see trimRecord): the oldest entry that is still the log's, and which
//     checkpoints go. From the oldest on no entry is missing, and all are of one
//     chain; what lies below is nobody's. A trim relies on no checkpoint that one
//     before it will remove.
//   - A trim removes entries in ascending order, some at a time. So whoever finds
//     an entry of his there, and one not that goes after it, has written into a
//     slot that was freed (see checkFreed).
//   - A writer that wins a slot at or below a checkpoint looks whether those who
//     made it knew its entry. If they did not, it has written into the past, and
//     is told ErrFenced; if that can't be told any more, ErrUnknown.
package log

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

var (
	// ErrConflict says that another writer took the slot: read on and decide anew.
	ErrConflict = errors.New("another writer was first")
	// ErrUnknown says that the store gave no answer about our entry before the
	// deadline: it may be in the log, or come to be. Reading the log later tells.
	ErrUnknown = errors.New("outcome unknown: the store did not answer; run it again, which is safe")
	// ErrFenced says that the entry was written below a checkpoint that does
	// not contain it, so nobody will ever read it.
	ErrFenced = errors.New("written into a part of the log that was already folded away; start again")
	// ErrTrimmed says that the log no longer holds what was asked for: it was
	// trimmed away.
	ErrTrimmed = errors.New("trimmed away")
	// ErrCorrupt says that the log's objects contradict each other.
	ErrCorrupt = errors.New("log is corrupt")
	// ErrStray says that an object lies among those of the log that is none of them. The log is whole.
	ErrStray = fmt.Errorf("%w: an object lies in it that is neither an entry nor a checkpoint: move it out of the lake", ErrCorrupt)
	// ErrNewer says that an object was written by a newer program in a way that
	// this one does not know.
	ErrNewer = errors.New("use a newer strandline")
)

// Format is the version of the entries this program writes and reads.
const Format = 1

// Store is what a log needs of an object store.
type Store interface {
	Create(ctx context.Context, key string, body []byte) error
	Read(ctx context.Context, key string) ([]byte, error)
	List(ctx context.Context, prefix, after string, max int) ([]objstore.Object, error)
	Delete(ctx context.Context, key string) error
}

// Head names the newest entry somebody has seen. The zero Head is that of an
// empty log.
type Head struct {
	Number uint64      `json:"number"`
	Digest digest.Hash `json:"digest"`
}

// Entry is one commit. Its Body is the user's.
type Entry struct {
	Number uint64
	Digest digest.Hash // SHA-256 of the object's bytes
	At     time.Time   // the writer's clock, for people: nothing is decided by it
	Body   json.RawMessage

	tag string // as a store lists it (objstore.TagOf); "" where it is not known
}

// Head returns the head of a log that ends with e.
func (e Entry) Head() Head { return Head{Number: e.Number, Digest: e.Digest} }

// envelope is an entry as it is stored.
type envelope struct {
	Format int             `json:"format"`
	Number uint64          `json:"number"`
	Prev   digest.Hash     `json:"prev"`
	Nonce  string          `json:"nonce"`
	At     time.Time       `json:"at"`
	Body   json.RawMessage `json:"body"`
}

// Options are a log's settings; the zero value is good.
type Options struct {
	// Deadline bounds one append, answers of the store included. Default 60 s.
	Deadline time.Duration
	// CheckpointEvery is how many entries lie between two checkpoints of a small
	// state, and for each 16 MiB of a large one, up to 1000 entries: opening a log
	// reads one checkpoint and at most about that many entries. Default 100.
	CheckpointEvery uint64
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// Pause waits before a retry. Default: a timer; tests make it instant.
	Pause func(ctx context.Context, d time.Duration) error
}

const checkpointEvery = 100

func (o Options) withDefaults() Options {
	if o.CheckpointEvery == 0 {
		o.CheckpointEvery = checkpointEvery
	}
	if o.Deadline == 0 {
		o.Deadline = time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	return o
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Log is one log of a lake. It is safe for concurrent use and holds no state.
type Log struct {
	store   Store
	looker  objstore.Looker // the store, or nil where a listing is as cheap
	prefix  string
	opts    Options
	abreast uint64
}

// New returns the log under prefix, a key without a trailing slash.
func New(store Store, prefix string, opts Options) *Log {
	looker, _ := store.(objstore.Looker)
	return &Log{store: store, looker: looker, prefix: prefix, opts: opts.withDefaults(), abreast: abreast}
}

// entrySuffix ends the names of entries.
const entrySuffix = ".json"

func (l *Log) key(n uint64) string { return l.keyIn(entryFolder, n) }

// EntryKey returns the key of entry n.
func (l *Log) EntryKey(n uint64) string { return l.key(n) }

// CheckpointKey returns the key of the checkpoint at entry n.
func (l *Log) CheckpointKey(n uint64) string { return l.checkpointKey(n) }

// number reads the number out of an entry's or a checkpoint's key.
func number(key, suffix string) (uint64, error) {
	name := key[strings.LastIndexByte(key, '/')+1:]
	digits, ok := strings.CutSuffix(name, suffix)
	if !ok || len(digits) != 20 {
		return 0, fmt.Errorf("%w: %s", ErrStray, key)
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w: %s", ErrStray, key)
	}
	return n, nil
}

func (l *Log) encode(head Head, body any) ([]byte, error) {
	inner, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode entry %d of %s: %w", head.Number+1, l.prefix, err)
	}
	var nonce [16]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, fmt.Errorf("draw a nonce: %w", err)
	}
	object, err := json.Marshal(envelope{
		Format: Format, Number: head.Number + 1, Prev: head.Digest,
		Nonce: hex.EncodeToString(nonce[:]), At: l.opts.Now().UTC(), Body: inner,
	})
	if err != nil {
		return nil, fmt.Errorf("encode entry %d of %s: %w", head.Number+1, l.prefix, err)
	}
	return seal(object), nil
}

// decode checks one stored entry against its place in the chain.
func (l *Log) decode(object []byte, after Head) (Entry, error) {
	entry, prev, err := l.open(object, after.Number+1)
	if err == nil && prev != after.Digest {
		err = fmt.Errorf("%w: %s follows entry %s, but entry %d is %s", ErrCorrupt, l.key(entry.Number), prev.Short(), after.Number, after.Digest.Short())
	}
	if err != nil {
		return Entry{}, err
	}
	return entry, nil
}

// open checks the stored entry n by itself, and returns with it the digest of
// the entry that it follows.
func (l *Log) open(object []byte, n uint64) (entry Entry, prev digest.Hash, err error) {
	var e envelope
	if err := json.Unmarshal(object, &e); err != nil {
		return Entry{}, prev, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.key(n), err)
	}
	sealed := checkSeal(object)
	switch {
	case e.Format > Format:
		return Entry{}, prev, fmt.Errorf("%s is of format %d, this program reads up to %d: %w", l.key(n), e.Format, Format, ErrNewer)
	case sealed != nil:
		return Entry{}, prev, fmt.Errorf("%w: %s: %v", ErrCorrupt, l.key(n), sealed)
	case e.Format < 1 || e.Number != n || e.Nonce == "":
		return Entry{}, prev, fmt.Errorf("%w: %s does not hold entry %d", ErrCorrupt, l.key(n), n)
	}
	return Entry{Number: n, Digest: digest.OfBytes(object), At: e.At, Body: e.Body}, e.Prev, nil
}
