package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"strandline/internal/objstore"
)

// named is a data file as a log names it.
type named struct {
	key   string
	bytes int64 // 0: the log does not say
	names fileNames
	hits  func() Fault // what a fault of the file hits
	// read reads the file whole, at a local path, and says what is wrong with it.
	read func(ctx context.Context, path string) (fault string, err error)
}

// fileNames are what the faults of one kind of file are called.
type fileNames struct{ missing, truncated, damaged Name }

var (
	segmentNames = fileNames{MissingSegment, TruncatedSegment, DamagedSegment}
	rejectsNames = fileNames{MissingRejects, DamagedRejects, DamagedRejects}
	archiveNames = fileNames{MissingArchive, TruncatedArchive, DamagedArchive}
	outputNames  = fileNames{MissingFile, TruncatedFile, DamagedFile}
)

// as is the file's fault under a name.
func (n named) as(name Name, format string, args ...any) Fault {
	f := n.hits()
	f.Name, f.Key, f.Seen = name, n.key, fmt.Sprintf(format, args...)
	return f
}

// namer is what a log names now.
type namer interface{ Names(id string) bool }

// stillNamed returns a function that tells whether the newest log names a file
// that is missing: others may have removed it since, as they may. The log is read
// once more when that is first asked. Where it can't be read, what the audit has seen
// of it stands.
func stillNamed(ctx context.Context, read func() (namer, error)) func(id string) (bool, error) {
	newest := sync.OnceValues(read)
	return func(id string) (bool, error) {
		names, err := newest()
		if err != nil {
			return true, ctx.Err()
		}
		return names.Names(id), nil
	}
}

// files holds the files that a room's log names, by id, against those that are
// there. known tells whether the whole log is known, and still is of stillNamed.
func (r *run) files(ctx context.Context, room Room, part Part, wanted map[string]named, known bool, still func(id string) (bool, error)) error {
	missing := maps.Clone(wanted)
	sound := map[string]named{}
	err := list(ctx, r.Store, room.Prefix()+string(part)+"/", func(o Object) {
		n, ok := missing[o.ID]
		switch {
		case o.Part != part: // foreign, and told
			return
		case !ok || n.key != o.Key:
			if !known { // what a fault hides may name it
				break
			}
			r.tell(Fault{Name: UnnamedFile, Room: room, Key: o.Key, Seen: fmt.Sprintf("%s, brought up at %s", bytesText(o.Size), o.Modified.UTC().Format("2006-01-02T15:04:05Z"))})
		default:
			delete(missing, o.ID)
			if r.size(n, o.Size) {
				sound[o.ID] = n
				if r.Deep {
					return // counted when it is read
				}
			}
		}
		r.step(o.Key)
	})
	if err != nil {
		return err
	}
	if !known {
		r.untold(room, missing)
		return r.readAll(ctx, sound)
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		isNamed, err := still(id)
		if err != nil {
			return err
		}
		if isNamed {
			r.tell(missing[id].as(missing[id].names.missing, "no object is there"))
		}
	}
	return r.readAll(ctx, sound)
}

// untold tells of files that are not there, where a fault hides what entries came to
// that may have let them go.
func (r *run) untold(room Room, missing map[string]named) {
	if len(missing) == 0 {
		return
	}
	first := slices.MinFunc(slices.Collect(maps.Values(missing)), func(a, b named) int { return cmp.Compare(a.key, b.key) })
	r.tell(Fault{
		Name: UntoldFiles, Room: room, Key: first.key,
		Seen: fmt.Sprintf("of the files that the log names as far as it can be followed, not there: %d, this one first", len(missing)),
	})
}

// size tells whether the file has the size that the log says.
func (r *run) size(n named, bytes int64) bool {
	switch {
	case n.bytes == 0 || n.bytes == bytes:
		return true
	case bytes < n.bytes:
		r.tell(n.as(n.names.truncated, "%s, want %d", bytesText(bytes), n.bytes))
	default:
		r.tell(n.as(n.names.damaged, "%s, want %d", bytesText(bytes), n.bytes))
	}
	return false
}

// readAll reads files whole, some at a time.
func (r *run) readAll(ctx context.Context, files map[string]named) error {
	if !r.Deep {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, r.Parallel))
	for _, id := range slices.Sorted(maps.Keys(files)) {
		group.Go(func() error { return r.read(ctx, files[id]) })
	}
	return group.Wait()
}

func (r *run) read(ctx context.Context, n named) error {
	defer r.step(n.key)
	path, release, err := r.Files.Get(ctx, n.key)
	if err == nil {
		defer release()
		var fault string
		if fault, err = n.read(ctx, path); fault != "" {
			r.tell(n.as(n.names.damaged, "%s", fault))
		}
		err = r.Files.Gone(err, path)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, objstore.ErrNotFound): // removed since it was listed: the next audit tells if it may not be
	case err != nil:
		r.tell(n.as(unreadable, "%v", err))
	}
	return nil
}
