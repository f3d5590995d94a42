package metrics

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What is counted is served, under names and labels that dashboards depend on.
func TestWhatIsCountedIsServed(t *testing.T) {
	s := New()
	s.Landed("http", "events", Arrival{Rows: 7, Bytes: 700, Rejects: map[string]int64{"type": 2}, Commit: 20 * time.Millisecond})
	s.Landed("http", "events", Arrival{Rows: 3, Bytes: 300})
	s.Landed("http", "events", Arrival{Duplicate: true, Rows: 9})
	s.Refused("http", "events", 429)
	s.Lag("kafka", "orders", "0", 12)
	s.Lag("kafka", "orders", "1", 5)
	s.NoLag("kafka", "orders", "1")
	now := time.Now()
	s.oldest.now = func() time.Time { return now }
	s.Oldest("dir", "bills", now.Add(-90*time.Second))
	s.Oldest("s3", "bills", time.Time{})
	s.Fault("dir", "bills")
	s.InFlight("http", 100)
	s.InFlight("http", -40)
	s.Recomputed("events_hourly", "published")
	s.Repeated("events_hourly", 5)
	s.Repeated("events_hourly", 0)

	got := served(s)
	for _, line := range []string{
		`strandline_landed_rows_total{source="http",stream="events"} 10`,
		`strandline_landed_bytes_total{source="http",stream="events"} 1000`,
		`strandline_rejects_total{reason="type",source="http",stream="events"} 2`,
		`strandline_duplicates_total{source="http",stream="events"} 1`,
		`strandline_refused_total{source="http",status="429",stream="events"} 1`,
		`strandline_commit_seconds_bucket{source="http",stream="events",le="0.02"} 1`,
		`strandline_commit_seconds_count{source="http",stream="events"} 1`,
		`strandline_lag_records{partition="0",source="kafka",stream="orders"} 12`,
		`strandline_oldest_unlanded_seconds{source="dir",stream="bills"} 90`,
		`strandline_oldest_unlanded_seconds{source="s3",stream="bills"} 0`,
		`strandline_source_faults_total{source="dir",stream="bills"} 1`,
		`strandline_in_flight_bytes{source="http"} 60`,
		`strandline_partitions_total{state="published",table="events_hourly"} 1`,
		`strandline_repeated_rows_total{table="events_hourly"} 5`,
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("not served: %s", line)
		}
	}
	if strings.Contains(got, `partition="1"`) {
		t.Error("the lag of a partition that is not read any more is still served")
	}
}

func served(s *Set) string {
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	return answer.Body.String()
}

// A process that serves no metrics counts into none.
func TestNoSetCountsNothing(t *testing.T) {
	var s *Set
	s.Landed("http", "events", Arrival{Rows: 1})
	s.Refused("http", "", 404)
	s.Lag("kafka", "orders", "0", 1)
	s.NoLag("kafka", "orders", "0")
	s.Oldest("dir", "bills", time.Now())
	s.Fault("dir", "bills")
	s.InFlight("http", 1)
	s.Recomputed("events_hourly", "failed")
	s.Repeated("events_hourly", 1)
}
