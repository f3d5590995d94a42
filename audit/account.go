package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"strandline/compaction"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/sweep"
)

// SmallBytes is below how many bytes a data file counts as small: reading it costs
// more for asking than for what it holds.
const SmallBytes = 8 << 20

// Account is what a stream or a table has and costs.
type Account struct {
	Room Room   `json:"-"`
	In   string `json:"in"`
	Amount
	Of map[Part]Amount `json:"of"`
	// Rows are those of a stream that are still there, or those that are published.
	Rows int64 `json:"rows"`
	// Files are the segments, or the published files; Small those below SmallBytes.
	Files int `json:"files"`
	Small int `json:"small"`
	// Versions are those of a table that are kept.
	Versions int64 `json:"versions,omitempty"`
	// Unnamed are the files that no kept version names: Old ones a sweep removes,
	// Young ones are younger than its grace.
	Old   Amount `json:"unnamed_old"`
	Young Amount `json:"unnamed_young"`
	// Merges are what a compaction would do now: so many segments become so many.
	Merges    int `json:"merges,omitempty"`
	Mergeable int `json:"merged_segments,omitempty"`
	// Day is what was written in the day before, and Calls what it cost.
	Day   Day   `json:"day"`
	Calls Calls `json:"calls_a_day"`
	// Trouble says why some of it is not known.
	Trouble string `json:"trouble,omitempty"`
}

// Day is what came to be in the last 24 hours, by the store's clock.
type Day struct {
	Objects int `json:"objects"`
	Entries int `json:"entries"`
	Data    int `json:"data"` // data files
}

// Calls are calls to the store.
type Calls struct {
	Put  int `json:"put"`
	Get  int `json:"get"`
	List int `json:"list"`
}

// How many listings the commit of an arrival makes, and the planning, the look before
// computing and the commit of an edit of one partition, by a process that goes on running.
const (
	ListsPerArrival = 3
	ListsPerEdit    = 6
)

// calls is what a day's writing cost: a PUT for each object, the listings around
// each commit, and a GET for each entry by one other process that follows, and
// for each data file by one that computes from it.
func (d Day) calls(listsPerEntry int) Calls {
	return Calls{Put: d.Objects, Get: d.Entries + d.Data, List: listsPerEntry * d.Entries}
}

// Accounting says how accounts are made.
type Accounting struct {
	Store objstore.Store
	// Sweep says what a sweep would remove. It is not carried out.
	Sweep sweep.Options
	Now   func() time.Time
}

// Accounts returns the account of every stream and table of the lake, in order,
// and what is foreign. It reads logs and lists; it reads no data file and writes
// nothing. It errs only where the store can't be listed or ctx ends.
func (a Accounting) Accounts(ctx context.Context) ([]Account, Amount, error) {
	accounts, foreign := map[Room]*Account{}, Amount{}
	since := a.Now().Add(-24 * time.Hour)
	_, err := Catalogue(ctx, a.Store, func(o Object) {
		if o.Room == (Room{}) {
			if o.Part == Foreign {
				foreign.add(o.Object)
			}
			return
		}
		account := accounts[o.Room]
		if account == nil {
			account = &Account{Room: o.Room, In: o.Room.String(), Of: map[Part]Amount{}}
			accounts[o.Room] = account
		}
		account.add(o, since)
	})
	if err != nil {
		return nil, foreign, err
	}
	for _, account := range accounts {
		account.read(ctx, a.Store)
	}
	a.sweep(ctx, accounts)
	var all []Account
	for _, room := range slices.SortedFunc(maps.Keys(accounts), Room.compare) {
		all = append(all, *accounts[room])
	}
	return all, foreign, ctx.Err()
}

func (a *Account) add(o Object, since time.Time) {
	a.Amount.add(o.Object)
	part := a.Of[o.Part]
	part.add(o.Object)
	a.Of[o.Part] = part
	if o.Modified.Before(since) {
		return
	}
	a.Day.Objects++
	switch o.Part {
	case Entries:
		a.Day.Entries++
	case Data:
		a.Day.Data++
	}
}

// read fills in what the log says.
func (a *Account) read(ctx context.Context, store objstore.Store) {
	var err error
	switch a.Room.Area {
	case sweep.AreaLanding:
		a.Calls = a.Day.calls(ListsPerArrival)
		err = a.readStream(ctx, store)
	case sweep.AreaTables:
		a.Calls = a.Day.calls(ListsPerEdit)
		err = a.readTable(ctx, store)
	default:
		a.Calls = a.Day.calls(ListsPerEdit)
		a.Files = a.Of[Data].Objects
	}
	if err != nil {
		a.Trouble = err.Error()
	}
}

func (a *Account) readStream(ctx context.Context, store objstore.Store) error {
	s, err := openStream(ctx, store, a.Room.Name)
	if err != nil {
		return err
	}
	s.View(func(state *landing.State) {
		segments := state.Segments()
		for _, segment := range segments {
			a.Rows += segment.Rows
			a.file(segment.Bytes)
		}
		for _, task := range compaction.Plan(segments, compaction.DefaultLimits) {
			a.Merges++
			a.Mergeable += len(task.Segments)
		}
	})
	return nil
}

func (a *Account) readTable(ctx context.Context, store objstore.Store) error {
	snapshot, err := manifests.Open(store, a.Room.Name, manifests.Options{}).Snapshot(ctx)
	if err != nil {
		return err
	}
	a.Rows = snapshot.Rows()
	a.Versions = int64(snapshot.Version) + 1 - int64(max(snapshot.Oldest, 1))
	for _, r := range snapshot.Receipts() {
		for _, f := range r.Files {
			a.file(f.Bytes)
		}
	}
	return nil
}

func (a *Account) file(bytes int64) {
	a.Files++
	if bytes < SmallBytes {
		a.Small++
	}
}

// sweep fills in what a sweep would remove.
func (a Accounting) sweep(ctx context.Context, accounts map[Room]*Account) {
	options := a.Sweep
	options.DryRun = true
	report, _ := sweep.Run(ctx, a.Store, options) // the trouble of a part is in it
	for _, part := range report.Parts {
		account := accounts[Room{part.Area, part.Name}]
		if account == nil {
			continue // it came to be meanwhile
		}
		account.Old = Amount{int(part.Swept.Objects), part.Swept.Bytes}
		account.Young = Amount{int(part.Young.Objects), part.Young.Bytes}
		if account.Trouble == "" {
			account.Trouble = part.Trouble
		}
	}
}

// openStream opens a stream as it is now, however it is declared, if at all.
func openStream(ctx context.Context, store objstore.Store, name string) (*landing.Stream, error) {
	s := landing.Open(store, landing.Spec{Stream: name}, landing.Options{})
	if err := s.Refresh(ctx); err != nil && !errors.Is(err, landing.ErrEventTimeChanged) {
		return nil, fmt.Errorf("open stream %s: %w", name, err)
	}
	return s, nil
}
