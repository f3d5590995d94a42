package kafka_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"strandline/ingest/kafka"
	"strandline/landing"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func at(r *kgo.Record) *kgo.Record {
	r.Timestamp = noon
	return r
}

func TestWhatKafkaSaysOfARecordIsReadAsFields(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.produce(
		at(&kgo.Record{Key: []byte(`k"1`), Value: []byte("{\n \"v\": \"a\", \"more\": 1\n}"), Headers: []kgo.RecordHeader{
			{Key: "trace", Value: []byte("t-1")}, {Key: "raw", Value: []byte{0xff}}, {Key: "twice", Value: []byte("x")}, {Key: "twice"},
		}}),
		at(&kgo.Record{Key: []byte{0xff, 0}, Value: []byte(`{}`)}),
		at(&kgo.Record{Key: []byte("gone")}),
	)
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	want := []landed{
		{"kafka:events/0", 0, "a", `k"1`, `{"_headers":{"trace":"t-1","raw":{"base64":"/w=="},"twice":["x",null]},"more":1}`},
		{"kafka:events/0", 1, "", "", `{"_key_base64":"/wA="}`},
		{"kafka:events/0", 2, "", "gone", `{"_tombstone":true}`},
	}
	if got := w.rows(); !slices.Equal(got, want) {
		t.Errorf("landed\n%v, want\n%v", got, want)
	}
}

func TestARecordThatIsNoRowIsARejectWithAllThatIsNeededToReadItAgain(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.produce(
		at(&kgo.Record{Key: []byte("a"), Value: []byte(`{"v":`)}),
		at(&kgo.Record{Key: []byte("b"), Value: []byte(`[1]`)}),
		at(&kgo.Record{Key: []byte("c"), Value: []byte(`{"_key":"mine"}`)}),
		at(&kgo.Record{Key: []byte("d"), Value: []byte{}}),
		at(&kgo.Record{Key: []byte("e"), Value: []byte(`{"v":"row"}`)}),
	)
	if err := w.drain(); err != nil {
		t.Fatal(err)
	}
	if rows := w.rows(); len(rows) != 1 || rows[0].v != "row" || rows[0].offset != 4 {
		t.Errorf("landed %v", rows)
	}
	want := []struct{ raw, context, reason string }{
		{`{"v":`, `{"_key":"a","_timestamp":1793534400000}`, "ends too early"},
		{`[1]`, `{"_key":"b","_timestamp":1793534400000}`, "want one JSON object"},
		{`{"_key":"mine"}`, `{"_key":"c","_timestamp":1793534400000}`, `the name "_key" twice`},
		{``, `{"_key":"d","_timestamp":1793534400000}`, "is empty"},
	}
	got := w.rejects()
	if len(got) != len(want) {
		t.Fatalf("%d rejects, want %d", len(got), len(want))
	}
	for i, r := range got {
		if string(r.Raw) != want[i].raw || r.Context != want[i].context || !strings.Contains(r.Reason, want[i].reason) ||
			r.SourcePosition != int64(i) || r.Source != "kafka:events/0" {
			t.Errorf("reject %d is %q with %s, since %s, at %d of %s", i, r.Raw, r.Context, r.Reason, r.SourcePosition, r.Source)
		}
	}
}

func TestTombstonesBecomeWhatIsAskedFor(t *testing.T) {
	for _, tombstones := range []kafka.Tombstones{kafka.TombstoneRow, kafka.TombstoneReject, kafka.TombstoneSkip} {
		w := newWorld(t, kfake.SeedTopics(1, "events"))
		w.produce(at(&kgo.Record{Key: []byte("gone")}))
		var skipped int64
		err := w.source(w.store, func(o *kafka.Options) {
			o.Tombstones = tombstones
			o.Landed = func(_ landing.Result, read kafka.Read) error {
				skipped += read.Skipped
				return nil
			}
		}).Once(w.context())
		if err != nil {
			t.Fatal(err)
		}
		rows, rejects := len(w.rows()), len(w.rejects())
		is := map[kafka.Tombstones][3]int{kafka.TombstoneRow: {1, 0, 0}, kafka.TombstoneReject: {0, 1, 0}, kafka.TombstoneSkip: {0, 0, 1}}
		if got := [3]int{rows, rejects, int(skipped)}; got != is[tombstones] {
			t.Errorf("as %s there are %v rows, rejects and skipped, want %v", tombstones, got, is[tombstones])
		}
		if err := w.drain(); err != nil { // it was read either way
			t.Fatal(err)
		}
	}
}
