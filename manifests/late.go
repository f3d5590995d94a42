package manifests

import (
	"context"
	"fmt"

	"strandline/internal/digest"
)

// Late is the input of a partition that a person leaves as it is published,
// though rows or code have changed since: raw rows of it have expired, so that it
// can't be computed again.
type Late struct {
	Partition   string      `json:"partition"`
	Positions   Positions   `json:"positions"`
	InputRows   int64       `json:"input_rows"`
	InputDigest digest.Hash `json:"input_digest"`
	Fingerprint digest.Hash `json:"fingerprint"`
}

// Leave sets late input aside: what is published stays, and is no longer shown as
// waiting for a person until input or code moves on again. It returns version 0 if
// that was done before. ErrNotHeld if the partition was never published.
func (t *Table) Leave(ctx context.Context, late Late) (Version, error) {
	version, err := t.commit(ctx, func(s *State) (*Edit, error) {
		if _, published := s.partitions.get(late.Partition); !published {
			return nil, ErrNotHeld
		}
		if s.aside[late.Partition].of(late.receipt()) {
			return nil, nil
		}
		return &Edit{Driver: DriverPerson, Writer: t.writer, Generation: s.definition.Generation, Left: []Late{late}}, nil
	})
	if err != nil {
		return 0, fmt.Errorf("leave partition %s of table %s as it is: %w", late.Partition, t.name, err)
	}
	return version, nil
}

// receipt is what a result of the input would say of it.
func (l Late) receipt() Receipt {
	return Receipt{
		Partition: l.Partition, Positions: l.Positions, InputRows: l.InputRows,
		InputDigest: l.InputDigest, Fingerprint: l.Fingerprint,
	}
}
