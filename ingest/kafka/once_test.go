package kafka_test

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
)

func TestWhatTopicsHoldLandsOnceHoweverOftenItIsDrained(t *testing.T) {
	w := newWorld(t, kfake.SeedTopics(3, "events"))
	for round := range 3 {
		for p := range int32(3) {
			w.send(numbered(p, round*10, round*10+10)...)
		}
		for range 2 {
			if err := w.drain(); err != nil {
				t.Fatal(err)
			}
		}
		w.check()
	}
}
