package landing

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"strandline/internal/digest"
	"strandline/internal/packed"
)

// versionOf digests a name and what its source calls a content, for long enough to
// tell any two apart.
func versionOf(name, called string) digest.Sum128 {
	text := binary.AppendUvarint(nil, uint64(len(name)))
	return digest.OfBytes(append(append(text, name...), called...)).Half()
}

// Version is a name and what its source calls the content that it has there.
type Version struct{ Name, Version string }

func (v Version) content() content { return content{name: SourceName(v.Name), version: v.Version} }

// HasVersion reads on, and tells whether a content has landed that came under a name
// as a version.
func (s *Stream) HasVersion(ctx context.Context, name, version string) (bool, error) {
	has, err := s.HasVersions(ctx, []Version{{name, version}})
	return err == nil && has[0], err
}

// HasVersions is HasVersion of many at once. Each archive of arrivals is looked at
// once by a process, so that asking again is cheap.
func (s *Stream) HasVersions(ctx context.Context, wanted []Version) ([]bool, error) {
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	has := make([]bool, len(wanted))
	var archives []Archive
	s.View(func(state *State) {
		archives = state.Archives()
		for i, w := range wanted {
			has[i] = state.hasVersion(w.content())
		}
	})
	for _, a := range archives {
		index, err := s.indexes.of(ctx, s, a)
		if err != nil {
			return nil, fmt.Errorf("look up versions in stream %s: %w", s.spec.Stream, err)
		}
		for i, w := range wanted {
			has[i] = has[i] || index.holdsVersion(w.content())
		}
	}
	return has, nil
}

func (s *State) hasVersion(c content) bool {
	if c.version == "" {
		return false
	}
	return s.versions[versionOf(c.name, c.version)]
}

// holdsVersion tells whether an arrival came under a name as a version.
func (x *archiveIndex) holdsVersion(c content) bool {
	if c.version == "" || len(x.versions) == 0 {
		return false
	}
	_, found := slices.BinarySearchFunc(x.versions, versionOf(c.name, c.version), digest.Sum128.Compare)
	return found
}

func packVersions(w *packed.Writer, versions []digest.Sum128) {
	w.Uint(uint64(len(versions)))
	for _, v := range versions {
		w.Sum(v)
	}
}

func unpackVersions(r *packed.Reader) []digest.Sum128 {
	versions := room[digest.Sum128](r, 16)
	for i := range versions {
		versions[i] = r.Sum()
	}
	return versions
}

// packTraits writes what few arrivals have: their versions and gaps, and then their
// sources, which older programs did not write. It writes nothing where none has any.
func packTraits(w *packed.Writer, arrivals []Arrival) {
	rare, named := 0, slices.ContainsFunc(arrivals, Arrival.hasSources)
	for _, a := range arrivals {
		rare += cmp.Compare(len(a.Version)+len(a.Gaps), 0)
	}
	if rare == 0 && !named {
		return
	}
	w.Uint(uint64(rare))
	for i, a := range arrivals {
		if a.Version == "" && len(a.Gaps) == 0 {
			continue
		}
		w.Uint(uint64(i))
		w.Text(a.Version)
		packGaps(w, a.Gaps)
	}
	packSources(w, arrivals)
}

// unpackTraits reads what packTraits wrote of arrivals.
func unpackTraits(r *packed.Reader, arrivals []Arrival) {
	for range r.Count(3) {
		i, version, gaps := r.Choice(len(arrivals)), r.Text(), unpackGaps(r)
		if r.Err() != nil {
			return
		}
		arrivals[i].Version, arrivals[i].Gaps = version, gaps
	}
	if r.More() {
		unpackSources(r, arrivals)
	}
}

func packGaps(w *packed.Writer, gaps []Progress) {
	w.Uint(uint64(len(gaps)))
	for _, p := range gaps {
		w.Text(p.Source)
		w.Int(p.From)
		w.Int(p.To)
		w.Int(p.Gap.From)
		w.Int(p.Gap.To)
		w.Text(p.Gap.Reason)
	}
}

func unpackGaps(r *packed.Reader) []Progress {
	gaps := room[Progress](r, 6)
	for i := range gaps {
		p := Progress{Source: r.Text(), From: r.Int(), To: r.Int()}
		p.Gap = &Gap{From: r.Int(), To: r.Int(), Reason: r.Text()}
		gaps[i] = p
	}
	return gaps
}
