// Package audit holds a whole lake against itself: every log against its chain,
// every checkpoint against the entries, every file against the log that names it,
// and what was published against what landed. It goes on past any fault, tells
// each by a stable name, and writes nothing.
//
// It reads logs before it lists the files that they name, since a file is there
// before its entry is. So what others land and publish meanwhile is no fault.
package audit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"strandline/internal/digest"
	"strandline/internal/localfile"
	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/sweep"
	"strandline/window"
)

// Audit is one look at a lake.
type Audit struct {
	Store objstore.Store
	// Files brings data files to this machine, for Deep.
	Files *localfile.Cache
	// Jobs are those whose code is known. Receipts of other code are held
	// against the positions that landed, and not against the rows.
	Jobs []Job
	// Deep reads every data file whole. Else only its size is looked at.
	Deep bool
	// Parallel is how many files are read at a time; 1 if less.
	Parallel int
	// Found is told each fault and note, one at a time.
	Found func(Fault)
	// Start is told what comes, of how many objects at most, and Step what was
	// done of it, by several goroutines at once.
	Start func(total int, what string)
	Step  func(n int, key string)
}

// Job is a job and the fingerprint of its code.
type Job struct {
	window.Job
	Fingerprint digest.Hash
}

// Checked says what an audit has looked at.
type Checked struct {
	Streams, Tables int
	Objects         int
	Bytes           int64
	Faults, Notes   int
}

// run is an audit under way.
type run struct {
	Audit
	streams map[string]*landing.Examined // by name

	mu      sync.Mutex // guards what follows, and Found
	checked Checked
}

// Run audits the lake. It errs only where the store can't be listed or ctx ends;
// all else is told to Found.
func (a Audit) Run(ctx context.Context) (Checked, error) {
	r := &run{Audit: a, streams: map[string]*landing.Examined{}}
	catalog, err := Catalogue(ctx, a.Store, func(o Object) { r.stray(o) })
	if err != nil {
		return r.checked, err
	}
	if err := r.strange(ctx); err != nil {
		return r.checked, err
	}
	r.checked.Objects, r.checked.Bytes = catalog.Objects, catalog.Bytes
	r.Start(catalog.examined(), "logs and their files")
	rooms := slices.SortedFunc(maps.Keys(catalog.Rooms), Room.compare)
	for _, room := range rooms { // streams first: tables are held against them
		if err := r.room(ctx, room, catalog.Rooms[room]); err != nil {
			return r.checked, err
		}
	}
	return r.checked, nil
}

// attempts is how often a room is looked at whose log is trimmed meanwhile, past
// all that was known of it.
const attempts = 5

func (r *run) room(ctx context.Context, room Room, holds *Contents) error {
	if holds.Of[Entries].Objects+holds.Of[Checkpoints].Objects == 0 && room.Area != sweep.AreaRequests {
		r.tell(Fault{Name: MissingLog, Room: room, Key: room.Prefix() + "log/", Seen: holds.String() + " and no log entry"})
		return nil
	}
	var look func(context.Context, Room) error
	switch room.Area {
	case sweep.AreaLanding:
		r.checked.Streams++
		look = r.stream
	case sweep.AreaTables:
		r.checked.Tables++
		look = r.table
	default:
		look = r.requests
	}
	var err error
	for range attempts {
		if err = look(ctx, room); !errors.Is(err, log.ErrTrimmed) {
			break
		}
	}
	return err
}

// stray tells of an object that belongs to no room.
func (r *run) stray(o Object) {
	switch o.Part {
	case Foreign:
		r.tell(Fault{Name: ForeignObject, Key: o.Key, Seen: bytesText(o.Size) + ", under a key that Strandline does not write"})
	case Selftest:
		r.tell(Fault{Name: Leftover, Key: o.Key, Seen: "a proof of the store that was not cleaned up after"})
	}
}

func (r *run) tell(f Fault) {
	f.complete()
	r.mu.Lock()
	defer r.mu.Unlock()
	if f.Level == LevelFault {
		r.checked.Faults++
	} else {
		r.checked.Notes++
	}
	r.Found(f)
}

func (r *run) step(key string) { r.Step(1, key) }
