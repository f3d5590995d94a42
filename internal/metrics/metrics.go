// Package metrics counts what a process does, for Prometheus. Labels have few values
// by construction: the kinds of sources, the declared streams and jobs, the partitions
// of a topic, and classes of reasons; never a text that somebody sent.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Set is all that one process counts. It is safe for concurrent use, and a nil one
// counts nothing.
type Set struct {
	registry *prometheus.Registry

	rows, bytes, rejects, duplicates, refused, partitions, repeated *prometheus.CounterVec
	commits                                                         *prometheus.HistogramVec
	lag, inFlight, watermark, open, late                            *prometheus.GaugeVec
	faults                                                          *prometheus.CounterVec
	oldest                                                          *ages
}

// The labels, in one vocabulary.
const (
	labelSource    = "source" // kind of source: dir, http, kafka, s3
	labelStream    = "stream"
	labelPartition = "partition" // of a topic
	labelReason    = "reason"
	labelStatus    = "status"
	labelTable     = "table"
	labelState     = "state"
)

// seconds are the buckets of what takes milliseconds to a minute.
var seconds = []float64{.002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30, 60}

// New returns a set that has counted nothing yet.
func New() *Set {
	s := &Set{registry: prometheus.NewRegistry()}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return register(s, prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "strandline", Name: name, Help: help}, labels))
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return register(s, prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "strandline", Name: name, Help: help}, labels))
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return register(s, prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "strandline", Name: name, Help: help, Buckets: seconds}, labels))
	}
	s.rows = counter("landed_rows_total", "Rows that this process landed.", labelSource, labelStream)
	s.bytes = counter("landed_bytes_total", "Decompressed bytes of what this process landed.", labelSource, labelStream)
	s.rejects = counter("rejects_total", "Records that landed as rejects, by the class of their reason.", labelSource, labelStream, labelReason)
	s.duplicates = counter("duplicates_total", "Arrivals that had landed before, and did not land again.", labelSource, labelStream)
	s.refused = counter("refused_total", "Requests that were refused, by HTTP status.", labelSource, labelStream, labelStatus)
	s.commits = histogram("commit_seconds", "Time from the end of an arrival until it had landed.", labelSource, labelStream)
	s.lag = gauge("lag_records", "Records of an ordered source that are there and have not landed.", labelSource, labelStream, labelPartition)
	s.oldest = register(s, newAges("oldest_unlanded_seconds", "Age of the oldest file or object that is there and has not landed.", labelSource, labelStream))
	s.faults = counter("source_faults_total", "What a source reported: files that can't be read, a bucket or broker that does not answer.", labelSource, labelStream)
	s.inFlight = gauge("in_flight_bytes", "Memory that requests hold which are being read or landed.", labelSource)
	s.watermark = gauge("watermark_seconds", "Up to which event time all that a table reads is complete, in seconds since 1970.", labelTable)
	s.open = gauge("open_partitions", "Partitions that have rows and wait to be closed.", labelTable)
	s.late = gauge("late_rows_held", "Rows that came late and wait for a person.", labelTable)
	s.partitions = counter("partitions_total", "Partitions that were recomputed, by what became of them.", labelTable, labelState)
	s.repeated = counter("repeated_rows_total", "Rows that dedup left out of recomputed partitions.", labelTable)
	s.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return s
}

func register[C prometheus.Collector](s *Set, c C) C {
	s.registry.MustRegister(c) // the names above are constant and differ
	return c
}

// Arrival is what became of one arrival.
type Arrival struct {
	Rows, Bytes int64
	Rejects     map[string]int64 // by class of reason
	Duplicate   bool
	Commit      time.Duration // how long it took to land; 0: not measured
}

// Landed counts an arrival of a source of this kind.
func (s *Set) Landed(source, stream string, a Arrival) {
	if s == nil {
		return
	}
	if a.Duplicate {
		s.duplicates.WithLabelValues(source, stream).Inc()
		return
	}
	s.rows.WithLabelValues(source, stream).Add(float64(a.Rows))
	s.bytes.WithLabelValues(source, stream).Add(float64(a.Bytes))
	for class, n := range a.Rejects {
		s.rejects.WithLabelValues(source, stream, class).Add(float64(n))
	}
	if a.Commit > 0 {
		s.commits.WithLabelValues(source, stream).Observe(a.Commit.Seconds())
	}
}

// Refused counts a request that was answered with an error. Stream is "" where the
// request named none that is declared.
func (s *Set) Refused(source, stream string, status int) {
	if s != nil {
		s.refused.WithLabelValues(source, stream, strconv.Itoa(status)).Inc()
	}
}

// Lag tells how many records of one partition of an ordered source have not landed yet.
func (s *Set) Lag(source, stream, partition string, records int64) {
	if s != nil {
		s.lag.WithLabelValues(source, stream, partition).Set(float64(records))
	}
}

// NoLag forgets the lag of a partition that this process does not read any more.
func (s *Set) NoLag(source, stream, partition string) {
	if s != nil {
		s.lag.DeleteLabelValues(source, stream, partition)
	}
}

// Oldest tells since when the oldest file or object is there that has not landed yet;
// the zero time: there is none.
func (s *Set) Oldest(source, stream string, since time.Time) {
	if s != nil {
		s.oldest.set(since, source, stream)
	}
}

// Fault counts what a source reported to be wrong, with one of its files or as a whole.
func (s *Set) Fault(source, stream string) {
	if s != nil {
		s.faults.WithLabelValues(source, stream).Inc()
	}
}

// Recomputed counts a partition that was recomputed, by what became of it.
func (s *Set) Recomputed(table, state string) {
	if s != nil {
		s.partitions.WithLabelValues(table, state).Inc()
	}
}

// Repeated counts rows that dedup left out of a recomputed partition.
func (s *Set) Repeated(table string, rows int64) {
	if s != nil && rows > 0 {
		s.repeated.WithLabelValues(table).Add(float64(rows))
	}
}

// Closing tells how far a table is closed: its watermark, which is the zero time where it is
// not known, how many partitions wait to be closed, and how many late rows for a person.
func (s *Set) Closing(table string, watermark time.Time, open int, late int64) {
	if s == nil {
		return
	}
	if !watermark.IsZero() {
		s.watermark.WithLabelValues(table).Set(float64(watermark.UnixMicro()) / 1e6)
	}
	s.open.WithLabelValues(table).Set(float64(open))
	s.late.WithLabelValues(table).Set(float64(late))
}

// InFlight adds to, or takes from, the bytes of requests that are held in memory.
func (s *Set) InFlight(source string, bytes int64) {
	if s != nil {
		s.inFlight.WithLabelValues(source).Add(float64(bytes))
	}
}

// Handler serves the set in the formats of Prometheus; of a nil one there is nothing.
func (s *Set) Handler() http.Handler {
	if s == nil {
		return http.NotFoundHandler()
	}
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})
}
