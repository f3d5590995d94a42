package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest/kafka"
	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

var text = datafile.Type{Kind: datafile.Varchar}

var spec = landing.Spec{
	Stream:    "events",
	EventTime: landing.EventTime{Column: "_timestamp", Unit: landing.UnitMillis},
	Columns:   []datafile.Column{{Name: "v", Type: text}, {Name: "_key", Type: text}},
}

// world is a Kafka cluster, and a lake.
type world struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
	admin   *kadm.Client
	store   objstore.Store
	sent    []landed
}

// landed is what a row says of where it comes from.
type landed struct {
	source string
	offset int64
	v      string
	key    string
	extra  string
}

func newWorld(t *testing.T, opts ...kfake.Opt) *world {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	w := &world{t: t, cluster: cluster, store: objstore.NewMemory()}
	w.client = w.dial()
	w.admin = kadm.NewClient(w.client)
	return w
}

// dial opens a client that puts each record into the partition that it names.
func (w *world) dial(opts ...kgo.Opt) *kgo.Client {
	w.t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic("events"),
	}, opts...)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(client.Close)
	return client
}

// send produces records, and expects them to land.
func (w *world) send(records ...*kgo.Record) {
	w.t.Helper()
	for _, r := range w.produce(records...) {
		w.sent = append(w.sent, expected(r))
	}
}

func (w *world) produce(records ...*kgo.Record) []*kgo.Record {
	w.t.Helper()
	if err := w.client.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		w.t.Fatal(err)
	}
	return records
}

// numbered are records whose values say their number.
func numbered(partition int32, from, to int) (records []*kgo.Record) {
	for i := range to - from {
		records = append(records, &kgo.Record{Partition: partition, Value: fmt.Appendf(nil, `{"v":"%d/%d"}`, partition, from+i)})
	}
	return records
}

func expected(r *kgo.Record) landed {
	return landed{source: fmt.Sprintf("kafka:%s/%d", r.Topic, r.Partition), offset: r.Offset, v: string(r.Value[6 : len(r.Value)-2])}
}

// stream opens the stream as a process of its own does.
func (w *world) stream(store objstore.Store) *landing.Stream {
	return landing.Open(store, spec, landing.Options{Scratch: w.t.TempDir()})
}

func (w *world) source(store objstore.Store, change func(*kafka.Options)) *kafka.Source {
	w.t.Helper()
	return w.sourceOf(w.stream(store), change)
}

func (w *world) sourceOf(stream *landing.Stream, change func(*kafka.Options)) *kafka.Source {
	w.t.Helper()
	opts := kafka.Options{
		Connection: kafka.Connection{Brokers: w.cluster.ListenAddrs()},
		Topics:     []string{"events"}, Group: "g",
		Batch: kafka.Batch{Wait: 20 * time.Millisecond}, Retry: time.Millisecond,
	}
	if change != nil {
		change(&opts)
	}
	source, err := kafka.New(stream, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return source
}

// drain lands what there is.
func (w *world) drain() error {
	return w.source(w.store, nil).Once(w.context())
}

// context ends a test that would wait for ever.
func (w *world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	return ctx
}

// rows are all that have landed.
func (w *world) rows() (rows []landed) {
	w.t.Helper()
	ctx, s := context.Background(), w.stream(w.store)
	if err := s.Refresh(ctx); err != nil {
		w.t.Fatal(err)
	}
	var segments []landing.Segment
	s.View(func(state *landing.State) { segments = slices.Clone(state.Segments()) })
	paths, release, err := s.Fetch(ctx, localfile.New(w.store, w.t.TempDir(), localfile.DefaultMaxBytes), segments)
	if err != nil {
		w.t.Fatal(err)
	}
	defer release()
	for _, path := range paths {
		file, err := datafile.Open(path)
		if err != nil {
			w.t.Fatal(err)
		}
		err = file.Scan(func(row []datafile.Value) error {
			rows = append(rows, landed{string(row[3].ByteArray()), row[4].Int64(), string(row[5].ByteArray()), string(row[6].ByteArray()), string(row[7].ByteArray())})
			return nil
		})
		if err := errors.Join(err, file.Close()); err != nil {
			w.t.Fatal(err)
		}
	}
	return rows
}

// check fails unless just what was sent has landed, once.
func (w *world) check() {
	w.t.Helper()
	want, got := map[landed]int{}, map[landed]int{}
	for _, r := range w.sent {
		want[r]++
	}
	for _, r := range w.rows() {
		r.extra = ""
		got[r]++
	}
	for r, n := range got {
		if want[r] != n {
			w.t.Errorf("%v landed %d times, want %d", r, n, want[r])
		}
	}
	for r := range want {
		if got[r] == 0 {
			w.t.Errorf("%v did not land", r)
		}
	}
}

func (w *world) rejects() (rejects []landing.LandedReject) {
	w.t.Helper()
	s := w.stream(w.store)
	if err := s.Refresh(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	err := s.Rejects(context.Background(), localfile.New(w.store, w.t.TempDir(), localfile.DefaultMaxBytes), func(r landing.LandedReject) error {
		rejects = append(rejects, r)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return rejects
}

// member is a Source that runs until it is stopped.
type member struct {
	stop    func()
	landed  chan int64 // how many records each commit had
	trouble chan error
	over    chan struct{}
}

func (w *world) member(store objstore.Store, change func(*kafka.Options)) *member {
	w.t.Helper()
	m := &member{landed: make(chan int64, 10_000), trouble: make(chan error, 10_000), over: make(chan struct{}, 10_000)}
	source := w.source(store, func(o *kafka.Options) {
		o.Landed = func(_ landing.Result, read kafka.Read) error {
			m.landed <- read.Records
			return nil
		}
		o.Trouble = func(err error) { m.trouble <- err }
		o.Over = func() { m.over <- struct{}{} }
		if change != nil {
			change(o)
		}
	})
	ctx, cancel := context.WithCancel(w.context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		source.Run(ctx)
	}()
	m.stop = func() { cancel(); <-done }
	w.t.Cleanup(m.stop)
	return m
}

// await waits until a member has landed so many records.
func (w *world) await(m *member, records int64) {
	w.t.Helper()
	for ctx := w.context(); records > 0; {
		select {
		case n := <-m.landed:
			records -= n
		case <-ctx.Done():
			w.t.Fatalf("%d records did not land in a minute", records)
		}
	}
}

// fault waits for trouble.
func (w *world) fault(m *member) error {
	w.t.Helper()
	select {
	case err := <-m.trouble:
		return err
	case <-w.context().Done():
		w.t.Fatal("no trouble in a minute")
		return nil
	}
}
