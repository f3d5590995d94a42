// Package publish turns a recomputed partition into a published one.
//
// The order is: read the result back and check it; files up, under names never
// used before; one edit appended, through the fence. What is published is what
// was read: the receipt's digest, row count and columns come from the reading
// that also checked every row. A failed check publishes nothing and uploads
// nothing.
package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"strandline/internal/datafile"
	"strandline/internal/objstore"
	"strandline/manifests"
	"strandline/window"
)

// Publisher publishes results of one generation of a table.
type Publisher struct {
	Store      objstore.Store
	Table      *manifests.Table
	Driver     manifests.Driver
	Generation uint64
	Key        []string
	Columns    []datafile.Column // of the job's output
}

// Sealed is a result that was read back, found good and brought up. Only a
// commit makes it exist for a reader.
type Sealed struct {
	Receipt manifests.Receipt
	// Unchanged says that the receipt that stands already says the same, so
	// nothing was brought up and there is nothing to commit.
	Unchanged bool
}

// Seal reads a result back, checks it and brings its file up. standing is the
// partition's receipt as the caller knows it, or nil. A *CheckError says that
// the result is not fit to be published.
func (p *Publisher) Seal(ctx context.Context, r window.Result, standing *manifests.Receipt) (Sealed, error) {
	receipt, summary, err := p.read(r)
	if err != nil {
		return Sealed{}, err
	}
	if standing != nil && receipt.SameInput(*standing) && receipt.SameOutput(*standing) {
		return Sealed{Receipt: *standing, Unchanged: true}, nil
	}
	if receipt.Rows == 0 {
		return Sealed{Receipt: receipt}, nil
	}
	id, err := objstore.FreshID()
	if err != nil {
		return Sealed{}, err
	}
	receipt.Files = []manifests.File{{ID: id, Rows: summary.Rows, Bytes: summary.Bytes, Digest: summary.FileDigest}}
	key := manifests.DataKey(p.Table.Name(), receipt.Partition, id)
	if err := p.Store.Upload(ctx, key, r.Path); err != nil {
		return Sealed{}, fmt.Errorf("bring up partition %s: %w", receipt.Partition, err)
	}
	return Sealed{Receipt: receipt}, nil
}

// read makes the receipt, without files, of what the result's file really
// holds.
func (p *Publisher) read(r window.Result) (manifests.Receipt, datafile.Summary, error) {
	columns, err := columnsOf(r.Path)
	if err != nil {
		return manifests.Receipt{}, datafile.Summary{}, err
	}
	if !slices.Equal(columns, p.Columns) {
		return manifests.Receipt{}, datafile.Summary{}, fmt.Errorf("read back partition %s: the engine wrote columns %v, the job makes %v", r.Partition, columns, p.Columns)
	}
	check, err := newChecker(r.Partition, columns, p.Key)
	if err != nil {
		return manifests.Receipt{}, datafile.Summary{}, err
	}
	summary, err := datafile.Summarize(r.Path, check.row)
	if err != nil {
		return manifests.Receipt{}, datafile.Summary{}, fmt.Errorf("partition %s: %w", r.Partition, err)
	}
	return manifests.Receipt{
		Partition: r.Partition.String(), Start: r.Partition.Start, End: r.Partition.End,
		Positions: r.Positions, InputRows: r.Input.Rows, InputDigest: r.Input.Digest,
		Fingerprint: r.Fingerprint, Rows: summary.Rows, RowDigest: summary.Digest, Columns: summary.Columns,
	}, summary, nil
}

func columnsOf(path string) ([]datafile.Column, error) {
	file, err := datafile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read back %s: %w", path, err)
	}
	defer file.Close()
	return file.Columns(), nil
}

// Commit publishes sealed results, and records failures, by one edit. Results
// that the fence refuses publish nothing and their files are taken back.
func (p *Publisher) Commit(ctx context.Context, sealed []Sealed, failures []manifests.Failure, atomic bool) (manifests.Outcome, error) {
	proposal := manifests.Proposal{Driver: p.Driver, Generation: p.Generation, Failures: failures, Atomic: atomic}
	for _, s := range sealed {
		if !s.Unchanged {
			proposal.Receipts = append(proposal.Receipts, s.Receipt)
		}
	}
	outcome, err := p.Table.Publish(ctx, proposal)
	if errors.Is(err, manifests.ErrReplaced) {
		for _, r := range proposal.Receipts {
			p.takeBack(ctx, r)
		}
	}
	if err != nil {
		return outcome, err
	}
	for _, s := range sealed {
		if s.Unchanged {
			outcome.Verdicts[s.Receipt.Partition] = manifests.Unchanged
		} else if outcome.Verdicts[s.Receipt.Partition] != manifests.Swap {
			p.takeBack(ctx, s.Receipt)
		}
	}
	return outcome, nil
}

// Rebuild publishes sealed results as the whole table, by one edit that also
// registers d. The publisher's generation is the one that the caller saw.
func (p *Publisher) Rebuild(ctx context.Context, d manifests.Definition, sealed []Sealed) (manifests.Version, error) {
	receipts := make([]manifests.Receipt, len(sealed))
	for i, s := range sealed {
		receipts[i] = s.Receipt
	}
	return p.Table.Rebuild(ctx, p.Driver, p.Generation, d, receipts)
}

// takeBack removes the files of a result that was refused for good. No edit
// names them and none will, so an error leaves only an unreferenced file.
func (p *Publisher) takeBack(ctx context.Context, r manifests.Receipt) {
	for _, file := range r.Files {
		_ = p.Store.Delete(ctx, manifests.DataKey(p.Table.Name(), r.Partition, file.ID))
	}
}
