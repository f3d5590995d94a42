package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"strandline/internal/log"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// damaged puts a next entry that can't be read into the log of the sales.
func (l *lake) damaged() {
	l.t.Helper()
	listed, err := l.store.List(l.t.Context(), "tables/sales_hourly/log/", "", 100)
	if err == nil {
		err = l.store.Create(l.t.Context(), fmt.Sprintf("tables/sales_hourly/log/%020d.json", len(listed)+1), []byte("{"))
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// besides is a task of the sales, and one of another table of them.
func (l *lake) besides() (sales, other *runner.Task) {
	sales = l.task(salesJob())
	l.table = manifests.Open(l.store, "other", manifests.Options{})
	return sales, l.task(salesJob())
}

func TestAJobWhoseTableIsDamagedDoesNotStopTheOthers(t *testing.T) {
	l := newLake(t, folder(t))
	l.land("a", sale{day(1), "1", "x", 1})
	sales, other := l.besides()
	l.damaged()
	var published []string
	err := runner.Stream(t.Context(), []*runner.Task{sales, other}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Once: true, Now: time.Now,
		Done:    func(_ string, o runner.Outcome) { published = append(published, o.Partition.String()) },
		Trouble: func(job string, err error) { t.Errorf("of job %s it is told what is returned too: %v", job, err) },
	})
	if !errors.Is(err, log.ErrCorrupt) || !slices.Equal(published, []string{"2026-03-01"}) {
		t.Errorf("ended with %v and published %v, want ErrCorrupt and 2026-03-01", err, published)
	}
	if err := runner.Stream(t.Context(), []*runner.Task{sales}, runner.StreamOptions{Now: time.Now}); !errors.Is(err, log.ErrCorrupt) {
		t.Errorf("with no other job it ended with %v", err)
	}
}

// Also one whose table is damaged while the stream goes on.
func TestAJobWhoseTableBecomesDamagedIsLeftOutAndTold(t *testing.T) {
	l := newLake(t, folder(t))
	sales, other := l.besides()
	ctx, stop := context.WithCancel(t.Context())
	told, after := 0, 0
	err := runner.Stream(ctx, []*runner.Task{sales, other}, runner.StreamOptions{
		Parallel: 1, Poll: time.Millisecond, Now: time.Now,
		Planned: func(window.Plan) {
			switch {
			case after == 0 && told == 0:
				after = -1
				l.damaged()
			case told > 0:
				after++
			}
			if after == 3 {
				stop()
			}
		},
		Trouble: func(job string, err error) {
			if told++; job != "sales_hourly" || !errors.Is(err, log.ErrCorrupt) {
				t.Errorf("of job %s it tells %v", job, err)
			}
			after = 0
		},
	})
	if err != nil || told != 1 {
		t.Errorf("it told %d times of the job that is left out, and ended with %v", told, err)
	}
}
