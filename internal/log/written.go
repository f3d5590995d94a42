package log

import (
	"context"
	"fmt"
	"time"
)

// Written tells when each entry from first on was written, by the store's clock, up to
// the newest, or to the first that the listing misses.
func (l *Log) Written(ctx context.Context, first uint64) ([]time.Time, error) {
	var written []time.Time
	for after := l.key(first - 1); ; {
		listed, err := l.store.List(ctx, l.prefix+"/log/", after, pageSize)
		if err != nil {
			return nil, fmt.Errorf("list %s/log/: %w", l.prefix, err)
		}
		for _, object := range listed {
			if after = l.key(first + uint64(len(written))); object.Key != after {
				return written, nil
			}
			written = append(written, object.Modified)
		}
		if len(listed) < pageSize {
			return written, nil
		}
	}
}
