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

// pin pins what a lookup of a job holds: what is in its file or, if that is gone, what the
// code that the job's table is at now has read. Its rows lie in a file of this process.
// Where the lake is open for writing it keeps the content from here on.
func (l *lake) pin(ctx context.Context, job config.Job, file config.LookupFile) (window.Lookup, error) {
	spec := lookupSpec(file, l.scratch.Path())
	content, err := spec.Read()
	if errors.Is(err, fs.ErrNotExist) {
		content, err = l.keptLookup(ctx, job, file, err)
	}
	if err == nil && l.writes {
		err = content.Keep(ctx, l.store)
	}
	if err != nil {
		return window.Lookup{}, err
	}
	dir, err := l.scratch.Sub("lookups")
	if err != nil {
		return window.Lookup{}, err
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s.parquet", job.Name, file.Name))
	return window.Lookup{Name: file.Name, Columns: spec.AllColumns(), Content: content.Digest, Path: path}, spec.Write(content, path)
}

// keptLookup is what the lake keeps of a lookup for the code that the job's table is at.
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
		return lookup.Kept(ctx, l.store, content)
	}
	return lookup.Content{}, fmt.Errorf("%w, and table %s was never computed with it", gone, job.Name)
}
