package ingest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"strandline/internal/digest"
	"strandline/landing"
)

// tailWindow is how many bytes before a place tell a file from another that begins
// like it.
const tailWindow = 64 << 10

// tailPlace is an offset of a file, and a digest of the bytes before it.
type tailPlace struct {
	at  int64
	sum digest.Sum128
}

// String is the version by which the landing log knows a range that ends there.
func (p tailPlace) String() string { return fmt.Sprintf("tail %d %s", p.at, p.sum) }

// IsTail tells whether an arrival is a range of a log that is tailed.
func IsTail(a landing.Arrival) bool {
	_, ok := parsePlace(a.Version)
	return ok
}

// Tailed tells whether logs that are tailed have landed in a stream.
func Tailed(state *landing.State) bool {
	for range state.ProgressOf("tail ") {
		return true
	}
	return false
}

// parsePlace reads what String wrote; ok is false for any other version.
func parsePlace(version string) (p tailPlace, ok bool) {
	parts := strings.Split(version, " ")
	if len(parts) != 3 || parts[0] != "tail" {
		return p, false
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return p, false
	}
	sum, err := digest.ParseSum128(parts[2])
	return tailPlace{at: at, sum: sum}, err == nil
}

// placeAt reads what comes before an offset of a file. It is ErrChanged if the file ends
// before that.
func placeAt(file *os.File, at int64) (tailPlace, error) {
	from := max(0, at-tailWindow)
	hash := sha256.New()
	n, err := io.Copy(hash, io.NewSectionReader(file, from, at-from))
	if err != nil {
		return tailPlace{}, err
	}
	if n < at-from {
		return tailPlace{}, ErrChanged
	}
	return tailPlace{at: at, sum: digest.Hash(hash.Sum(nil)).Half()}, nil
}

// tailPlaces are the ends of all ranges that have landed, by the source of their file,
// ascending. Only who meets a file that is shorter than what has landed, or goes on
// otherwise, reads them, since that takes all arrivals.
type tailPlaces struct {
	stream *landing.Stream
	to     landing.Position
	ends   map[string][]tailPlace
}

func newTailPlaces(stream *landing.Stream) *tailPlaces {
	return &tailPlaces{stream: stream, ends: map[string][]tailPlace{}}
}

// of returns the places of a source.
func (p *tailPlaces) of(ctx context.Context, source string) ([]tailPlace, error) {
	to := p.stream.Next()
	err := p.stream.Arrivals(ctx, p.to, to, func(a landing.Arrival) error {
		p.add(a)
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("look up where the ranges of %s end: %w", source, err)
	}
	p.to = to
	return p.ends[source], nil
}

// add adds an arrival that may have been added before.
func (p *tailPlaces) add(a landing.Arrival) {
	place, is := parsePlace(a.Version)
	ends := p.ends[a.Name]
	if is && (len(ends) == 0 || ends[len(ends)-1].at < place.at) {
		p.ends[a.Name] = append(ends, place)
	}
}
