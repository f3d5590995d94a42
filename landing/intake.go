package landing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"strandline/internal/condemn"
	"strandline/internal/log"
	"strandline/internal/objstore"
)

// Intake takes one arrival in. Its rows gather in local files until Commit
// lands all of them by one log entry, or Abort forgets them. It is used by one
// goroutine, and ends with exactly one Commit or Abort; an Abort after a
// Commit does nothing.
type Intake struct {
	stream   *Stream
	source   Source
	landedAt time.Time
	scratch  string // a folder of this intake's own

	rows     buffer
	filler   *Filler // of the rows that Add takes
	room     *blockRoom
	segments []Segment
	rejects  *rejectBuffer
	marks    *markTracking
	classes  RejectCounts
	refused  int64
	rejected []string // ids of the reject files
	members  []tally  // before each of several arrivals, and after the last one
	sources  sources  // that are not called as the intake is
	ended    bool
}

// Result is what became of an arrival.
type Result struct {
	// Duplicate says that this content has landed before, as DuplicateOf, and
	// that nothing was landed now.
	Duplicate   bool
	DuplicateOf string
	// OnlyRejects is how many rejects this content landed as before, if that was without
	// a row; 0 where that is not known.
	OnlyRejects int64
	// SameName says that other content came under this name before.
	SameName bool
	// From and To are the positions [From, To) that the rows got.
	From, To Position
	Rejects  int64
	// Classes are the rejects, by class of their reason.
	Classes RejectCounts
	// Took is how long it took from the arrival's end until it had landed.
	Took time.Duration
}

// Rows returns how many rows were landed.
func (r Result) Rows() int64 { return int64(r.To - r.From) }

// Begin starts taking in an arrival. landed_at is read from the clock here,
// once, and is the same for all its rows for ever.
func (s *Stream) Begin(src Source) (*Intake, error) {
	src.Name = SourceName(src.Name)
	dir, err := s.opts.scratch()
	if err == nil {
		dir, err = os.MkdirTemp(dir, "intake-")
	}
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder for %q: %w", src.Name, err)
	}
	at := s.opts.Now().UTC().Truncate(time.Microsecond)
	in := &Intake{
		stream: s, source: src, landedAt: at, scratch: dir,
		rows:    buffer{columns: segmentColumns(s.spec.Columns)},
		room:    new(blockRoom),
		rejects: &rejectBuffer{source: src.Name},
		marks:   trackMarks(s.spec.Watermark, at, src.Way),
	}
	in.filler = in.Filler()
	return in, nil
}

// From says that the rows and rejects added from now on come from a source of that
// name, and not from the one that the intake began with.
func (in *Intake) From(source string) { in.from(SourceName(source)) }

// By says by which way the rows added from now on come in, as Source.Way does.
func (in *Intake) By(way string) { in.marks.by(way) }

// FromLanded is From with the name that rows or rejects of the source have landed by.
func (in *Intake) FromLanded(source string) { in.from(KnownAs(source)) }

func (in *Intake) from(source string) {
	if in.rejects.source == source {
		return
	}
	in.filler.from(source)
	in.rejects.source = source
	in.sources.see(source)
}

// Add takes in one row. Its values are copied.
func (in *Intake) Add(row Row) error {
	if err := in.filler.Add(row); err != nil {
		return fmt.Errorf("take in row %d of %q: %w", row.SourcePosition, in.source.Name, err)
	}
	in.marks.see(row.EventTime)
	if in.filler.size()+in.rows.size < in.stream.opts.SegmentBytes && len(in.filler.filled) == 0 {
		return nil
	}
	return in.takeFrom(in.filler)
}

// Filler returns one for rows of the intake's source. Other goroutines may use it, and
// the intake takes what it has filled.
func (in *Intake) Filler() *Filler {
	return newFiller(in.stream.spec.Columns, in.rejects.source, in.landedAt, in.room)
}

// AddFilled takes in, as the rows that come next, all that a filler has, which is empty then.
func (in *Intake) AddFilled(f *Filler) error {
	if err := errors.Join(in.takeFrom(in.filler), f.End()); err != nil {
		return err
	}
	for _, b := range f.filled {
		for row := range b.rows() {
			in.marks.see(b.vectors[atEventTime].Integer(row))
		}
	}
	return in.takeFrom(f)
}

// takeFrom takes what a filler has, of which the marks are known.
func (in *Intake) takeFrom(f *Filler) error {
	if err := f.End(); err != nil {
		return fmt.Errorf("take in rows of %q: %w", in.source.Name, err)
	}
	filled := f.filled
	f.filled = nil
	for _, b := range filled {
		in.rows.add(b)
		if in.rows.size < in.stream.opts.SegmentBytes {
			continue
		}
		if err := in.closeSegment(); err != nil {
			return err
		}
	}
	return nil
}

// Reject takes in one arrival that could not be read as a row. Its bytes are
// copied.
func (in *Intake) Reject(r Reject) error {
	in.rejects.add(r)
	in.refused++
	in.classes[r.Class]++
	if in.rejects.bytes < maxRejectBytes {
		return nil
	}
	return in.closeRejects()
}

// Commit lands the arrival whose content is id. If that content has landed
// already, by whomever, it lands nothing and says so. With log.ErrUnknown the
// arrival may have landed; landing it again is safe and tells.
func (in *Intake) Commit(ctx context.Context, id Identity) (Result, error) {
	return in.CommitAs(ctx, Claim{Identity: id})
}

// CommitAs lands the arrival as what it claims to be. If its content, or its version of
// its name, has landed already, by whomever, it lands no row and says so; a version that
// is new to the stream is noted all the same. A claim that does not fit what has landed
// is ErrMoved, ErrKeysLanded, ErrTooManyKeys or ErrRetried, and nothing is landed; nor is
// it with ErrNoClock. With
// log.ErrUnknown it may have landed; landing what was claimed again is safe and tells,
// unless the claim has neither identity nor version, progress, keys or rejects.
func (in *Intake) CommitAs(ctx context.Context, claim Claim) (Result, error) {
	defer in.Abort()
	begun := time.Now()
	result, err := in.commit(ctx, claim)
	if err != nil {
		return Result{}, fmt.Errorf("land %q in stream %s: %w", in.source.Name, in.stream.spec.Stream, err)
	}
	_ = in.stream.archive(ctx) // the arrival has landed either way
	result.Classes, result.Took = in.classes, time.Since(begun)
	return result, nil
}

func (in *Intake) commit(ctx context.Context, claim Claim) (Result, error) {
	if in.ended {
		return Result{}, errors.New("the intake has ended already")
	}
	claim, err := claim.settled()
	if err != nil {
		return Result{}, err
	}
	if result, done, err := in.early(ctx, claim); err != nil || done {
		return result, err
	}
	if err := errors.Join(in.takeFrom(in.filler), in.closeSegment(), in.closeRejects()); err != nil {
		return Result{}, err
	}
	var result Result
	err = in.bringIn(ctx, func(since time.Time) (named bool, err error) {
		result, err = in.append(ctx, claim, since)
		return !result.Duplicate, err
	})
	return result, err
}

// early reads on, and settles the claim where that can be done without its files.
func (in *Intake) early(ctx context.Context, claim Claim) (result Result, done bool, err error) {
	if err := in.stream.Refresh(ctx); err != nil {
		return Result{}, false, err
	}
	before, err := in.stream.lookUp(ctx, in.content(claim))
	if err != nil {
		return Result{}, false, fmt.Errorf("look up a content: %w", err)
	}
	if before.landed {
		result, err := in.append(ctx, claim, in.stream.opts.Now())
		return result, true, err
	}
	in.stream.View(func(state *State) { err = state.followsClaim(claim) })
	if err != nil || len(claim.Keys) == 0 {
		return Result{}, false, err
	}
	if err := in.stream.keyClock.read(ctx); err != nil {
		return Result{}, false, err
	}
	in.stream.View(func(state *State) { err = in.hasRoom(state, claim.Keys, in.stream.keyClock.now()) })
	return Result{}, false, err
}

func (in *Intake) content(claim Claim) content {
	return content{id: claim.Identity, name: in.source.Name, version: claim.Version}
}

// hasRoom is ErrTooManyKeys if the stream may not remember keys that land at a time.
func (in *Intake) hasRoom(state *State, keys []Key, at time.Time) error {
	if !state.keys.hasRoom(keys, at, in.stream.opts.MaxKeys) {
		return ErrTooManyKeys
	}
	return nil
}

// maxTries is how often the files are brought up if a sweep removes them before they
// are named.
const maxTries = 3

// bringIn brings the files up and then has append name them, which is told when that
// began; anew under other names, if a sweep has removed them meanwhile. Files that
// nothing names are taken back. With condemn.Err nothing was committed.
func (in *Intake) bringIn(ctx context.Context, append func(since time.Time) (named bool, err error)) error {
	for try := 1; ; try++ {
		since := in.stream.opts.Now()
		if err := in.upload(ctx); err != nil {
			return err
		}
		named, err := append(since)
		if err == nil && !named || errors.Is(err, condemn.Err) || errors.Is(err, ErrMemberLanded) {
			in.takeBack(ctx)
		}
		if !errors.Is(err, condemn.Err) || try == maxTries {
			return err
		}
		if err := in.rename(); err != nil {
			return err
		}
	}
}

// append is the commit point. The segments' positions are decided here, from
// the newest head, as often as it takes to win a slot.
// Since is when the files began to be brought up.
func (in *Intake) append(ctx context.Context, claim Claim, since time.Time) (Result, error) {
	for {
		before, err := in.stream.lookUp(ctx, in.content(claim))
		if err != nil {
			return Result{}, err
		}
		result, err := in.appendAfter(ctx, claim, since, before)
		if !errors.Is(err, errArchived) {
			return result, err
		}
	}
}

// errArchived says that arrivals went to an archive that was not looked at.
var errArchived = errors.New("arrivals were archived meanwhile")

// appendAfter is append where before was known of the content in the archives.
func (in *Intake) appendAfter(ctx context.Context, claim Claim, since time.Time, before known) (Result, error) {
	var result Result
	err := in.stream.commit(ctx, since, func(state *State) (*record, error) {
		if err := in.stream.agrees(state); err != nil {
			return nil, err
		}
		if len(state.archives) != before.archives {
			return nil, errArchived
		}
		now := state.lookUp(in.content(claim))
		now.join(before)
		if now.landed {
			result = Result{Duplicate: true, DuplicateOf: now.as, OnlyRejects: now.onlyRejects}
			return in.noted(state, claim, now)
		}
		c := in.body(claim)
		if len(c.Segments) > 0 {
			in.mark(state, c)
		}
		if len(claim.Keys) > 0 {
			c.KeysAt, c.Keys = in.dated(state, claim)
		}
		c.rebase(state.Next())
		result = Result{From: c.Arrival.From, To: c.Arrival.To, Rejects: in.refused, SameName: now.sameName}
		return c.record(), cmp.Or(c.follows(state), in.hasRoom(state, c.Keys, c.KeysAt))
	})
	return result, err
}

// mark says how far the arrival brings the stream, and what of it is late, when it lands
// now.
func (in *Intake) mark(state *State, c *Commit) {
	c.Marks, c.MarkedAt = in.marks.marks(), in.stream.opts.Now().UTC().Truncate(time.Microsecond)
	c.Late = in.marks.rows.late(state.marks.at(c.MarkedAt.UnixMicro()))
}

// body is that of the entry which lands the arrival, as if it were the first.
func (in *Intake) body(claim Claim) *Commit {
	return &Commit{
		EventTime: in.stream.spec.EventTime,
		Segments:  slices.Clone(in.segments),
		Arrival: Arrival{
			Identity: claim.Identity, Name: in.source.Name, LandedAt: in.landedAt, Version: claim.Version,
			Rejects: in.refused, RejectFiles: in.rejected,
			Sources: in.sources.first, MoreSources: in.sources.more(),
		},
		Progress: claim.Progress, Retried: claim.Retried,
	}
}

// dated returns when the claim's keys land, and these with the times until which they
// are kept. Time does not go back for keys, also where somebody's clock was ahead.
func (in *Intake) dated(state *State, claim Claim) (at time.Time, keys []Key) {
	at = in.stream.keyClock.now()
	if newest := time.UnixMicro(state.keys.hour * microsPerHour).UTC(); at.Before(newest) {
		at = newest
	}
	for _, k := range claim.Keys {
		k.Until = at.Add(claim.KeepKeys)
		keys = append(keys, k)
	}
	return at, keys
}

// noted is the entry that notes the version of a content which has landed otherwise, so
// that it need not be read to be known; none if there is nothing to note.
func (in *Intake) noted(state *State, claim Claim, now known) (*record, error) {
	if claim.Version == "" || now.version {
		return nil, nil
	}
	id, err := freshIdentity()
	if err != nil {
		return nil, err
	}
	c := &Commit{
		EventTime: in.stream.spec.EventTime,
		Arrival:   Arrival{Identity: id, Name: in.source.Name, LandedAt: in.landedAt, Version: claim.Version},
	}
	c.rebase(state.Next())
	return c.record(), nil
}

// rename gives the files names that nobody has used.
func (in *Intake) rename() error {
	for i := range in.segments {
		if err := in.renameFile(&in.segments[i].ID); err != nil {
			return err
		}
	}
	for i := range in.rejected {
		if err := in.renameFile(&in.rejected[i]); err != nil {
			return err
		}
	}
	return nil
}

func (in *Intake) renameFile(id *string) error {
	fresh, err := objstore.FreshID()
	if err != nil {
		return err
	}
	if err := os.Rename(in.path(*id), in.path(fresh)); err != nil {
		return fmt.Errorf("bring a file up again: %w", err)
	}
	*id = fresh
	return nil
}

// upload brings the files up before anything names them.
func (in *Intake) upload(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for _, file := range in.files() {
		group.Go(func() error { return objstore.Take(ctx, in.stream.store, file.key, file.path) })
	}
	return group.Wait()
}

type localFile struct{ key, path string }

func (in *Intake) files() []localFile {
	var files []localFile
	for _, s := range in.segments {
		files = append(files, localFile{in.stream.SegmentKey(s.ID), in.path(s.ID)})
	}
	for _, id := range in.rejected {
		files = append(files, localFile{in.stream.rejectKey(id), in.path(id)})
	}
	return files
}

func (in *Intake) path(id string) string { return in.scratch + "/" + id + ".parquet" }

// takeBack removes files that were brought up for an arrival which turned out
// to have landed already, or which a sweep condemned. No entry names them and none ever will, so an error
// leaves nothing worse than an unreferenced file.
func (in *Intake) takeBack(ctx context.Context) {
	for _, file := range in.files() {
		_ = in.stream.store.Delete(ctx, file.key)
	}
}

// Abort forgets the arrival.
func (in *Intake) Abort() {
	in.ended = true
	_ = os.RemoveAll(in.scratch) // scratch is swept at the next start if this fails
}

var _ log.State = (*State)(nil)
