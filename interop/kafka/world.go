package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/internal/config"
	"strandline/internal/datafile"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/landing"
)

// world is a lake, a topic of its own, and what was sent to it.
type world struct {
	program, dir, topic string
	broker              *broker
	client              *kgo.Client
	admin               *kadm.Client
	sent                map[record]bool
}

// record is a record as it is sent, and as it lands.
type record struct {
	source string
	offset int64
	value  string
}

const partitions = 3

const configured = `lake: %[1]s/lake
streams:
  events:
    format: ndjson
    event_time: {column: _timestamp, unit: ms}
    columns: {v: VARCHAR, _key: VARCHAR}
    kafka: {brokers: "%[2]s", topics: %[3]s%[4]s}
jobs:
  hourly:
    from: events
    window: {tumbling: 1h}
    partition: day
    key: [window_start]
    sql: SELECT window_start, count(*) AS n FROM events GROUP BY window_start
`

func newWorld(program, dir string, b *broker) (*world, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	w := &world{program: program, dir: dir, topic: "events-" + filepath.Base(dir), broker: b, sent: map[record]bool{}}
	if err := w.configure(b.plain, ""); err != nil {
		return nil, err
	}
	if err := w.dial(); err != nil {
		return nil, err
	}
	_, err := w.admin.CreateTopic(context.Background(), partitions, 1, nil, w.topic)
	return w, err
}

func (w *world) configure(brokers, more string) error {
	text := fmt.Sprintf(configured, w.dir, brokers, w.topic, more)
	return os.WriteFile(filepath.Join(w.dir, "strandline.yaml"), []byte(text), 0o600)
}

func (w *world) dial() (err error) {
	w.client, err = kgo.NewClient(kgo.SeedBrokers(w.broker.plain), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	w.admin = kadm.NewClient(w.client)
	return err
}

// records are n records, over all partitions.
func (w *world) records(n int) (records []*kgo.Record) {
	for i := range n {
		records = append(records, &kgo.Record{
			Topic: w.topic, Partition: int32(i % partitions), Key: fmt.Appendf(nil, "k%d", i), Value: fmt.Appendf(nil, `{"v":"%d-%d"}`, len(w.sent), i),
		})
	}
	return records
}

// send produces n records, and expects them to land.
func (w *world) send(ctx context.Context, n int) error {
	records := w.records(n)
	err := w.client.ProduceSync(ctx, records...).FirstErr()
	w.expect(records)
	return err
}

func (w *world) expect(records []*kgo.Record) {
	for _, r := range records {
		w.sent[record{fmt.Sprintf("kafka:%s/%d", r.Topic, r.Partition), r.Offset, string(r.Value[6 : len(r.Value)-2])}] = true
	}
}

// command is a call of the program.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.program, append(args, "--config", filepath.Join(w.dir, "strandline.yaml"))...)
	cmd.Env = append(os.Environ(), "KAFKA_PASSWORD="+password)
	return cmd
}

// land lands what the topic holds; it fails unless the program ends with the code.
func (w *world) land(ctx context.Context, code int, more ...string) error {
	out, err := w.command(ctx, append([]string{"land", "events"}, more...)...).CombinedOutput()
	ended, _ := errors.AsType[*exec.ExitError](err)
	if got := ended; err != nil && got == nil || (got == nil) != (code == 0) || got != nil && got.ExitCode() != code {
		return fmt.Errorf("land %v: %v, want exit code %d:\n%s", more, err, code, out)
	}
	if os.Getenv("VERBOSE") != "" {
		fmt.Printf("%s", out)
	}
	return nil
}

// check fails unless just what was sent has landed, once.
func (w *world) check(ctx context.Context) error {
	landed, err := w.landed(ctx)
	if err != nil {
		return err
	}
	seen := map[record]bool{}
	for _, r := range landed {
		if seen[r] || !w.sent[r] {
			return fmt.Errorf("%v landed, and was sent %v and landed before %v", r, w.sent[r], seen[r])
		}
		seen[r] = true
	}
	for r := range w.sent {
		if !seen[r] {
			return fmt.Errorf("%v did not land; %d of %d did", r, len(seen), len(w.sent))
		}
	}
	return nil
}

// landed reads all rows of the stream.
func (w *world) landed(ctx context.Context) (rows []record, err error) {
	cfg, err := config.Load(filepath.Join(w.dir, "strandline.yaml"), func(string) (string, bool) { return password, true })
	if err != nil {
		return nil, err
	}
	store, err := objstore.OpenFolder(cfg.Lake.Folder)
	if err != nil {
		return nil, err
	}
	s := landing.Open(store, cfg.Streams[0].Spec, landing.Options{Scratch: w.dir})
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	var segments []landing.Segment
	s.View(func(state *landing.State) { segments = slices.Clone(state.Segments()) })
	copies := filepath.Join(w.dir, fmt.Sprint("copies-", time.Now().UnixNano()))
	if err := os.Mkdir(copies, 0o700); err != nil {
		return nil, err
	}
	paths, release, err := s.Fetch(ctx, localfile.New(store, copies, localfile.DefaultMaxBytes), segments)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, path := range paths {
		file, err := datafile.Open(path)
		if err != nil {
			return nil, err
		}
		err = file.Scan(func(row []datafile.Value) error {
			rows = append(rows, record{string(row[3].ByteArray()), row[4].Int64(), string(row[5].ByteArray())})
			return nil
		})
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
