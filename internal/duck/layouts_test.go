package duck

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strandline/internal/datafile"
)

// layoutRows is how many rows the input has: some row groups of the engine's
// vectors, and more than one a thread.
const layoutRows = 6000

// layouts are ways to store the same rows: how many files, by what order of
// rows, and rows in a row group.
var layouts = []struct {
	files    int
	order    string
	rowGroup int
	threads  int
}{
	{1, "position", 122880, 1},
	{3, "hash(position)", 2048, 2},
	{7, "hash(position + 1)", 2048, 4},
	{3, "-position", 2048, 4},
	{5, "hash(position * 7)", 4096, 1},
	{7, "id, -position", 2048, 2},
}

// eventsSQL makes the rows: many ties, NULLs, floats of all sizes, both zeros.
const eventsSQL = `SELECT position, TIMESTAMPTZ '2026-03-01 00:00:00+00' + to_minutes(CAST(hash(position, 1) % 600 AS INTEGER)) AS event_time,
	TIMESTAMPTZ '2026-04-01 00:00:00+00' AS landed_at, 'src' AS source, position + 1 AS source_position,
	'id' || (hash(position, 2) % 500) AS id,
	CASE WHEN hash(position, 3) % 11 > 0 THEN 'k' || (hash(position, 3) % 7) END AS kind,
	's' || (hash(position, 4) % 5) AS shop,
	CASE WHEN hash(position, 5) % 13 > 0 THEN CAST(hash(position, 5) % 10 AS INTEGER) END AS qty,
	CAST(CAST(hash(position, 6) % 100000 AS BIGINT) - 50000 AS DECIMAL(18,2)) / 100 AS amount,
	CASE hash(position, 7) % 9 WHEN 0 THEN 0.0::DOUBLE WHEN 1 THEN -(0.0::DOUBLE) WHEN 2 THEN NULL WHEN 3 THEN 1e16 * (hash(position, 8) % 3)
		WHEN 4 THEN 0.1 * (hash(position, 8) % 20) WHEN 5 THEN -1e-9 * (hash(position, 8) % 1000)
		WHEN 6 THEN (hash(position, 8) % 1000) / 7 ELSE (hash(position, 8) % 5)::DOUBLE - 2 END AS price,
	DATE '2026-03-01' AS day, hash(position, 9) % 3 = 0 AS ok, CAST(hash(position, 10) >> 2 AS BIGINT) AS big,
	'{"a": ' || (hash(position, 11) % 4) || '}' AS body, NULL::VARCHAR AS extra
	FROM range(ROWS) r(position)`

// layoutSessions opens a session of an engine for each layout, with events in it.
func layoutSessions(t *testing.T) []*Session {
	t.Helper()
	writer, folder := open(t, Options{})
	in := inFolder(t, folder)
	w := session(t, writer)
	must(t, w, "CREATE TEMP TABLE rows AS "+strings.Replace(eventsSQL, "ROWS", strconv.Itoa(layoutRows), 1))
	var columns []datafile.Column
	for _, c := range strings.Split(determinismColumns, ", ") {
		columns = append(columns, column(t, c))
	}
	var sessions []*Session
	for i, layout := range layouts {
		var files []InputFile
		for k := range layout.files {
			path := filepath.Join(in, fmt.Sprintf("%d-%d.parquet", i, k))
			// A file has whichever rows; a row's position is all that holds it.
			must(t, w, fmt.Sprintf("COPY (SELECT position - %d AS %s, * EXCLUDE (position) FROM rows WHERE hash(position, %d) %% %d = %d ORDER BY %s) TO %s (FORMAT parquet, ROW_GROUP_SIZE %d)",
				100*k, Ident(columnOffset), i, layout.files, k, layout.order, Literal(path), layout.rowGroup))
			files = append(files, InputFile{Path: path, Base: int64(100 * k)})
		}
		e, err := Open(t.Context(), Options{Scratch: filepath.Join(folder, "scratch-"+strconv.Itoa(i)), Readable: []string{in}, Threads: layout.threads})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		s := session(t, e)
		if err := s.InputView(t.Context(), "landed rows", files, columns); err != nil {
			t.Fatal(err)
		}
		must(t, s, `CREATE TEMP VIEW events AS SELECT date_trunc('hour', event_time) AS window_start, date_trunc('hour', event_time) + INTERVAL 1 HOUR AS window_end, * FROM "landed rows"`)
		sessions = append(sessions, s)
	}
	return sessions
}

// digestOf digests the rows of a query as receipts do: whatever their order,
// and with one zero.
func digestOf(t *testing.T, s *Session, sql string) (string, error) {
	rows, err := s.Query(t.Context(), sql)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var lines []string
	for {
		values, err := rows.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", err
		}
		var b strings.Builder
		for _, v := range values {
			switch x := v.(type) {
			case float64:
				if x == 0 || math.IsNaN(x) {
					x = math.Abs(x)
				}
				fmt.Fprintf(&b, "%b|", x)
			default:
				fmt.Fprintf(&b, "%v|", v)
			}
		}
		lines = append(lines, b.String())
	}
	slices.Sort(lines)
	return fmt.Sprintf("%d rows %x", len(lines), sha256.Sum256([]byte(strings.Join(lines, "\n")))), nil
}

// sameEverywhere fails where a query has two results.
func sameEverywhere(t *testing.T, sessions []*Session, sql string) (ran bool) {
	t.Helper()
	first := ""
	for i, s := range sessions {
		digest, err := digestOf(t, s, sql)
		if err != nil {
			if i == 0 && os.Getenv("STRANDLINE_VERBOSE") != "" {
				t.Logf("%v\n%s", err, sql)
			}
			return false // fails on these rows: it publishes nothing
		}
		if first == "" {
			first = digest
		}
		if digest != first {
			t.Errorf("accepted, but layout %d has %s, and layout 0 has %s:\n%s", i, digest, first, sql)
			return true
		}
	}
	return true
}

// TestAcceptedQueriesOfTestdataHaveOneResult runs all accepted queries over
// several layouts of the same rows with several numbers of threads.
func TestAcceptedQueriesOfTestdataHaveOneResult(t *testing.T) {
	content, err := os.ReadFile("../../testdata/determinism/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	sessions := layoutSessions(t)
	for _, block := range strings.Split(strings.TrimSpace(string(content)), "\n\n") {
		sql, _, _ := strings.Cut(block, "\n=>")
		sameEverywhere(t, sessions, uncommented(sql))
	}
}

// TestNoAcceptedQueryHasTwoResults makes random queries, and runs those that
// the check accepts. STRANDLINE_QUERIES and STRANDLINE_SEED say how many and
// from which seed.
func TestNoAcceptedQueryHasTwoResults(t *testing.T) {
	queries, seed := fromEnv("STRANDLINE_QUERIES", 250), fromEnv("STRANDLINE_SEED", 1)
	t.Logf("seed %d", seed)
	sessions := layoutSessions(t)
	accepted, ran, unbound := 0, 0, 0
	for i := range queries {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
		sql, _ := g.query(2, false)
		err := checkSQL(t, sessions[0].engine, sql)
		if _, refused := errors.AsType[Refusals](err); err != nil && !refused {
			unbound++
			continue
		}
		if err != nil {
			continue
		}
		accepted++
		if sameEverywhere(t, sessions, sql) {
			ran++
		}
	}
	t.Logf("%d queries: %d could not be bound, %d were accepted, %d of them ran", queries, unbound, accepted, ran)
	if accepted*10 < queries || ran*2 < accepted {
		t.Errorf("of %d queries only %d were accepted and %d ran: too few to say anything", queries, accepted, ran)
	}
}

func fromEnv(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
