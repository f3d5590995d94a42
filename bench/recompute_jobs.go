package main

import (
	"fmt"
	"time"

	"strandline/window"
)

const salesSQL = `SELECT window_start, shop, paid_by, count(*) AS sales, sum(cents)::BIGINT AS cents, max(weight) AS heaviest
FROM sales GROUP BY window_start, shop, paid_by`

// The jobs that are recomputed: one SQL over other windows.
const (
	tumbling = "tumbling"
	deduped  = "dedup"
	hopping  = "hopping"
	sessions = "sessions"
)

// salesJob is one of the jobs, by partitions of a grain.
func salesJob(grain window.Grain, name string) window.Job {
	job := window.Job{
		Name: "sales_quarterly", Inputs: window.FromStream("sales"), Window: window.Window{Kind: window.Tumbling, Size: 15 * time.Minute}, Grain: grain,
		Key: []string{"window_start", "shop", "paid_by"}, SQL: salesSQL,
	}
	switch name {
	case deduped:
		job.Dedup = &window.Dedup{Key: []string{"id"}, Keep: window.KeepLast}
	case hopping:
		job.Window = window.Window{Kind: window.Hopping, Size: time.Hour, Every: 15 * time.Minute}
	case sessions:
		job.Window = window.Window{Kind: window.Session, Gap: 10 * time.Minute, Max: 6 * time.Hour, By: []string{"shop", "paid_by"}}
	}
	return job
}

// plainWindows is a query of a day's rows with their windows, as somebody would write it
// who has the engine alone.
func plainWindows(rows, name string) string {
	const quarter = "epoch_us(event_time) - epoch_us(event_time) % 900000000"
	switch name {
	case deduped:
		return fmt.Sprintf("SELECT make_timestamptz(%s) AS window_start, * FROM %s QUALIFY row_number() OVER (PARTITION BY id ORDER BY position DESC) = 1", quarter, rows)
	case hopping:
		return fmt.Sprintf(`SELECT make_timestamptz(start) AS window_start, *
FROM (SELECT *, unnest(range(%[1]s - 2700000000, %[1]s + 1, 900000000)) AS start FROM %[2]s)
WHERE start >= %[3]d`, quarter, rows, firstDay.UnixMicro())
	case sessions:
		return fmt.Sprintf(plainSessions, rows)
	}
	return fmt.Sprintf("SELECT make_timestamptz(%s) AS window_start, * FROM %s", quarter, rows)
}

// plainSessions numbers the runs of rows, and cuts those that are longer than six hours.
const plainSessions = `SELECT min(event_time) OVER (PARTITION BY shop, paid_by, run, piece) AS window_start, *
FROM (
  SELECT *, if(max(event_time) OVER same - min(event_time) OVER same > INTERVAL 6 HOURS, epoch_us(event_time) // 21600000000, NULL) AS piece
  FROM (
    SELECT *, sum(begins::INT) OVER (PARTITION BY shop, paid_by ORDER BY event_time, position) AS run
    FROM (
      SELECT *, coalesce(event_time - lag(event_time) OVER (PARTITION BY shop, paid_by ORDER BY event_time, position) >= INTERVAL 10 MINUTES, true) AS begins
      FROM %s
    )
  )
  WINDOW same AS (PARTITION BY shop, paid_by, run)
)`
