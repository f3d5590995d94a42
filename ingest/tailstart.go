package ingest

import (
	"bytes"
	"context"
	"errors"
	"os"
)

// errCopied is what a file is of which all has landed.
var errCopied = errors.New("all of it has landed")

// starts returns where a file starts to be a log of its own: at its beginning, unless it
// is known to have been a copy before.
func (t *TailLander) starts(ctx context.Context, l *tailLog, logs []landedLog) (at tailPlace, err error) {
	from, doubt := int64(0), error(nil)
	for _, log := range logs {
		at, err := t.partsFrom(ctx, l, log)
		switch {
		case errors.Is(err, ErrShorter), errors.Is(err, ErrParted):
			doubt = err
		case err != nil:
			return tailPlace{}, err
		}
		from = max(from, at)
	}
	if doubt != nil {
		return at, doubt
	}
	if from == 0 {
		if err := landedWhole(ctx, t.Stream, l); err != nil {
			return at, err
		}
	}
	return l.place(from)
}

// partsFrom returns up to where a file is a copy of a log, from which it then goes on
// otherwise. Two that have no more in common than how they begin are no copies.
func (t *TailLander) partsFrom(ctx context.Context, l *tailLog, log landedLog) (int64, error) {
	places, err := t.places.of(ctx, log.source)
	if err != nil {
		return 0, err
	}
	shared, next, err := l.shared(places)
	if err == nil && shared == l.version.size {
		err = errCopied
	}
	if err != nil {
		return 0, err
	}
	parted := log.at <= l.version.size || next > 0 && next <= l.version.size
	at, compared, err := t.compare(l, log, places, shared)
	switch {
	case err != nil:
		return 0, err
	case compared && at > l.begins.bytes:
		return at, nil
	case compared, parted && shared <= l.begins.bytes:
		return 0, nil
	case parted:
		return 0, ErrParted
	default:
		return 0, ErrShorter
	}
}

// compare holds a file against one of the folder that has all of a log's landed bytes,
// if such a one was seen, and returns where the line starts in which they part. It is
// errCopied if they don't.
func (t *TailLander) compare(l *tailLog, log landedLog, places []tailPlace, from int64) (at int64, compared bool, err error) {
	whole := t.holder(l, log, places)
	if whole == nil {
		return 0, false, nil
	}
	defer whole.Close()
	at, end := from, min(l.version.size, log.at)
	mine, other := make([]byte, tailWindow), make([]byte, tailWindow)
	for from < end {
		n := int(min(end-from, tailWindow))
		if err := errors.Join(readFull(l.file, mine[:n], from), readFull(whole, other[:n], from)); err != nil {
			return 0, false, err
		}
		same := samePrefix(mine[:n], other[:n])
		if i := bytes.LastIndexByte(mine[:same], '\n'); i >= 0 {
			at = from + int64(i) + 1
		}
		if same < n {
			return at, true, nil
		}
		from += int64(n)
	}
	return 0, false, errCopied
}

// readFull fills buf. It is ErrChanged if the file ends before.
func readFull(file *os.File, buf []byte, from int64) error {
	n, err := readAt(file, buf, from)
	if err == nil && n < len(buf) {
		err = ErrChanged
	}
	return err
}

// samePrefix returns how many bytes two of one length have in common.
func samePrefix(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}

// holder opens another file that has all of a log's landed bytes; nil if none is known,
// or it has gone or changed since.
func (t *TailLander) holder(l *tailLog, log landedLog, places []tailPlace) *os.File {
	path := t.holders[log.source]
	if path == "" || path == l.file.Name() || len(places) == 0 {
		return nil
	}
	file, err := openRegular(path)
	if err != nil {
		return nil
	}
	begins, _, err := headOf(file)
	last, problem := placeAt(file, log.at)
	if err != nil || problem != nil || begins != l.begins || last != places[len(places)-1] {
		file.Close()
		return nil
	}
	return file
}
