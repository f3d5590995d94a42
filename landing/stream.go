package landing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"strandline/internal/log"
	"strandline/internal/objstore"
)

// ErrEventTimeChanged says that a stream's event time is declared with another
// meaning than the one its first rows fixed.
var ErrEventTimeChanged = errors.New("the meaning of a stream's event time can't change")

// Options are what a stream needs of its process.
type Options struct {
	// Scratch is an existing local folder for files on their way up.
	Scratch string
	// Mend, if not nil, makes Scratch again where something has removed it.
	Mend func() error
	// Now is the clock that landed_at is read from. Default time.Now.
	Now func() time.Time
	// SegmentBytes is about how much memory the rows of one segment may take
	// before it is closed. Default 64 MiB.
	SegmentBytes int64
	Log          log.Options
	// ArchiveArrivals is how many arrivals leave the state for an archive once it
	// has twice as many. Default 8192.
	ArchiveArrivals int
	// MaxKeys is how many idempotency keys the stream may remember before it takes no
	// new ones. Long reasons count as keys. Default 1,000,000.
	MaxKeys int
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = 64 << 20
	}
	if o.ArchiveArrivals == 0 {
		o.ArchiveArrivals = archiveArrivals
	}
	if o.MaxKeys == 0 {
		o.MaxKeys = maxKeys
	}
	if o.Log.Now == nil {
		o.Log.Now = o.Now
	}
	return o
}

// scratch is the folder for files on their way up.
func (o Options) scratch() (dir string, err error) {
	if o.Mend != nil {
		err = o.Mend()
	}
	return o.Scratch, err
}

// Stream is one stream of a lake. It is safe for concurrent use.
type Stream struct {
	spec   Spec
	store  objstore.Store
	opts   Options
	follow *log.Follower[*State]

	keyClock *keyClock
	indexes  archiveIndexes
}

// Open returns the stream that spec declares. It reads nothing yet.
func Open(store objstore.Store, spec Spec, opts Options) *Stream {
	opts = opts.withDefaults()
	l := log.New(store, "landing/"+spec.Stream, opts.Log)
	return &Stream{
		spec: spec, store: store, opts: opts, follow: log.Follow(l, newState),
		keyClock: &keyClock{store: store, own: opts.Now},
		indexes:  archiveIndexes{read: map[string]*archiveIndex{}},
	}
}

// Spec returns the stream's declaration.
func (s *Stream) Spec() Spec { return s.spec }

// Refresh reads what has landed since the last Refresh, by whomever.
func (s *Stream) Refresh(ctx context.Context) error {
	if err := s.ReadOn(ctx); err != nil {
		return err
	}
	return s.Agrees()
}

// ReadOn is Refresh of a stream that may be declared in any way: for who looks at how things
// are, and reads no rows.
func (s *Stream) ReadOn(ctx context.Context) error {
	if err := s.follow.Refresh(ctx); err != nil {
		return fmt.Errorf("read the landing log of stream %s: %w", s.spec.Stream, err)
	}
	return nil
}

// Agrees tells whether what had landed by the last Refresh or ReadOn is what the stream's
// declaration says: else it is IsMisdeclared.
func (s *Stream) Agrees() (err error) {
	s.View(func(state *State) { err = s.agrees(state) })
	return err
}

// IsMisdeclared tells whether an error says that a stream is declared as its rows do not let it be:
// ErrEventTimeChanged or ErrTypeChanged. It lasts until the declaration is mended, and concerns
// nothing but that stream.
func IsMisdeclared(err error) bool {
	return errors.Is(err, ErrEventTimeChanged) || errors.Is(err, ErrTypeChanged)
}

// agrees tells whether what has landed is what the stream's declaration says.
func (s *Stream) agrees(state *State) error {
	if state.eventTime == nil || *state.eventTime == s.spec.EventTime {
		return s.widens(state)
	}
	return fmt.Errorf("stream %s: its event time is %v since its first rows landed, and %v in the configuration: %w; declare another stream",
		s.spec.Stream, *state.eventTime, s.spec.EventTime, ErrEventTimeChanged)
}

// End reads on, and returns the head position. The stream may be declared in any way.
func (s *Stream) End(ctx context.Context) (Position, error) {
	if err := s.ReadOn(ctx); err != nil {
		return 0, err
	}
	return s.Next(), nil
}

// View calls fn with the stream's state as of the last Refresh. fn must not
// keep it.
func (s *Stream) View(fn func(*State)) {
	s.ViewAt(func(state *State, _ uint64) { fn(state) })
}

// ViewAt is View, and tells of which entry the state is. It is the same state whenever the
// entry is.
func (s *Stream) ViewAt(fn func(state *State, entry uint64)) {
	s.follow.View(func(state *State, head log.Head) { fn(state, head.Number) })
}

// Next returns the stream's head position as of the last Refresh.
func (s *Stream) Next() (next Position) {
	s.View(func(state *State) { next = state.Next() })
	return next
}

// Landed tells whether content is in the stream already, and under which name
// it came.
func (s *Stream) Landed(ctx context.Context, id Identity) (name string, landed bool, err error) {
	if err := s.Refresh(ctx); err != nil {
		return "", false, err
	}
	k, err := s.lookUp(ctx, content{id: id})
	if err != nil {
		return "", false, fmt.Errorf("look up a content in stream %s: %w", s.spec.Stream, err)
	}
	return k.as, k.landed, nil
}

// HasContents reads on, and tells of each content whether it has landed.
func (s *Stream) HasContents(ctx context.Context, ids []Identity) ([]bool, error) {
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	landed := make([]bool, len(ids))
	for i, id := range ids {
		k, err := s.lookUp(ctx, content{id: id})
		if err != nil {
			return nil, fmt.Errorf("look up a content in stream %s: %w", s.spec.Stream, err)
		}
		landed[i] = k.landed
	}
	return landed, nil
}

// MayHave reads on, and tells whether there is a sign that a content has landed: one of
// its name or, in bytes, of its size is among the newest. It is a hint, and may be wrong
// either way.
func (s *Stream) MayHave(ctx context.Context, name string, size int64) (may bool, err error) {
	if err := s.Refresh(ctx); err != nil {
		return false, err
	}
	s.View(func(state *State) { may = state.cameAs(SourceName(name)) || state.isOfSize(size) })
	return may, nil
}

// SegmentKey returns the object key of a segment.
func (s *Stream) SegmentKey(id string) string { return SegmentKey(s.spec.Stream, id) }

func (s *Stream) rejectKey(id string) string { return RejectKey(s.spec.Stream, id) }

// SegmentKey returns the object key of a stream's segment.
func SegmentKey(stream, id string) string {
	return fmt.Sprintf("landing/%s/data/%s.parquet", stream, id)
}

// RejectKey returns the object key of a stream's file of rejects.
func RejectKey(stream, id string) string {
	return fmt.Sprintf("landing/%s/rejects/%s.parquet", stream, id)
}
