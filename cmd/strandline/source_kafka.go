package main

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"strandline/ingest"
	"strandline/ingest/kafka"
	"strandline/internal/config"
	"strandline/internal/digest"
	"strandline/landing"
)

// topics starts a reader for every stream that declares topics of Kafka.
func (s *streaming) topics(ctx context.Context, group *errgroup.Group) error {
	for _, stream := range s.lake.config.Streams {
		if stream.Kafka == nil {
			continue
		}
		if err := s.lake.checkLost(ctx, stream.Name); err != nil {
			return fmt.Errorf("read Kafka for stream %s: %w", stream.Name, err)
		}
		source, err := s.lake.kafka(stream, s.kafkaOptions(stream))
		if err != nil {
			return err
		}
		s.app.note("reading %s for stream %s", topicsOf(stream), stream.Name)
		group.Go(func() error {
			source.Run(ctx)
			return nil
		})
	}
	return nil
}

// kafkaOptions say whom to tell what comes of a stream's topics.
func (s *streaming) kafkaOptions(stream config.Stream) kafka.Options {
	return kafka.Options{
		Landed: func(result landing.Result, read kafka.Read) error {
			o := topicOutcome(result, read)
			s.counted(sourceKafka, stream.Name, o)
			if o.Rows()+o.Rejects > 0 { // else it only went past markers of transactions
				s.tell(func() error { return s.app.landed(stream.Name, o) })
			}
			return nil
		},
		Lag: func(topic string, partition int32, offsets int64) {
			s.metrics.Lag(string(sourceKafka), stream.Name, fmt.Sprintf("%s/%d", topic, partition), offsets)
		},
		Left: func(topic string, partition int32) {
			s.metrics.NoLag(string(sourceKafka), stream.Name, fmt.Sprintf("%s/%d", topic, partition))
		},
		Trouble: func(err error) { s.fault(sourceKafka, stream.Name, err) },
		Over:    func() { s.over(stream.Name, "Kafka is read again") },
	}
}

// topicOutcome is what a commit of records is to those who are told of arrivals. All of
// a topic's have one name.
func topicOutcome(result landing.Result, read kafka.Read) ingest.Outcome {
	result.SameName = false
	return ingest.Outcome{Result: result, Name: read.Name, Identity: landing.Identity{Size: read.Bytes}}
}

// kafka returns the source that reads what a stream declares, with o for the rest.
func (l *lake) kafka(stream config.Stream, o kafka.Options) (*kafka.Source, error) {
	k := stream.Kafka
	o.Brokers, o.Topics, o.Group = k.Brokers, k.Topics, k.Group
	o.Uncommitted, o.Tombstones, o.Decode = k.Uncommitted, kafka.Tombstones(k.Tombstones), l.readOptions(stream)
	if o.Group == "" {
		o.Group = l.kafkaGroup(stream.Name)
	}
	var err error
	if o.Start, err = kafka.ParseStart(k.Start); err != nil {
		return nil, fmt.Errorf("read Kafka for stream %s: start: %w", stream.Name, err)
	}
	if k.TLS != nil {
		if o.TLS, err = kafka.LoadTLS(k.TLS.CA, k.TLS.Cert, k.TLS.Key); err != nil {
			return nil, fmt.Errorf("read Kafka for stream %s: %w", stream.Name, err)
		}
	}
	if k.SASL != nil {
		o.SASL = kafka.SASL{Mechanism: k.SASL.Mechanism, Username: k.SASL.Username, Password: k.SASL.Password}
	}
	return kafka.New(l.streams[stream.Name], o)
}

// kafkaGroup is the group of a stream that names none. Another lake has another one:
// two that shared a group would each get only a part of the records.
func (l *lake) kafkaGroup(stream string) string {
	return fmt.Sprintf("strandline-%s-%.8s", stream, digest.OfBytes([]byte(l.config.Lake.String())))
}

func topicsOf(stream config.Stream) string {
	return fmt.Sprintf("Kafka %s at %s", strings.Join(stream.Kafka.Topics, ", "), strings.Join(stream.Kafka.Brokers, ", "))
}

// landTopics lands what a stream's topics hold now.
func (a *app) landTopics(ctx context.Context, l *lake, stream config.Stream) error {
	return a.once(ctx, stream, topicsOf(stream), func(tell sourceEvents) (onceThrough, error) {
		return l.kafka(stream, kafka.Options{Landed: func(result landing.Result, read kafka.Read) error {
			o := topicOutcome(result, read)
			if o.Rows()+o.Rejects == 0 { // it only went past markers of transactions
				return nil
			}
			return tell.landed(o)
		}})
	})
}

// gapFact is what --json says of a gap that was accepted.
type gapFact struct {
	Stream string `json:"stream"`
	Source string `json:"source"`
	From   int64  `json:"from_offset"` // inclusive
	To     int64  `json:"to_offset"`   // exclusive; the largest number there is where nobody can tell
	Reason string `json:"reason"`
}

// acceptGap accepts as lost what a stream's topics have lost before it landed.
func (a *app) acceptGap(ctx context.Context, l *lake, stream config.Stream) error {
	source, err := l.kafka(stream, kafka.Options{})
	if err != nil {
		return err
	}
	lost, err := source.AcceptGap(ctx)
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		a.note("strandline: %s has lost nothing that did not land", topicsOf(stream))
	}
	for _, gap := range lost {
		fact := gapFact{Stream: stream.Name, Source: gap.Partition.String(), From: gap.From, To: gap.To, Reason: gap.Kind.Error()}
		if err := a.fact(fact, "%s: accepted as lost, since %v\n", gap, gap.Kind); err != nil {
			return err
		}
	}
	return nil
}
