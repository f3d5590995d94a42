package manifests

import (
	"context"
	"fmt"
	"math"
	"slices"

	"strandline/internal/log"
)

// Examined is what a table's whole log came to.
type Examined struct {
	Snapshot *Snapshot // as of the newest version that is known
	// Known is false if a fault hides what some edits came to, so that Snapshot
	// lacks the newest ones.
	Known bool
	// Files are those that the kept versions name, by id.
	Files map[string]KeptFile
}

// KeptFile is a file that a kept version of a table names.
type KeptFile struct {
	File
	Partition string
	Version   Version // the first one kept that was seen to name it
	// Current says that the newest version names it, as published or held.
	Current bool
	// Repaired says that another file was put in its place since, because it was
	// found lost or damaged.
	Repaired bool

	result result
}

// Examine reads the table's whole log, past any fault, each of which is told to
// found; step is told after each object that was read. It errs only where the
// store can't be listed or ctx ends.
func (t *Table) Examine(ctx context.Context, found func(log.Finding), step func(key string)) (*Examined, error) {
	k := &keeper{files: map[string]KeptFile{}, repaired: map[result]bool{}}
	if s, err := t.Snapshot(ctx); err == nil { // if not, the examination tells why
		k.oldest = s.Oldest
	}
	var spare []log.Finding // notes that nothing is lost, which the whole log has to bear out
	tell := func(f log.Finding) {
		if f.Fault == log.MissingCheckpoint {
			spare = append(spare, f)
			return
		}
		found(f)
	}
	out, err := log.Examination[*State]{Log: t.log, Empty: newState, Found: tell, Entry: k.entry, Step: step}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("examine the log of table %s: %w", t.name, err)
	}
	lost, is := t.lost(out)
	if is {
		if begins, err := t.log.Oldest(ctx); err == nil && begins != out.Oldest {
			return nil, fmt.Errorf("the log of table %s was trimmed while it was examined: %w; examine it again", t.name, log.ErrTrimmed)
		}
		found(lost)
		out.Known = out.Known && lost.First <= out.Head.Number
	}
	for _, f := range spare {
		if f.Key != lost.Key {
			found(f)
		}
	}
	k.finish(out.State)
	return &Examined{Snapshot: out.State.snapshot(t.name), Known: out.Known, Files: k.files}, nil
}

// lost tells what shows that versions are gone that should be kept, if anything does.
func (t *Table) lost(out log.Examined[*State]) (log.Finding, bool) {
	oldest, base := uint64(max(out.State.oldest, 1)), out.Base
	switch {
	case base <= oldest || !out.Known: // or what a fault hides may let more versions go
		return log.Finding{}, false
	case out.Oldest > oldest:
		newest := out.Head.Number + 1
		return log.Finding{
			Fault: log.MissingEntry, Key: t.log.EntryKey(newest), First: newest, Last: math.MaxUint64,
			Err: out.State.outlived(t.name, out.Oldest),
		}, true
	case out.First > oldest || out.First == 0:
		return log.Finding{
			Fault: log.MissingEntry, Key: t.log.EntryKey(oldest), First: oldest, Last: base - 1,
			Err: fmt.Errorf("versions from %d on are kept, and the log can be folded from version %d on", oldest, base),
		}, true
	}
	return log.Finding{
		Fault: log.MissingBase, Key: t.log.CheckpointKey(out.First), First: oldest, Last: base - 1,
		Err: fmt.Errorf("versions from %d on are kept, the log begins with version %d, and no checkpoint is there to fold those below %d from", oldest, out.First, base),
	}, true
}

// keeper gathers what the versions from oldest on name.
type keeper struct {
	oldest   Version
	folded   bool
	files    map[string]KeptFile
	repaired map[result]bool
}

// entry takes one edit in, and the whole state where that is the first to be
// known: what came before it may be kept too.
func (k *keeper) entry(e log.Entry, s *State, folded bool) {
	version := Version(e.Number)
	if folded && version >= k.oldest && (!k.folded || version == k.oldest) {
		k.state(s, version)
	}
	k.folded = folded
	edit, err := decodeEdit(e)
	if err != nil || version < k.oldest { // an edit that is none is refused by the state
		return
	}
	for _, r := range slices.Concat(edit.Receipts, edit.Repaired) {
		k.add(r, version)
	}
	for _, c := range edit.Held {
		k.add(c.Receipt, version)
	}
	for _, r := range edit.Repaired {
		k.repaired[r.result()] = true
	}
}

func (k *keeper) state(s *State, version Version) {
	for r := range s.partitions.all() {
		k.add(*r, version)
	}
	for _, c := range s.held {
		k.add(c.Receipt, version)
	}
}

func (k *keeper) add(r Receipt, version Version) {
	for _, f := range r.Files {
		if _, known := k.files[f.ID]; !known {
			k.files[f.ID] = KeptFile{File: f, Partition: r.Partition, Version: version, result: r.result()}
		}
	}
}

// finish marks what the newest state names, and what is repaired.
func (k *keeper) finish(s *State) {
	k.state(s, s.version)
	current := func(r Receipt) {
		for _, f := range r.Files {
			kept := k.files[f.ID]
			kept.Current = true
			k.files[f.ID] = kept
		}
	}
	for r := range s.partitions.all() {
		current(*r)
	}
	for _, c := range s.held {
		current(c.Receipt)
	}
	for id, kept := range k.files {
		if !kept.Current && k.repaired[kept.result] {
			kept.Repaired = true
			k.files[id] = kept
		}
	}
}
