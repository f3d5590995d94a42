package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// topic is the topic "sales", of one partition, at a broker in this process.
type topic struct {
	t       *testing.T
	brokers string
	client  *kgo.Client
}

func newTopic(t *testing.T) topic {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "sales"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	brokers := cluster.ListenAddrs()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.DefaultProduceTopic("sales"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return topic{t, strings.Join(brokers, ", "), client}
}

func (k topic) send(n int) {
	k.t.Helper()
	for range n {
		k.sendAt("2026-03-01T10:00:00Z")
	}
}

// sendAt sends a record of an event time.
func (k topic) sendAt(at string) {
	k.t.Helper()
	if err := k.client.ProduceSync(k.t.Context(), kgo.StringRecord(fmt.Sprintf(`{"at":%q,"shop":"k"}`, at))).FirstErr(); err != nil {
		k.t.Fatal(err)
	}
}

// remove has the broker forget what is below an offset.
func (k topic) remove(below int64) {
	k.t.Helper()
	var offsets kadm.Offsets
	offsets.Add(kadm.Offset{Topic: "sales", At: below, LeaderEpoch: -1})
	if _, err := kadm.NewClient(k.client).DeleteRecords(k.t.Context(), offsets); err != nil {
		k.t.Fatal(err)
	}
}

func TestWhatATopicLostIsPassedOnlyWithAcceptGap(t *testing.T) {
	k, p := newTopic(t), newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", fmt.Sprintf("    kafka: {brokers: [%q], topics: sales}\n    columns:", k.brokers), 1))
	has := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, want %q", out, want)
		}
	}
	k.send(3)
	has(p.good("land", "sales"), "kafka:sales: landed 3 rows")
	if r := p.run("land", "sales", "--accept-gap"); r.code != exitDone {
		t.Errorf("nothing was lost, and accepting that ends with %d: %s", r.code, r.err)
	} else {
		has(r.err, "has lost nothing that did not land")
	}
	k.send(4)
	k.remove(5)
	p.bad(exitRefused, "sales/0 from offset 3 up to 5", "land", "sales")
	has(p.good("land", "sales", "--accept-gap"), "sales/0 from offset 3 up to 5: accepted as lost, since offsets are gone that have not landed\nkafka:sales: landed 2 rows")
	k.send(2)
	k.remove(8)
	has(p.good("land", "sales", "--accept-gap", "--json"), `"from_offset":7,"to_offset":8,"reason":"offsets are gone that have not landed"}`)
	p.bad(exitUsage, "name a stream that declares kafka, and no files", "land", "sales", "--accept-gap", p.path("a.ndjson"))
}
