package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"strandline/ingest"
	"strandline/landing"
)

// errMixed says that the bytes of rejects would not read back as they came.
var errMixed = errors.New("these rejects are of files with different headers, so one file of them all would be misread")

// rawRejects prints the bytes of rejects, those of CSV below their header.
type rawRejects struct {
	app      *app
	declared ingest.Format
	sources  map[string][]string // by header: who has it; "" is of all that have none
}

func (a *app) rawRejects(declared ingest.Format) *rawRejects {
	return &rawRejects{app: a, declared: declared, sources: map[string][]string{}}
}

// header is the line that the reject's bytes are read below, or "".
func (w *rawRejects) header(r landing.LandedReject) string {
	format := w.declared
	if r.Format != "" {
		format = ingest.Format(r.Format)
	}
	if format != ingest.FormatCSV {
		return ""
	}
	return r.Context
}

// look takes note of a reject that is to be printed.
func (w *rawRejects) look(r landing.LandedReject) error {
	header := w.header(r)
	if !slices.Contains(w.sources[header], r.Source) {
		w.sources[header] = append(w.sources[header], r.Source)
	}
	return nil
}

// begin prints the header of all that was looked at, which is errMixed if there are
// several.
func (w *rawRejects) begin() error {
	if len(w.sources) > 1 {
		return fmt.Errorf("%w; print those of one at a time, by --source (and --since, where one name came with several): %s", errMixed, w.perHeader())
	}
	for header := range w.sources {
		if header != "" {
			return w.write([]byte(header))
		}
	}
	return nil
}

// mostSources is how many sources are named of each header.
const mostSources = 10

// perHeader lists the sources, those of one header together.
func (w *rawRejects) perHeader() string {
	var groups []string
	for _, sources := range w.sources {
		var names []string
		for _, name := range sources[:min(len(sources), mostSources)] {
			names = append(names, printable(name))
		}
		if more := len(sources) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		groups = append(groups, strings.Join(names, ", "))
	}
	slices.Sort(groups)
	return strings.Join(groups, "; ")
}

func (w *rawRejects) print(r landing.LandedReject) error { return w.write(r.Raw) }

func (w *rawRejects) write(line []byte) error {
	if _, err := w.app.out.Write(append(slices.Clip(line), '\n')); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}
