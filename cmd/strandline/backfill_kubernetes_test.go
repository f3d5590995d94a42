package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a cluster would never be asked is told before anything is planned.
func TestABackfillThatNoClusterCanRunIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "strandline.yaml")
	text := `lake: ./lake
streams: {events: {format: ndjson, event_time: {column: at, unit: ms}, columns: {id: BIGINT}}}
jobs: {hourly: {from: events, window: {tumbling: 1h}, partition: hour, key: [window_start], sql: "SELECT window_start, count(*) AS n FROM events GROUP BY window_start"}}
`
	for _, c := range []struct{ config, args, want string }{
		{"", "--on mars", "--on mars: want kubernetes"},
		{"", "--detach", "go with --on kubernetes"},
		{"", "--slices 3", "go with --on kubernetes"},
		{"", "--on kubernetes --slices 1001", "--slices 1001: want 1 to 1000"},
		{"", "--on kubernetes --shard 0/2", "leave out --shard"},
		{"", "--on kubernetes --write-plan", "leave out --shard and --write-plan"},
		{"", "--on kubernetes", "kubernetes is missing"},
		{"kubernetes: {image: x}", "--on kubernetes", "no pod has: mount it"},
	} {
		if err := os.WriteFile(file, []byte(text+c.config), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-c", file, "backfill", "hourly", "--last", "7d"}, strings.Fields(c.args)...)
		if r := strandline(t, args...); r.code != exitUsage || !strings.Contains(r.err, c.want) {
			t.Errorf("%s: exit %d, %s\nwant %s", c.args, r.code, r.err, c.want)
		}
	}
}
