package publish

import (
	"fmt"
	"slices"

	"strandline/internal/datafile"
	"strandline/manifests"
	"strandline/window"
)

// content is what one of a result's files really holds.
type content struct {
	path string
	datafile.Summary
}

// read makes the receipt, without files, of what the result's files really
// hold. They are read in their order, which is that of the key, so that a key
// that two files have is found as one that a file has twice.
func (p *Publisher) read(r window.Result) (manifests.Receipt, []content, error) {
	check, err := newChecker(r.Partition, p.Columns, p.Key, p.Time)
	if err != nil {
		return manifests.Receipt{}, nil, err
	}
	check.outside = p.Outside
	var contents []content
	var holding Holding
	for _, path := range r.Files {
		columns, err := columnsOf(path)
		if err != nil {
			return manifests.Receipt{}, nil, err
		}
		if !slices.Equal(columns, p.Columns) {
			return manifests.Receipt{}, nil, fmt.Errorf("read back partition %s: the engine wrote columns %v, the job makes %v", r.Partition, columns, p.Columns)
		}
		summary, err := datafile.Summarize(path, check.row)
		if err != nil {
			return manifests.Receipt{}, nil, err
		}
		holding.count(summary)
		contents = append(contents, content{path, summary})
	}
	return manifests.Receipt{
		Partition: r.Partition.String(), Start: r.Partition.Start, End: r.Partition.End,
		Positions: r.Positions, InputRows: r.Input.Rows, InputDigest: r.Input.Digest, Inputs: r.Inputs,
		Fingerprint: r.Fingerprint, Rows: holding.Rows, RowDigest: holding.Digest, Columns: p.Columns, Repeated: r.Repeated,
	}, contents, nil
}

func columnsOf(path string) ([]datafile.Column, error) {
	file, err := datafile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read back %s: %w", path, err)
	}
	defer file.Close()
	return file.Columns(), nil
}
