package main

import (
	"context"
	"errors"

	"strandline/internal/log"
	"strandline/window"
)

// checkLost is window.ErrHistory if a declared table was computed from positions that
// the stream does not have any more. To land something then would give positions a
// second time, and take the place of a lost entry in the log, so that it could not be
// restored. It reads logs only, and is asked once, before a process lands anything. A table
// whose log is damaged can't tell, and stops no landing.
func (l *lake) checkLost(ctx context.Context, stream string) error {
	for _, job := range l.config.JobsFrom(stream) {
		err := window.CheckTable(ctx, l.streams[stream], l.tables[job.Name])
		if err != nil && !errors.Is(err, log.ErrCorrupt) {
			return err
		}
	}
	return nil
}
