package landing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Member is one of several arrivals that land by one entry. The intake has taken in its
// rows and rejects after BeginMember, and after those of the members before.
type Member struct {
	Name     string
	Identity Identity
	Version  string // see Claim
	Rows     int64
}

// tally is what an intake has written of rejects up to a moment.
type tally struct {
	files   int
	refused int64
	classes RejectCounts
}

func (in *Intake) tally() tally { return tally{len(in.rejected), in.refused, in.classes} }

// BeginMember says that the rows and rejects added from now on are of the next one of
// several arrivals that are to land together, under that name. Its rejects are in files of
// their own: they are kept as long as what they came with.
func (in *Intake) BeginMember(name string) error {
	if err := in.closeRejects(); err != nil {
		return err
	}
	in.From(name)
	in.members = append(in.members, in.tally())
	return nil
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
	case len(members) == 0 || len(members) != len(in.members):
		return nil, fmt.Errorf("%d sources were begun, and %d are to land together", len(in.members), len(members))
	}
	if err := errors.Join(in.takeFrom(in.filler), in.closeSegment(), in.closeRejects()); err != nil {
		return nil, err
	}
	in.members = append(in.members, in.tally())
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
			results[i].From, results[i].To, results[i].Rejects = a.From, a.To, a.Rejects
			results[i].Classes = in.members[i+1].classes.without(in.members[i].classes)
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
		from, to := in.members[i], in.members[i+1]
		a := Arrival{
			Identity: m.Identity, Name: SourceName(m.Name), LandedAt: in.landedAt, Version: m.Version,
			From: next, To: next + Position(m.Rows),
			Rejects: to.refused - from.refused, RejectFiles: slices.Clone(in.rejected[from.files:to.files]),
		}
		if next = a.To; i == 0 {
			c.Arrival = a
		} else {
			c.With = append(c.With, a)
		}
	}
	return c
}
