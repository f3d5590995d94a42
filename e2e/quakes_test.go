package e2e

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// quakeLines are the real earthquakes, one JSON object a line, in the order in
// which they arrived.
func quakeLines(t *testing.T) [][]byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/quakes.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

// group is one row of the table, by window and net.
type group struct {
	quakes    int64
	strongest *big.Rat // nil: NULL
	checksum  int64
}

// straight computes the table from the lines by other means than the program:
// no engine, no log, no partitions. Lines may repeat; an id counts once.
func straight(t *testing.T, lines [][]byte) map[string]string {
	t.Helper()
	seen := map[string]bool{}
	groups := map[string]*group{}
	for _, line := range lines {
		var q struct {
			ID      string
			Net     string
			Time    int64
			Updated int64
			Mag     *json.Number
		}
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		if err := decoder.Decode(&q); err != nil {
			t.Fatal(err)
		}
		if seen[q.ID] {
			continue
		}
		seen[q.ID] = true
		key := time.UnixMilli(q.Time).UTC().Truncate(time.Hour).Format("2006-01-02T15") + " " + q.Net
		g := groups[key]
		if g == nil {
			g = &group{}
			groups[key] = g
		}
		g.quakes++
		g.checksum += q.Updated % 1000
		if q.Mag == nil {
			continue
		}
		mag, ok := new(big.Rat).SetString(q.Mag.String())
		if !ok {
			t.Fatalf("magnitude %q", *q.Mag)
		}
		if g.strongest == nil || mag.Cmp(g.strongest) > 0 {
			g.strongest = mag
		}
	}
	rows := map[string]string{}
	for key, g := range groups {
		strongest := ""
		if g.strongest != nil {
			strongest = g.strongest.FloatString(3)
		}
		rows[key] = fmt.Sprintf("%d %s %d", g.quakes, strongest, g.checksum)
	}
	return rows
}

// published reads the table with the program. A row that is there twice is an
// error.
func (w *world) published() map[string]string {
	w.t.Helper()
	text := w.run("query", "--format", "csv", "SELECT strftime(window_start, '%Y-%m-%dT%H'), net, quakes, strongest, checksum FROM quakes_hourly")
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		w.t.Fatal(err)
	}
	rows := map[string]string{}
	for _, r := range records[1:] {
		key := r[0] + " " + r[1]
		if _, twice := rows[key]; twice {
			w.t.Errorf("row %s is published twice", key)
		}
		rows[key] = fmt.Sprintf("%s %s %s", r[2], r[3], r[4])
	}
	return rows
}

// compare reports how two tables differ.
func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	wrong := 0
	for key, row := range want {
		if got[key] != row {
			wrong++
			if wrong <= 5 {
				t.Errorf("row %s is %q, want %q", key, got[key], row)
			}
		}
	}
	for key, row := range got {
		if _, ok := want[key]; !ok {
			wrong++
			if wrong <= 5 {
				t.Errorf("row %s is %q, want none", key, row)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d rows differ of %d", wrong, len(want))
	}
}

// arrivals cuts the lines into n files of random size, in random order, of
// which some repeat lines of others.
func (w *world) arrivals(lines [][]byte, n int) (files []string, rows int) {
	w.t.Helper()
	cuts := []int{0, len(lines)}
	for len(cuts) < n+1 {
		if cut := w.random.IntN(len(lines)); !slices.Contains(cuts, cut) {
			cuts = append(cuts, cut)
		}
	}
	slices.Sort(cuts)
	for i := range n {
		part := slices.Clone(lines[cuts[i]:cuts[i+1]])
		if w.random.IntN(3) == 0 {
			from := w.random.IntN(len(lines) - 20)
			part = append(part, lines[from:from+1+w.random.IntN(19)]...)
		}
		name := fmt.Sprintf("arrivals/%02d.ndjson", i)
		if err := os.WriteFile(w.dir+"/"+name, append(bytes.Join(part, []byte("\n")), '\n'), 0o644); err != nil {
			w.t.Fatal(err)
		}
		files, rows = append(files, name), rows+len(part)
	}
	w.random.Shuffle(n, func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files, rows
}
