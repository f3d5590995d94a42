package plans

import (
	"errors"
	"fmt"

	"strandline/internal/digest"
	"strandline/manifests"
)

// check is an error that says what can't be right in a plan, whatever job and lake it is
// of.
func (f File) check() error {
	switch {
	case f.Format != formatNumber:
		return fmt.Errorf("it is of format %d, this program reads %d: use a newer strandline", f.Format, formatNumber)
	case f.Job == "":
		return errors.New("it names no job")
	case f.Driver != manifests.DriverBackfill && f.Driver != manifests.DriverReplay:
		return fmt.Errorf("its driver is %q, and only backfills and replays are planned", f.Driver)
	case f.Fingerprint.IsZero():
		return errors.New("it does not say by which code")
	case len(f.Read) == 0:
		return errors.New("it does not say up to where inputs are read")
	}
	for name, upTo := range f.Read {
		if upTo < 0 {
			return fmt.Errorf("it reads %s up to %d", name, upTo)
		}
	}
	return f.checkTasks()
}

func (f File) checkTasks() error {
	seen := make(map[string]bool, len(f.Tasks))
	for i, t := range f.Tasks {
		if err := t.check(); err != nil {
			return fmt.Errorf("task %d: %w", i, err)
		}
		if seen[t.Partition] {
			return fmt.Errorf("task %d: partition %q is named twice", i, t.Partition)
		}
		seen[t.Partition] = true
	}
	return nil
}

func (t Task) check() error {
	switch {
	case t.Partition == "":
		return errors.New("it names no partition")
	case !t.Start.Before(t.End):
		return fmt.Errorf("partition %q: [%s, %s) is no interval", t.Partition, t.Start, t.End)
	case t.Rows < 0 || (t.Rows == 0) != (t.Digest == digest.Hash{}):
		return fmt.Errorf("partition %q: %d rows can't have the digest %q", t.Partition, t.Rows, t.Digest)
	}
	return nil
}
