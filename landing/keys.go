package landing

import (
	"context"
	"fmt"
	"math"
	"time"

	"strandline/internal/digest"
)

// maxKeys is how many keys a stream remembers, unless its Options say otherwise.
const maxKeys = 1_000_000

// reasonsPerKey is how many bytes of reasons count as one key more.
const reasonsPerKey = 64

// keyring is the idempotency keys that a stream remembers.
type keyring struct {
	list    keyList // in the order they landed
	reasons map[digest.Sum128][]Reason
	texts   int64 // bytes of the reasons
	// hour is the newest one in which keys landed, by the store's clock. Whenever it
	// moves on, the keys are forgotten whose time was over when it began. It
	// depends on entries with keys alone, so that all who read the log forget alike.
	hour int64
}

func newKeyring() keyring {
	return keyring{list: newKeyList(), reasons: map[digest.Sum128][]Reason{}}
}

// checkKeys tells whether keys are each there once and have rows, and no more of them than
// a post can have.
func checkKeys(list []Key) error {
	seen := make(map[digest.Sum128]bool, len(list))
	for _, k := range list {
		short := k.Digest.Half()
		if seen[short] {
			return fmt.Errorf("key %s is there twice", k.Digest.Short())
		}
		seen[short] = true
		if k.From < 0 || k.To < k.From || k.To-k.From > math.MaxUint32 || k.Rejects < 0 || k.Rejects > math.MaxUint32 {
			return fmt.Errorf("key %s has the rows [%d, %d) and %d rejects", k.Digest.Short(), k.From, k.To, k.Rejects)
		}
	}
	return nil
}

// follow is a KeysLandedError if some keys are known.
func (k *keyring) follow(list []Key) error {
	var known []Key
	for _, key := range list {
		if landed, ok := k.find(key.Digest); ok {
			known = append(known, landed)
		}
	}
	if len(known) > 0 {
		return &KeysLandedError{known}
	}
	return nil
}

func (k *keyring) find(d digest.Hash) (Key, bool) {
	l := k.list.find(d.Half())
	if l == nil {
		return Key{}, false
	}
	return Key{
		Digest: d, Body: l.body, From: int64(l.from), To: int64(l.from) + int64(l.rows), Rejects: int64(l.rejects),
		Reasons: k.reasons[l.short], Until: time.UnixMicro(l.until).UTC(),
	}, true
}

// fold remembers keys that land at a time, and forgets those whose time is over.
func (k *keyring) fold(list []Key, at time.Time) {
	if len(list) == 0 {
		return
	}
	if hour := floorHour(at.UnixMicro()); hour > k.hour {
		k.hour = hour
		k.forget(k.hour)
	}
	for _, key := range list {
		k.add(landedKey{
			short: key.Digest.Half(), body: key.Body, from: Position(key.From), rows: uint32(key.To - key.From),
			rejects: uint32(key.Rejects), until: key.Until.UnixMicro(),
		}, key.Reasons)
	}
}

func (k *keyring) add(l landedKey, reasons []Reason) {
	k.list.add(l)
	if len(reasons) > 0 {
		k.reasons[l.short] = reasons
		k.texts += bytesOf(reasons)
	}
}

// forget forgets the keys whose time was over when an hour began.
func (k *keyring) forget(hour int64) {
	k.list.keep(func(l *landedKey) bool {
		if !l.over(hour) {
			return true
		}
		k.texts -= bytesOf(k.reasons[l.short])
		delete(k.reasons, l.short)
		return false
	})
}

// hasRoom tells whether as many keys as a stream may remember are enough for some
// more that land at a time.
func (k *keyring) hasRoom(more []Key, at time.Time, most int) bool {
	wanted := int64(0)
	for _, key := range more {
		wanted += 1 + bytesOf(key.Reasons)/reasonsPerKey
	}
	if wanted == 0 || int64(k.list.len)+k.texts/reasonsPerKey+wanted <= int64(most) {
		return true
	}
	hour := floorHour(at.UnixMicro())
	for l := range k.list.all() { // those that would not be forgotten
		if hour <= k.hour || !l.over(hour) {
			wanted += 1 + bytesOf(k.reasons[l.short])/reasonsPerKey
		}
	}
	return wanted <= int64(most)
}

func bytesOf(reasons []Reason) (n int64) {
	for _, r := range reasons {
		n += int64(len(r.Text)) + 16
	}
	return n
}

// Key returns what became of the post that brought an idempotency key, as of the
// last Refresh or commit, if the stream remembers one. Only a commit can tell that it
// remembers none.
func (s *Stream) Key(ctx context.Context, d digest.Hash) (key Key, known bool, err error) {
	if err := s.follow.Open(ctx); err != nil {
		return Key{}, false, fmt.Errorf("read the landing log of stream %s: %w", s.spec.Stream, err)
	}
	s.View(func(state *State) { key, known = state.keys.find(d) })
	return key, known, nil
}
