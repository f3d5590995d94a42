package main

import (
	"context"
	"fmt"
	"time"

	"strandline/internal/trouble"
)

// lookEvery is how often a process that stays looks after what other engines run.
const lookEvery = time.Minute

// keepLooking looks until ctx ends. What is to be told is told when it is another than before.
func (l *lake) keepLooking(ctx context.Context, tell func(format string, args ...any)) {
	news := newNews(tell)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := l.lookout(news.say).all(ctx, ""); err != nil && ctx.Err() == nil {
			news.say("look after the requests that other engines run: %v", err)
		}
		news.next()
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// news tells in each round what was not told in the one before.
type news struct {
	tell        func(format string, args ...any)
	before, now map[string]bool
}

func newNews(tell func(format string, args ...any)) *news {
	return &news{tell: tell, now: map[string]bool{}}
}

func (n *news) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	same := trouble.Same(text)
	if !n.before[same] && !n.now[same] {
		n.tell("%s", text)
	}
	n.now[same] = true
}

// next begins another round.
func (n *news) next() { n.before, n.now = n.now, map[string]bool{} }
