package runner

import (
	"context"

	"strandline/internal/digest"
	"strandline/manifests"
)

// Code returns the definition that a result of the table at a version, or now for nil,
// is the work of; not known where an older program registered it, unless it is the job
// as it is.
func (t *Task) Code(ctx context.Context, at *manifests.Version, fingerprint digest.Hash) (d manifests.Definition, known bool, err error) {
	snapshot, err := t.snapshot(ctx, at)
	if err != nil {
		return d, false, err
	}
	d, known = snapshot.Code(fingerprint)
	switch now := t.compiled.Definition(); {
	case fingerprint != now.Fingerprint:
	case !known:
		return now, true, nil
	case len(d.Parts) == 0:
		d.SQL, d.Parts = now.SQL, now.Parts
	}
	return d, known && len(d.Parts) > 0, nil
}
