package ingest

import (
	"context"

	"strandline/landing"
)

// File is one file of a watched folder, in one version.
type File struct {
	Path    string
	Name    string // slash path relative to the folder: what it is known by
	Version string // as it is in the landing log; "" is any
}

// Lander lands the files of a watched folder.
type Lander interface {
	// Known tells which of the files have landed in this version, as far as that can
	// be told without reading them.
	Known(ctx context.Context, files []File) ([]bool, error)
	// Land lands one file. A content that has landed before is no error.
	Land(ctx context.Context, file File) (Outcome, error)
	// Stays says why a file that has landed is not to be put away, nil if it may be: the
	// lake has not all of it, since a record was too long to be kept as a reject, or it
	// has no record and may not have been written yet.
	Stays(ctx context.Context, file File) (why, err error)
}

// GroupLander is a Lander to which several files may be given at once.
type GroupLander interface {
	Lander
	// LandAll lands files in order, each as Land does, and tells what came of it. It ends
	// early if ctx does.
	LandAll(ctx context.Context, files []File, each func(i int, o Outcome, err error))
}

// StreamLander lands whole files in a stream.
type StreamLander struct {
	Stream  *landing.Stream
	Options Options
	// Landed is told of each that landed, or had landed before. Its error is Land's.
	Landed func(Outcome) error
}

// Known implements Lander.
func (l StreamLander) Known(ctx context.Context, files []File) ([]bool, error) {
	versions := make([]landing.Version, len(files))
	for i, file := range files {
		versions[i] = landing.Version{Name: file.Name, Version: file.Version}
	}
	return l.Stream.HasVersions(ctx, versions)
}

func (l StreamLander) options() Options {
	opts := l.Options
	opts.Way = WayDir
	return opts
}

// Land implements Lander.
func (l StreamLander) Land(ctx context.Context, file File) (Outcome, error) {
	if err := landedTailed(l.Stream, file); err != nil {
		return Outcome{}, err
	}
	outcome, err := landFile(ctx, l.Stream, file, l.options())
	if err != nil {
		return Outcome{}, err
	}
	return outcome, l.Landed(outcome)
}

// LandAll implements GroupLander.
func (l StreamLander) LandAll(ctx context.Context, files []File, each func(i int, o Outcome, err error)) {
	var places []int
	var whole []File
	for i, file := range files {
		if err := landedTailed(l.Stream, file); err != nil {
			each(i, Outcome{}, err)
			continue
		}
		places, whole = append(places, i), append(whole, file)
	}
	LandFiles(ctx, l.Stream, whole, l.options(), func(i int, o Outcome, err error) {
		if err == nil {
			err = l.Landed(o)
		}
		each(places[i], o, err)
	})
}
