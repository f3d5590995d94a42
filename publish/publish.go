// Package publish turns a recomputed partition into a published one.
//
// The order is: read the result back and look at its rows; hold it against the
// checks that the job declares; files up, under names never used before; one
// edit appended, through the fence. What is published is what was read: the
// receipt's digest, row count and columns come from the reading that also looked
// at every row. A result whose key or window is wrong is a failure, and nothing
// of it is brought up; one that a declared check blocks is brought up and held.
package publish

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"strandline/internal/condemn"
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
	Time       string            // the column that says which partition a row belongs to
	Columns    []datafile.Column // of the job's output
	Outside    string            // ends what is told of a row outside its partition
	// Examine holds the result in the files against the checks that the job
	// declares; nil is without any.
	Examine func(ctx context.Context, files []string, rows int64, standing *manifests.Receipt) (window.Findings, error)
}

// Sealed is a result that was read back, checked and brought up. Only a commit
// makes it exist for a reader: published or, where there are violations, held.
type Sealed struct {
	Receipt manifests.Receipt
	window.Findings
	// At is when sealing began. Its files are not older, or were published then.
	At time.Time
	// Took is what computing it took, 0 if that is not known: see manifests.Effort.
	Took time.Duration
	// Unchanged says that the receipt that stands already says the same, so
	// nothing was brought up and there is nothing to commit.
	Unchanged bool
	// Repairs is the receipt that stands, whose files were found lost or damaged
	// and are replaced by those of Receipt; else nil.
	Repairs *manifests.Receipt
}

// Seal reads a result back, checks it and brings its files up. standing is the
// partition's receipt as the caller knows it, or nil; a result that it says
// already needs no declared check. A *CheckError says that the result is not
// fit even to be held.
func (p *Publisher) Seal(ctx context.Context, r window.Result, standing *manifests.Receipt) (Sealed, error) {
	at := p.Table.Now()
	sealed, err := p.seal(ctx, r, standing)
	sealed.At = at
	return sealed, err
}

func (p *Publisher) seal(ctx context.Context, r window.Result, standing *manifests.Receipt) (Sealed, error) {
	receipt, contents, err := p.read(r)
	if err != nil {
		return Sealed{}, err
	}
	if standing != nil && receipt.SameInput(*standing) && receipt.SameOutput(*standing) {
		return p.reproduced(ctx, r, *standing, contents)
	}
	sealed := Sealed{Receipt: receipt}
	if p.Examine != nil {
		if sealed.Findings, err = p.Examine(ctx, r.Files, receipt.Rows, standing); err != nil {
			return Sealed{}, err
		}
	}
	sealed.Receipt.Files, err = p.bringUp(ctx, receipt.Partition, contents)
	if err != nil {
		return Sealed{}, err
	}
	return sealed, nil
}

// reproduced is a result that the receipt that stands says already. Where the
// files of that receipt are not what it says any more, this result's take
// their place: they hold the same rows.
func (p *Publisher) reproduced(ctx context.Context, r window.Result, standing manifests.Receipt, contents []content) (Sealed, error) {
	intact, err := p.intact(ctx, standing, filepath.Join(r.Dir, "published"))
	if err != nil || intact {
		return Sealed{Receipt: standing, Unchanged: true}, err
	}
	sealed := Sealed{Receipt: standing, Repairs: &standing}
	sealed.Receipt.Files, err = p.bringUp(ctx, standing.Partition, contents)
	return sealed, err
}

// Commit publishes or holds sealed results, and records failures, by one edit.
// The files of results that the fence refuses are taken back. With condemn.Err
// nothing was committed, and the results must be computed again.
func (p *Publisher) Commit(ctx context.Context, sealed []Sealed, failures []manifests.Failure, atomic bool) (manifests.Outcome, error) {
	proposal := p.proposal(sealed)
	proposal.Failures, proposal.Atomic = failures, atomic
	outcome, err := p.Table.Publish(ctx, proposal)
	if isRefusal(err) {
		p.Abandon(ctx, sealed)
	}
	if err != nil {
		return outcome, err
	}
	for i, s := range sealed {
		verdict := outcome.Verdicts[s.Receipt.Partition]
		if s.Unchanged {
			outcome.Verdicts[s.Receipt.Partition] = manifests.Unchanged
		} else if verdict != manifests.Swap && verdict != manifests.Held && verdict != manifests.Repaired {
			p.Abandon(ctx, sealed[i:i+1])
		}
	}
	return outcome, nil
}

// isRefusal tells whether an error says that nothing was committed, nor will be.
func isRefusal(err error) bool {
	return errors.Is(err, manifests.ErrReplaced) || errors.Is(err, manifests.ErrOutrun) || errors.Is(err, condemn.Err)
}

// proposal is of the sealed results that are not published already.
func (p *Publisher) proposal(sealed []Sealed) manifests.Proposal {
	proposal := manifests.Proposal{Driver: p.Driver, Generation: p.Generation, Warnings: map[string][]string{}, Took: map[string]time.Duration{}}
	for _, s := range sealed {
		if proposal.Since.IsZero() || s.At.Before(proposal.Since) {
			proposal.Since = s.At
		}
		if s.Took > 0 {
			proposal.Took[s.Receipt.Partition] = s.Took
		}
		switch {
		case s.Unchanged:
			continue
		case s.Repairs != nil:
			proposal.Repairs = append(proposal.Repairs, manifests.Repair{Standing: *s.Repairs, Files: s.Receipt.Files})
		case len(s.Violations) > 0:
			proposal.Held = append(proposal.Held, manifests.Candidate{Receipt: s.Receipt, Violations: s.Violations})
		default:
			proposal.Receipts = append(proposal.Receipts, s.Receipt)
		}
		if len(s.Warnings) > 0 {
			proposal.Warnings[s.Receipt.Partition] = s.Warnings
		}
	}
	return proposal
}

// Rebuild publishes sealed results, none of which has a violation, as the whole
// table, by one edit that also registers d. The publisher's generation is the
// one that the caller saw.
func (p *Publisher) Rebuild(ctx context.Context, d manifests.Definition, read manifests.Positions, sealed []Sealed) (manifests.Version, error) {
	proposal := p.proposal(sealed)
	proposal.Read = read
	for _, s := range sealed {
		if s.Unchanged || s.Repairs != nil {
			proposal.Receipts = append(proposal.Receipts, s.Receipt)
		}
	}
	version, err := p.Table.Rebuild(ctx, d, proposal)
	if isRefusal(err) {
		p.Abandon(ctx, sealed)
	}
	return version, err
}
