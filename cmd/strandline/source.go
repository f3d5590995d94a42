package main

import (
	"strandline/ingest"
	"strandline/internal/metrics"
)

// sourceKind is how what arrives gets in, for the metrics.
type sourceKind string

// The kinds of sources that "strandline run" reads.
const (
	sourceDir   sourceKind = "dir"
	sourceHTTP  sourceKind = "http"
	sourceKafka sourceKind = "kafka"
	sourceS3    sourceKind = "s3"
	sourceTail  sourceKind = "tail"
)

// landed tells of an arrival: to the metrics, to the stream driver, which has new rows
// to compute from, and to whoever reads what the process prints. All sources call it,
// from any goroutine, after each arrival.
func (s *streaming) landed(kind sourceKind, stream string, o ingest.Outcome) error {
	s.counted(kind, stream, o)
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Duplicate && o.DuplicateOf == o.Name {
		return nil // such as an old file of a folder, seen again after a restart
	}
	return s.app.landed(stream, o)
}

// fault tells what is wrong with a source, or with one of its files.
func (s *streaming) fault(kind sourceKind, stream string, err error) {
	s.metrics.Fault(string(kind), stream)
	s.trouble(stream, err)
}

// counted is landed for what is not to be printed, since it comes many times a second.
func (s *streaming) counted(kind sourceKind, stream string, o ingest.Outcome) {
	s.metrics.Landed(string(kind), stream, metrics.Arrival{
		Rows: o.Rows(), Bytes: o.Identity.Size, Rejects: o.Classes.ByName(), Duplicate: o.Duplicate, Commit: o.Took,
	})
	select {
	case s.wake <- struct{}{}:
	default: // it is awake already
	}
}
