package kafka_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"strandline/ingest/kafka"
)

// outage has the brokers cut every connection with an error, or say nothing without one,
// for as long as down is true.
func (w *world) outage(cut error) (down *atomic.Bool) {
	down = new(atomic.Bool)
	w.cluster.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		w.cluster.KeepControl()
		return nil, cut, down.Load()
	})
	return down
}

func TestBrokersThatAreGoneAreTroubleThatIsOverWhenTheyAreBack(t *testing.T) {
	for name, cut := range map[string]error{"dead": errors.New("the connection is cut"), "silent": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait
			w := newWorld(t, kfake.SeedTopics(1, "events"))
			w.send(numbered(0, 0, 5)...)
			down := w.outage(cut)
			m := w.member(w.store, func(o *kafka.Options) { o.Patience = 500 * time.Millisecond })
			w.await(m, 5)
			down.Store(true)
			if err := w.fault(m); cut == nil && !errors.Is(err, kafka.ErrNoAnswer) {
				t.Errorf("it is told as %v", err)
			}
			down.Store(false)
			select {
			case <-m.over:
			case <-w.context().Done():
				t.Fatal("that it is over was not told in a minute")
			}
			w.client = w.dial() // the other one waits for answers
			w.send(numbered(0, 5, 10)...)
			w.await(m, 5)
			m.stop()
			w.check()
		})
	}
}

func TestAnInterruptIsHeardWhileTheBrokersAreGone(t *testing.T) {
	t.Parallel() // it waits
	w := newWorld(t, kfake.SeedTopics(1, "events"))
	w.send(numbered(0, 0, 5)...)
	down := w.outage(nil)
	m := w.member(w.store, nil)
	w.await(m, 5)
	down.Store(true)
	m.stop()
	w.check()
}
