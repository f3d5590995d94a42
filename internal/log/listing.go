package log

import (
	"context"
	"fmt"

	"strandline/internal/objstore"
)

// folder is a part of a log's keys: <prefix>/<name>/<20 digits><suffix>.
type folder struct{ name, suffix string }

var (
	entryFolder      = folder{"log", entrySuffix}
	checkpointFolder = folder{"checkpoints", checkpointSuffix}
	trimFolder       = folder{"trims", ".json"}
)

func (l *Log) keyIn(f folder, n uint64) string {
	return fmt.Sprintf("%s/%s/%020d%s", l.prefix, f.name, n, f.suffix)
}

// object is a row of a listing with the number that its key says.
type object struct {
	number uint64
	objstore.Object
}

// between lists a folder's objects with first ≤ number < end, ascending.
func (l *Log) between(ctx context.Context, f folder, first, end uint64) ([]object, error) {
	var found []object
	prefix := l.prefix + "/" + f.name + "/"
	for after := l.keyIn(f, first-1); ; {
		listed, err := l.store.List(ctx, prefix, after, pageSize)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", prefix, err)
		}
		for _, row := range listed {
			after = row.Key
			n, err := number(row.Key, f.suffix)
			if err != nil {
				return nil, err
			}
			if n >= end {
				return found, nil
			}
			found = append(found, object{n, row})
		}
		if len(listed) < pageSize {
			return found, nil
		}
	}
}
