package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ages is a gauge of how long ago something was. It is reckoned when it is asked for, so
// that it grows also while whoever set it does nothing.
type ages struct {
	desc *prometheus.Desc
	now  func() time.Time

	mu    sync.Mutex
	since map[[2]string]time.Time // by the values of the two labels; zero: no age
}

func newAges(name, help, first, second string) *ages {
	full := prometheus.BuildFQName("strandline", "", name)
	return &ages{desc: prometheus.NewDesc(full, help, []string{first, second}, nil), now: time.Now, since: map[[2]string]time.Time{}}
}

func (a *ages) set(since time.Time, first, second string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since[[2]string{first, second}] = since
}

// Describe is of prometheus.Collector.
func (a *ages) Describe(to chan<- *prometheus.Desc) { to <- a.desc }

// Collect is of prometheus.Collector.
func (a *ages) Collect(to chan<- prometheus.Metric) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for labels, since := range a.since {
		var age time.Duration
		if !since.IsZero() {
			age = max(a.now().Sub(since), 0)
		}
		to <- prometheus.MustNewConstMetric(a.desc, prometheus.GaugeValue, age.Seconds(), labels[:]...)
	}
}
