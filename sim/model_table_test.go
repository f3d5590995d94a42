package sim

import (
	"fmt"
	"maps"
	"slices"

	"strandline/manifests"
)

// edited looks at a manifest log entry and applies it.
func (m *model) edited(number uint64, e manifests.Edit) error {
	if number != uint64(len(m.versions))+1 {
		return fmt.Errorf("an entry was lost: version %d follows %d", number, len(m.versions))
	}
	if err := m.generations(e); err != nil {
		return err
	}
	for _, r := range e.Receipts {
		if err := m.publishes(e, r); err != nil {
			return fmt.Errorf("%w (partition %s in version %d by %s)", err, r.Partition, number, e.Writer)
		}
	}
	for _, c := range e.Held {
		if err := m.reproduced(c.Receipt); err != nil {
			return fmt.Errorf("%w (held %s in version %d)", err, c.Receipt.Partition, number)
		}
	}
	if e.Rollback != nil {
		if err := m.rollsBack(e); err != nil {
			return err
		}
	}
	if err := m.sweeps(number, e); err != nil {
		return err
	}
	for _, r := range e.Repaired {
		return fmt.Errorf("files were replaced that nothing is wrong with: %s", r.Partition)
	}
	for _, f := range e.Failures {
		return fmt.Errorf("a partition failed that is computed without fault: %+v", f)
	}
	m.apply(e)
	m.versions = append(m.versions, version{e, maps.Clone(m.current), maps.Clone(m.held)})
	return m.disjoint()
}

// disjoint looks that no event is counted in two partitions.
func (m *model) disjoint() error {
	all := slices.SortedFunc(maps.Values(m.current), func(a, b manifests.Receipt) int { return a.Start.Compare(b.Start) })
	for i := 1; i < len(all); i++ {
		if all[i].Start.Before(all[i-1].End) {
			return fmt.Errorf("partitions overlap: %s and %s in version %d", all[i-1].Partition, all[i].Partition, len(m.versions))
		}
	}
	return nil
}

func (m *model) generations(e manifests.Edit) error {
	want := m.generation
	if e.Define != nil {
		want++
		if e.Define.Grain != m.grain && len(m.current)+len(m.held) > 0 && !e.Rebuild {
			return fmt.Errorf("the grain changed without a rebuild: to %s", e.Define.Grain)
		}
	}
	if e.Generation != want || e.Define != nil && e.Define.Generation != want {
		return fmt.Errorf("a replaced writer got through: an edit of generation %d at %d", e.Generation, m.generation)
	}
	return nil
}

// publishes looks at one receipt of an edit.
func (m *model) publishes(e manifests.Edit, r manifests.Receipt) error {
	if err := m.reproduced(r); err != nil {
		return err
	}
	if e.Rollback != nil {
		return nil // looked at as a whole
	}
	current, published := m.current[r.Partition]
	if back := r.Positions.BehindOf(current.Positions); published && len(back) > 0 {
		return fmt.Errorf("a fence went back: from %v to %v", current.Positions, r.Positions)
	}
	if e.Rebuild {
		return nil
	}
	switch aside, isAside := m.aside[r.Partition]; {
	case published && r.SameInput(current):
		return fmt.Errorf("the same input was published twice: at %v and %v", current.Positions, r.Positions)
	case isAside && e.Driver == manifests.DriverStream && r.SameInput(aside):
		return fmt.Errorf("the stream undid a person's rollback or drop: at %v", r.Positions)
	case m.strict[e.Writer] && r.Rows > strictRows && !slices.Contains(e.Released, r.Partition):
		return fmt.Errorf("a result that a check blocks was published: %d rows", r.Rows)
	}
	return nil
}

// reproduced computes a receipt again from what has landed.
func (m *model) reproduced(r manifests.Receipt) error {
	upTo := r.Positions["sales"]
	if upTo > int64(m.next()) {
		return fmt.Errorf("a receipt is of rows that have not landed: up to %d of %d", upTo, m.next())
	}
	code := byFingerprint(r.Fingerprint)
	if code == nil {
		return fmt.Errorf("a receipt is of unknown code: %s", r.Fingerprint)
	}
	in := m.inputOf(r.Start, r.End, upTo)
	if in.digest != r.InputDigest || int64(len(in.rows)) != r.InputRows {
		return fmt.Errorf("an input digest can't be reproduced: %d rows with %s, want %d with %s", r.InputRows, r.InputDigest.Short(), len(in.rows), in.digest.Short())
	}
	rows, sum := code.compute(in.rows)
	if rows != r.Rows || sum != r.RowDigest {
		return fmt.Errorf("a result can't be reproduced: %d rows with %s, want %d with %s", r.Rows, r.RowDigest, rows, sum)
	}
	return m.published(r)
}

// published reads a receipt's files.
func (m *model) published(r manifests.Receipt) error {
	var rows int64
	for _, f := range r.Files {
		key := manifests.DataKey("t", r.Partition, f.ID)
		before, err := m.names(key)
		if err != nil {
			return err
		}
		if before {
			rows += f.Rows
			continue // it was read then, and files never change
		}
		summary, err := m.file(key, nil)
		if err != nil {
			return err
		}
		if summary.FileDigest != f.Digest || summary.Digest != r.RowDigest || summary.Rows != f.Rows {
			return fmt.Errorf("a file is not what its receipt says: %s", key)
		}
		rows += f.Rows
	}
	if rows != r.Rows {
		return fmt.Errorf("a file is not what its receipt says: %d rows of %d", rows, r.Rows)
	}
	return nil
}

// rollsBack looks that an edit makes the table what it was, with the files that
// hold its results now.
func (m *model) rollsBack(e manifests.Edit) error {
	want := map[string]manifests.Receipt{}
	if e.Rollback.To > 0 && e.Rollback.To < m.files.oldest {
		return fmt.Errorf("a version was brought back that has expired: %d", e.Rollback.To)
	}
	if e.Rollback.To > 0 {
		want = maps.Clone(m.versions[e.Rollback.To-1].table)
	}
	for _, later := range m.versions[e.Rollback.To:] {
		for _, r := range later.edit.Receipts {
			if old, there := want[r.Partition]; there && old.SameInput(r) && old.SameOutput(r) {
				old.Files = r.Files
				want[r.Partition] = old
			}
		}
	}
	got := maps.Clone(m.current)
	for _, r := range e.Receipts {
		got[r.Partition] = r
	}
	for _, partition := range e.Rollback.Removed {
		delete(got, partition)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("a rollback brought back something else: to version %d", e.Rollback.To)
	}
	return nil
}

// apply makes the model's table what the edit says.
func (m *model) apply(e manifests.Edit) {
	if e.Define != nil {
		m.generation, m.grain = e.Define.Generation, e.Define.Grain
	}
	if e.Rebuild {
		clear(m.current)
		clear(m.held)
		clear(m.aside)
	}
	if e.Rollback != nil {
		m.applyRollback(e)
		return
	}
	for _, r := range e.Receipts {
		m.current[r.Partition] = r
		delete(m.held, r.Partition)
		delete(m.aside, r.Partition)
	}
	for _, c := range e.Held {
		m.held[c.Receipt.Partition] = c.Receipt
	}
	for _, partition := range e.Dropped {
		m.aside[partition] = m.held[partition]
		delete(m.held, partition)
	}
}

func (m *model) applyRollback(e manifests.Edit) {
	replaced := slices.Clone(e.Rollback.Removed)
	for _, r := range e.Receipts {
		replaced = append(replaced, r.Partition)
	}
	for _, partition := range replaced {
		if _, already := m.aside[partition]; !already {
			if old, published := m.current[partition]; published {
				m.aside[partition] = old
			}
		}
		delete(m.held, partition)
		delete(m.current, partition)
	}
	for _, r := range e.Receipts {
		m.current[r.Partition] = r
		if m.aside[r.Partition].SameInput(r) {
			delete(m.aside, r.Partition)
		}
	}
}
