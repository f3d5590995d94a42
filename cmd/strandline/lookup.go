package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/internal/digest"
	"strandline/internal/lookup"
	"strandline/internal/objstore"
	"strandline/window"
)

// lookupSpec is how the file of a lookup is read. scratch is a folder for what can't be
// read in one pass.
func lookupSpec(file config.LookupFile, scratch string) lookup.Spec {
	return lookup.Spec{
		Name: file.Name, File: file.File, Columns: file.Columns,
		Options: ingest.Options{Format: ingest.Format(file.Format), CSV: ingest.CSV(file.CSV), Scratch: scratch},
	}
}

// errLookup says that what a lookup holds is not there, or not what the job declares. Its
// job can't run, and others can.
var errLookup = errors.New("a lookup can't be used")

// pin pins what a lookup of a job holds: what is in its file or, if that is gone, what the
// code that the job's table is at now has read. Its rows lie in a file of this process.
// Where the lake is open for writing it keeps the content from here on.
func (l *lake) pin(ctx context.Context, job config.Job, file config.LookupFile) (window.Lookup, error) {
	dir, err := l.scratch.Sub("lookups")
	if err != nil {
		return window.Lookup{}, err
	}
	spec := lookupSpec(file, dir)
	content, err := spec.Read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		content, err = l.keptLookup(ctx, job, file, err)
	case err != nil:
		err = fmt.Errorf("%w: %w", errLookup, err)
	}
	if err != nil {
		return window.Lookup{}, err
	}
	pinned, err := written(spec, content, filepath.Join(dir, fmt.Sprintf("%s-%s.parquet", job.Name, file.Name)))
	if err == nil && l.writes { // what can't be read is not kept
		err = content.Keep(ctx, l.store)
	}
	return pinned, err
}

// written is a lookup whose rows were written to a file of this process.
func written(spec lookup.Spec, content lookup.Content, path string) (window.Lookup, error) {
	if err := spec.Write(content, path); err != nil {
		return window.Lookup{}, fmt.Errorf("%w: %w", errLookup, err)
	}
	return window.Lookup{Name: spec.Name, Columns: spec.AllColumns(), Content: content.Digest, Path: path}, nil
}

// keptLookup is what the lake keeps of a lookup for the code that the job's table is at,
// which people are told of.
func (l *lake) keptLookup(ctx context.Context, job config.Job, file config.LookupFile, gone error) (lookup.Content, error) {
	snapshot, err := l.tables[job.Name].Snapshot(ctx)
	if err != nil {
		return lookup.Content{}, err
	}
	for _, part := range snapshot.Definition.Parts {
		if part.Name != window.PartLookup+file.Name {
			continue
		}
		content, err := digest.ParseHash(part.Value)
		if err != nil {
			return lookup.Content{}, fmt.Errorf("%w, and table %s names no content: %w", gone, job.Name, err)
		}
		kept, err := lookup.Kept(ctx, l.store, content)
		switch {
		case errors.Is(err, lookup.ErrDamaged), errors.Is(err, objstore.ErrNotFound):
			err = fmt.Errorf("%w: %w, and %w", errLookup, gone, err)
		case err == nil:
			l.note("job %s: the file %s of lookup %s is gone: going on with what table %s was last computed with, %s…",
				job.Name, file.File, file.Name, job.Name, content.Short())
		}
		return kept, err
	}
	return lookup.Content{}, fmt.Errorf("%w: %w, and table %s was never computed with it", errLookup, gone, job.Name)
}
