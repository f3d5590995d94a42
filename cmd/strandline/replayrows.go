package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"strandline/ingest"
	"strandline/ingest/kafka"
	"strandline/ingest/post"
	"strandline/internal/config"
	"strandline/landing"
	"strandline/runner"
)

// rowsBy says which rows of a stream came by something that they have in their source.
type rowsBy interface {
	source() landing.RowSource
	// words says which rows they are.
	words() string
	// check tells what the log says against there being such.
	check(state *landing.State) error
	// lost tells what an arrival knows that is lost of them.
	lost(landing.Arrival) []landing.Gap
	// none says that there are none, and why that may be.
	none() error
}

// offsets are rows by their offsets in Kafka.
type offsets struct{ kafka.Asked }

func byOffsets(text string) (rowsBy, error) {
	asked, err := kafka.ParseAsked(text)
	if err != nil {
		return nil, fmt.Errorf("--kafka %w", err)
	}
	return offsets{asked}, nil
}

func (o offsets) words() string                        { return "of " + o.Asked.String() }
func (o offsets) source() landing.RowSource            { return o.Source() }
func (o offsets) check(state *landing.State) error     { return o.Check(state) }
func (o offsets) lost(a landing.Arrival) []landing.Gap { return o.Lost(a) }

func (o offsets) none() error {
	return fmt.Errorf("%w: none landed of the offsets %s: they held no records, tombstones that are skipped, or rejects (strandline rejects)", runner.ErrNoPosition, o.Asked)
}

// byKey are rows by the idempotency key of their post.
type byKey string

func (k byKey) words() string                    { return "posted with the key " + string(k) }
func (k byKey) source() landing.RowSource        { return post.RowsOf(string(k)) }
func (byKey) check(*landing.State) error         { return nil }
func (byKey) lost(landing.Arrival) []landing.Gap { return nil }

func (k byKey) none() error {
	return fmt.Errorf("%w: none was posted with the Idempotency-Key %q: the key is another, all its records were rejects (strandline rejects), or its rows have expired", runner.ErrNoPosition, string(k))
}

// find finds the rows of a replay.
func (l *lake) find(ctx context.Context, task *runner.Task, stream *landing.Stream, rows replayed) (runner.Found, error) {
	if len(rows.arrivals) > 0 {
		return l.findArrivals(ctx, task, stream, rows.arrivals)
	}
	if rows.by == nil {
		at, err := rows.landed(ctx, stream)
		if err != nil {
			return runner.Found{}, err
		}
		return task.HoursOf(ctx, stream, landing.Rows{At: at})
	}
	return l.findBy(ctx, task, stream, rows)
}

// landed are the positions of what landed in the time that is asked for.
func (r replayed) landed(ctx context.Context, stream *landing.Stream) (at []landing.Range, err error) {
	if r.from.IsZero() && r.to.IsZero() {
		return landing.JoinRanges([]landing.Range{{From: 0, To: stream.Next()}}), nil
	}
	err = stream.Arrivals(ctx, 0, stream.Next(), func(a landing.Arrival) error {
		if !a.LandedAt.Before(r.from) && (r.to.IsZero() || a.LandedAt.Before(r.to)) {
			at = append(at, landing.Range{From: a.From, To: a.To})
		}
		return nil
	})
	if at = landing.JoinRanges(at); err == nil && len(at) == 0 {
		err = fmt.Errorf("%w: no row landed%s (strandline arrivals %s lists what did, and when)", runner.ErrNoPosition, r.during(), stream.Spec().Stream)
	}
	return at, err
}

// during says in which time rows landed.
func (r replayed) during() (text string) {
	if !r.from.IsZero() {
		text = " from " + r.from.Format(time.RFC3339)
	}
	if !r.to.IsZero() {
		text += " before " + r.to.Format(time.RFC3339)
	}
	return text
}

// findBy finds rows by their source.
func (l *lake) findBy(ctx context.Context, task *runner.Task, stream *landing.Stream, rows replayed) (found runner.Found, err error) {
	stream.View(func(state *landing.State) { err = rows.by.check(state) })
	if err != nil {
		return found, err
	}
	at, err := rows.landed(ctx, stream)
	if err != nil {
		return found, err
	}
	if len(at) == 0 {
		return found, rows.by.none() // nothing has landed
	}
	source := rows.by.source()
	found, err = task.HoursOf(ctx, stream, landing.Rows{At: at, Source: &source})
	if err == nil && found.Rows == 0 {
		err = rows.by.none()
	}
	if err != nil {
		return found, err
	}
	return found, stream.Arrivals(ctx, 0, stream.Next(), func(a landing.Arrival) error {
		for _, gap := range rows.by.lost(a) {
			l.note("offsets [%d, %d) of these have never landed: they were accepted as lost, since %s", gap.From, gap.To, gap.Reason)
		}
		return nil
	})
}

// findArrivals finds the rows of arrivals, and of their rejects that landed again.
func (l *lake) findArrivals(ctx context.Context, task *runner.Task, stream *landing.Stream, names []string) (found runner.Found, err error) {
	var at []landing.Range
	var wanted []landing.Rows
	came := map[string]bool{}
	for _, name := range names {
		arrivals, err := l.arrivalsOf(ctx, stream, name)
		if err != nil {
			return found, err
		}
		for _, a := range arrivals {
			at, came[a.Name] = append(at, landing.Range{From: a.From, To: a.To}), true
		}
		rows, err := l.rowsFrom(ctx, task, stream, name, len(arrivals) > 0)
		if err != nil {
			return found, err
		}
		if rows != nil {
			wanted, came[rows.Source.Name] = append(wanted, *rows), true
		}
	}
	retried, err := stream.ArrivalsNamed(ctx, ingest.RetrySource)
	if err != nil {
		return found, err
	}
	if at = landing.JoinRanges(at); len(at) > 0 {
		wanted = append(wanted, landing.Rows{At: at})
	}
	if again := rangesOf(stream, retried); len(again) > 0 {
		for _, name := range slices.Sorted(maps.Keys(came)) {
			wanted = append(wanted, landing.Rows{At: again, Source: &landing.RowSource{Name: name}})
		}
	}
	for _, rows := range wanted {
		one, err := task.HoursOf(ctx, stream, rows)
		if err != nil {
			return found, err
		}
		found.Add(one)
	}
	if found.Rows == 0 {
		return found, fmt.Errorf("%w: no row landed of %s, only rejects (strandline rejects %s)", runner.ErrNoPosition, strings.Join(names, ", "), stream.Spec().Stream)
	}
	return found, nil
}

// rangesOf are the positions of arrivals that have not expired.
func rangesOf(stream *landing.Stream, arrivals []landing.Arrival) (at []landing.Range) {
	var expired landing.Position
	stream.View(func(state *landing.State) { expired = state.ExpiredUpTo() })
	for _, a := range arrivals {
		at = append(at, landing.Range{From: max(a.From, expired), To: a.To})
	}
	return landing.JoinRanges(at)
}

// arrivalsOf are what a person means by a name: what landed under it or, where nothing
// did, under a name in a version, as a content, or what landed of a file's content; none
// where nothing is called so.
func (l *lake) arrivalsOf(ctx context.Context, stream *landing.Stream, name string) ([]landing.Arrival, error) {
	for _, look := range []func(context.Context, *landing.Stream, string) ([]landing.Arrival, error){named, versioned, ofContent, l.ofFile} {
		if found, err := look(ctx, stream, name); err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// rowsFrom are the rows whose source is called so, of arrivals that have another name: of
// a log that is tailed, of a post, of a partition of a topic. There must be such unless
// something is named so; nil if there are none.
func (l *lake) rowsFrom(ctx context.Context, task *runner.Task, stream *landing.Stream, name string, named bool) (*landing.Rows, error) {
	tailed := false
	stream.View(func(state *landing.State) { tailed = ingest.Tailed(state) })
	if named && !tailed {
		return nil, nil // no two of the other ways have names that are alike
	}
	source := landing.SourceName(name)
	var naming, others []landing.Arrival // that name the source, and that may have it
	for a, err := range stream.NewestArrivals(ctx) {
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(a.Sources, source):
			naming = append(naming, a)
		case mayHold(a, source):
			others = append(others, a)
		}
	}
	rows := &landing.Rows{At: rangesOf(stream, others), Source: &landing.RowSource{Name: source}}
	if len(naming) == 0 && len(rows.At) > 0 {
		if found, err := task.HoursOf(ctx, stream, *rows); err != nil || found.Rows > 0 {
			return rows, err
		}
	}
	for _, a := range naming {
		rows.At = append(rows.At, landing.Range{From: a.From, To: a.To})
	}
	rows.At = landing.JoinRanges(rows.At)
	switch {
	case len(naming) == 0 && !named:
		return nil, l.unknown(ctx, stream, name)
	case len(naming) == 0, len(rows.At) == 0:
		return nil, nil
	}
	return rows, nil
}

// mayHold tells whether an arrival may have rows of a source that it does not name: it
// has too many, or was landed by a program that did not name them.
func mayHold(a landing.Arrival, source string) bool {
	switch wayOf(a) {
	case "tail":
		return len(a.Sources) == 0
	case ingest.WayHTTP:
		return (len(a.Sources) == 0 || a.MoreSources > 0) && strings.HasPrefix(source, a.Name+":")
	case "kafka":
		return (len(a.Sources) == 0 || a.MoreSources > 0) && strings.HasPrefix(source, a.Name+"/")
	}
	return false
}

func named(ctx context.Context, stream *landing.Stream, name string) ([]landing.Arrival, error) {
	return stream.ArrivalsNamed(ctx, landing.SourceName(name))
}

// versioned looks for NAME@VERSION.
func versioned(ctx context.Context, stream *landing.Stream, name string) (found []landing.Arrival, err error) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return nil, nil
	}
	found, err = named(ctx, stream, name[:at])
	had := make([]string, len(found))
	for i, a := range found {
		had[i] = a.Version
	}
	version := strings.Trim(name[at+1:], `"`)
	found = slices.DeleteFunc(found, func(a landing.Arrival) bool { return strings.Trim(a.Version, `"`) != version })
	if err == nil && len(had) > 0 && len(found) == 0 {
		err = fmt.Errorf("%w: %s landed, and not in version %s; in these: %s", runner.ErrNoPosition, name[:at], version, strings.Join(had, ", "))
	}
	return found, err
}

// leastDigits is how many digits of a SHA-256 are enough to say which content is meant.
const leastDigits = 8

// ofContent looks for the SHA-256 of a content, or its first digits.
func ofContent(ctx context.Context, stream *landing.Stream, digits string) ([]landing.Arrival, error) {
	if len(digits) < leastDigits || len(digits) > hex.EncodedLen(32) || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return nil, nil
	}
	found, err := stream.ArrivalsOf(ctx, digits)
	if err == nil && len(found) > 1 {
		err = fmt.Errorf("%w: the SHA-256 of %d contents begin with %s: give more digits", runner.ErrNoPosition, len(found), digits)
	}
	return found, err
}

// ofFile looks for what landed of the content of a file of this machine.
func (l *lake) ofFile(ctx context.Context, stream *landing.Stream, path string) ([]landing.Arrival, error) {
	declared, err := l.config.Stream(stream.Spec().Stream)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	id, err := ingest.Identify(ctx, file, l.readOptions(declared))
	if err != nil {
		return nil, fmt.Errorf("read %s, to look for its content: %w", path, ingest.OfFile.About(err))
	}
	found, err := stream.ArrivalsOf(ctx, id.Digest.String())
	for _, a := range found {
		l.note("%s landed as %s", printable(path), printable(a.Name))
	}
	return found, err
}

// unknown says that nothing landed that is called so, and what is called nearly so,
// whatever folder it is in.
func (l *lake) unknown(ctx context.Context, stream *landing.Stream, name string) error {
	byBase := map[string][]string{}
	compared := 0
	for a, err := range stream.NewestArrivals(ctx) {
		if err != nil {
			return err
		}
		for _, known := range append([]string{a.Name}, a.Sources...) {
			base := filepath.Base(known)
			if !slices.Contains(byBase[base], known) {
				byBase[base] = append(byBase[base], known)
			}
		}
		if compared++; compared == mostCompared {
			break
		}
	}
	hint := ""
	if alike := byBase[config.Nearest(filepath.Base(name), slices.Sorted(maps.Keys(byBase)))]; len(alike) > 0 {
		hint = "; did you mean " + some(alike, strconv.Quote) + "?"
	}
	return fmt.Errorf("%w: nothing landed as %s%s (strandline arrivals %s lists what did)", runner.ErrNoPosition, printable(name), hint, stream.Spec().Stream)
}

// mostCompared is how many of the newest names an unknown one is held against.
const mostCompared = 10_000
