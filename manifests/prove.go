package manifests

import (
	"context"
	"errors"
	"fmt"

	"strandline/internal/log"
)

// refresh reads the log on.
func (t *Table) refresh(ctx context.Context) error {
	read, err := t.prove(ctx)
	if err != nil || read {
		return err
	}
	return t.follow.Refresh(ctx)
}

// prove holds the table against where its log begins, before it is read or written for
// the first time: a sweep expires versions by an edit before it trims the log, so a log
// that begins above what its newest edit lets go has lost newer ones. It tells whether it
// read the log on. Without a checkpoint no log was trimmed.
func (t *Table) prove(ctx context.Context) (read bool, err error) {
	if t.proved.Load() {
		return false, nil
	}
	if err := t.follow.Open(ctx); err != nil {
		return false, err
	}
	begins := uint64(0)
	t.follow.View(func(_ *State, h log.Head) { begins = h.Number })
	if begins > 0 { // before the edits are read: who trims later has written one more
		begins, err = t.log.Oldest(ctx)
		if errors.Is(err, log.ErrCorrupt) || errors.Is(err, log.ErrNewer) {
			begins, err = 0, nil // nothing but a sweep needs that record
		}
		if err == nil {
			err, read = t.follow.Refresh(ctx), true
		}
	}
	if err == nil {
		t.follow.View(func(s *State, _ log.Head) { err = s.outlived(t.name, begins) })
	}
	t.proved.Store(err == nil)
	return read, err
}

// outlived is log.ErrCorrupt if the log begins above the oldest version to keep.
func (s *State) outlived(table string, begins uint64) error {
	oldest := max(s.oldest, 1)
	if begins <= uint64(oldest) {
		return nil
	}
	return fmt.Errorf("%w: a sweep has trimmed it below version %d of table %s, and by version %d, the newest that is there, those from %d on are kept: newer versions are lost; bring tables/%s/log/ back from a copy",
		log.ErrCorrupt, begins, table, s.version, oldest, table)
}
