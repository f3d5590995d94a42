// Package kafka lands what is in the topics of a Kafka cluster, each record once.
//
// How far each partition has been read stands in the landing log, in the entry that
// lands its records, and nowhere else. A consumer group only shares the partitions out;
// what the group has committed is for people and their tools to look at. Whoever gets a
// partition reads on where the log says, and a commit that starts anywhere else is
// refused by the log: so a member that was left behind, or was only slow, lands nothing.
//
// Offsets have gaps, where transactions ended, were aborted, or compaction removed
// records, and nothing is concluded from one. What is concluded is told by names: a topic
// that was deleted and made again, and offsets that the brokers no longer have though they
// never landed. Nothing is read past these until somebody accepts the loss, which the
// landing log keeps for ever.
package kafka

import (
	"fmt"
	"time"

	"strandline/ingest"
	"strandline/landing"
)

// Tombstones says what becomes of a record without a value.
type Tombstones string

// What may become of a record without a value.
const (
	TombstoneRow    Tombstones = "row"    // a row of what Kafka says of it, with _tombstone true
	TombstoneReject Tombstones = "reject" // a reject
	TombstoneSkip   Tombstones = "skip"   // nothing at all
)

// Options say what to read and how.
type Options struct {
	Connection
	// Topics are the topics to read, by name.
	Topics []string
	// Group is the consumer group that shares the partitions out. Whoever is in it must
	// land in the same stream.
	Group string
	// Start is where to begin with a topic that nothing has landed of. A partition that
	// a topic gets later is read from its beginning.
	Start Start
	// Uncommitted has records of transactions read that are open or were aborted.
	Uncommitted bool
	Tombstones  Tombstones     // default TombstoneRow
	Decode      ingest.Options // how to read the values; of the formats only JSON makes sense
	Batch       Batch
	// Retry is how long to wait after trouble, at first; it doubles up to a minute. Default 1 s.
	Retry time.Duration
	// Patience is how long the brokers may say nothing before that is trouble: a look at
	// what they have must end within it, and Run looks when no record came for as long.
	// Default 30 s.
	Patience time.Duration

	// Landed is told of each commit; its error ends the reading as any other trouble does.
	// May be nil.
	Landed func(landing.Result, Read) error
	// Lag is told how many offsets a partition has beyond what landed, and Left which
	// partitions this process does not read any more. Both may be called at any time, from
	// any goroutine. May be nil.
	Lag  func(topic string, partition int32, offsets int64)
	Left func(topic string, partition int32)
	// Trouble is told what is wrong, once for as long as it stays the same, and Over that
	// reading goes on: something has landed, or the brokers answer and have nothing new.
	// May be nil.
	Trouble func(error)
	Over    func()
}

// Batch bounds what one commit lands. The first bound that is met ends a batch.
type Batch struct {
	Records int           // default 200,000
	Bytes   int64         // of keys, values and headers; default 64 MiB
	Wait    time.Duration // since its first record; default 1 s
}

// Read is what a commit has read, beside its rows.
type Read struct {
	Name    string // of the arrival
	Records int64  // all that were read, without the markers of transactions
	Bytes   int64  // of keys, values and headers
	Skipped int64  // tombstones that were skipped
}

func (o Options) withDefaults() Options {
	if o.Start == (Start{}) {
		o.Start = Start{From: StartEarliest}
	}
	if o.Tombstones == "" {
		o.Tombstones = TombstoneRow
	}
	if o.Batch.Records == 0 {
		o.Batch.Records = 200_000
	}
	if o.Batch.Bytes == 0 {
		o.Batch.Bytes = 64 << 20
	}
	if o.Batch.Wait == 0 {
		o.Batch.Wait = time.Second
	}
	if o.Retry == 0 {
		o.Retry = time.Second
	}
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	if o.Landed == nil {
		o.Landed = func(landing.Result, Read) error { return nil }
	}
	if o.Lag == nil {
		o.Lag = func(string, int32, int64) {}
	}
	if o.Left == nil {
		o.Left = func(string, int32) {}
	}
	if o.Trouble == nil {
		o.Trouble = func(error) {}
	}
	if o.Over == nil {
		o.Over = func() {}
	}
	return o
}

// Source lands the topics of one stream.
type Source struct {
	stream *landing.Stream
	opts   Options
}

// New returns a source that lands in stream. It connects to nothing yet.
func New(stream *landing.Stream, opts Options) (*Source, error) {
	if _, err := ingest.NewDecoder(stream.Spec(), opts.Decode); err != nil {
		return nil, err
	}
	if len(opts.Brokers) == 0 || len(opts.Topics) == 0 || opts.Group == "" {
		return nil, fmt.Errorf("read Kafka for stream %s: want brokers, topics and a group", stream.Spec().Stream)
	}
	return &Source{stream: stream, opts: opts.withDefaults()}, nil
}
