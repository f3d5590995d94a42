package landing

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Member is one of several arrivals that land by one entry: a content without rejects.
type Member struct {
	Name     string
	Identity Identity
	Version  string // see Claim
	Rows     int64  // of it, which the intake has taken in after those of the members before
}

// ErrMemberLanded says that of contents that were to land together one has landed
// before, or is there twice. Nothing was landed; each may be landed by itself.
var ErrMemberLanded = errors.New("one of the contents has landed already")

func (m Member) content() content {
	return content{id: m.Identity, name: SourceName(m.Name), version: m.Version}
}

// CommitMembers lands, by one entry, what the intake has taken in as the rows of members,
// each of which is an arrival of its own: all of them or none. Another error than
// ErrMemberLanded is as of Commit.
func (in *Intake) CommitMembers(ctx context.Context, members []Member) ([]Result, error) {
	defer in.Abort()
	begun := time.Now()
	results, err := in.commitMembers(ctx, members)
	if err != nil {
		return nil, fmt.Errorf("land %d sources from %q on in stream %s: %w", len(members), in.source.Name, in.stream.spec.Stream, err)
	}
	_ = in.stream.archive(ctx) // they have landed either way
	for i := range results {
		results[i].Took = time.Since(begun)
	}
	return results, nil
}

func (in *Intake) commitMembers(ctx context.Context, members []Member) (results []Result, err error) {
	switch {
	case in.ended:
		return nil, errors.New("the intake has ended already")
	case len(members) == 0 || in.refused > 0:
		return nil, fmt.Errorf("%d sources with %d rejects can't land together", len(members), in.refused)
	}
	if err := errors.Join(in.takeFrom(in.filler), in.closeSegment()); err != nil {
		return nil, err
	}
	if err := in.stream.Refresh(ctx); err != nil {
		return nil, err
	}
	err = in.bringIn(ctx, func(since time.Time) (named bool, err error) {
		results, err = in.appendMembers(ctx, members, since)
		return true, err
	})
	return results, err
}

// appendMembers is append of several arrivals.
func (in *Intake) appendMembers(ctx context.Context, members []Member, since time.Time) ([]Result, error) {
	for {
		before, err := in.lookUpMembers(ctx, members)
		if err != nil {
			return nil, err
		}
		results, err := in.appendMembersAfter(ctx, members, since, before)
		if !errors.Is(err, errArchived) {
			return results, err
		}
	}
}

func (in *Intake) lookUpMembers(ctx context.Context, members []Member) ([]known, error) {
	before := make([]known, len(members))
	for i, m := range members {
		var err error
		if before[i], err = in.stream.lookUp(ctx, m.content()); err != nil {
			return nil, fmt.Errorf("look up a content: %w", err)
		}
	}
	return before, nil
}

func (in *Intake) appendMembersAfter(ctx context.Context, members []Member, since time.Time, before []known) (results []Result, err error) {
	err = in.stream.commit(ctx, since, func(state *State) (*record, error) {
		if err := in.stream.agrees(state); err != nil {
			return nil, err
		}
		results = make([]Result, len(members))
		here := map[Identity]bool{}
		for i, m := range members {
			if len(state.archives) != before[i].archives {
				return nil, errArchived
			}
			now := state.lookUp(m.content())
			now.join(before[i])
			if now.landed || here[m.Identity] {
				return nil, ErrMemberLanded
			}
			here[m.Identity] = true
			results[i].SameName = now.sameName
		}
		c := in.together(members)
		if len(c.Segments) > 0 {
			in.mark(state, c)
		}
		c.rebase(state.Next())
		for i, a := range c.arrivals() {
			results[i].From, results[i].To = a.From, a.To
		}
		return c.record(), c.follows(state)
	})
	return results, err
}

// together is the body of the entry that lands members, as if it were the first.
func (in *Intake) together(members []Member) *Commit {
	c := in.body(Claim{})
	next := Position(0)
	for i, m := range members {
		a := Arrival{
			Identity: m.Identity, Name: SourceName(m.Name), LandedAt: in.landedAt, Version: m.Version,
			From: next, To: next + Position(m.Rows),
		}
		if next = a.To; i == 0 {
			c.Arrival = a
		} else {
			c.With = append(c.With, a)
		}
	}
	return c
}
