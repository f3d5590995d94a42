package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"time"

	_ "github.com/duckdb/duckdb-go/v2" // the engine by itself, to compare with

	"strandline/internal/datafile"
	"strandline/landing"
)

// firstDay is the day that all events are of.
var firstDay = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// The events: sales with an id, of which every twentieth came twice, in random
// order of their time within one day.
const eventsSQL = `
SELECT 'sale-' || CAST(n - (n %% 20 = 0)::INT AS VARCHAR) AS id,
       %d + CAST(hash(n) %% 86400000 AS BIGINT) AS "at",
       'shop-' || CAST(hash(n + 1) %% 500 AS VARCHAR) AS shop,
       (['card', 'cash', 'voucher', 'gift'])[1 + CAST(hash(n + 2) %% 4 AS BIGINT)] AS paid_by,
       CAST(hash(n + 3) %% 100000 AS BIGINT) AS cents,
       CAST(hash(n + 4) %% 100000 AS DECIMAL(9, 0)) / 1000 AS weight,
       'item ' || CAST(hash(n + 5) %% 20000 AS VARCHAR) || ', colour ' || CAST(hash(n + 6) %% 30 AS VARCHAR) AS item
FROM range(%s) t(n)`

var salesSpec = landing.Spec{
	Stream:    "sales",
	EventTime: landing.EventTime{Column: "at", Unit: landing.UnitMillis},
	Columns: []datafile.Column{
		{Name: "id", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "paid_by", Type: datafile.Type{Kind: datafile.Varchar}},
		{Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
		{Name: "weight", Type: datafile.Type{Kind: datafile.Decimal, Precision: 9, Scale: 3}},
		{Name: "item", Type: datafile.Type{Kind: datafile.Varchar}},
	},
}

// salesJSON is the same declaration for the engine's read_json.
const salesJSON = `columns = {id: 'VARCHAR', "at": 'BIGINT', shop: 'VARCHAR', paid_by: 'VARCHAR', cents: 'BIGINT', weight: 'DECIMAL(9,3)', item: 'VARCHAR'}`

func (b bench) eventsFile(rows string) string {
	return filepath.Join(b.dir, "events-"+rows+".ndjson")
}

// makeEvents writes args[0] events as NDJSON, unless that was done before.
func (b bench) makeEvents(ctx context.Context, args []string) (facts, error) {
	path := b.eventsFile(args[0])
	if _, err := os.Stat(path); err == nil {
		return facts{}, nil
	}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return facts{}, err
	}
	events := fmt.Sprintf(eventsSQL, firstDay.UnixMilli(), args[0])
	err := duckDB(ctx, 1, func(db *sql.Conn) error {
		_, err := db.ExecContext(ctx, fmt.Sprintf("COPY (%s) TO '%s' (FORMAT json)", events, path+".new"))
		return err
	})
	if err != nil {
		return facts{}, err
	}
	return facts{}, os.Rename(path+".new", path)
}

// duckDB opens the plain engine with that many threads and as much memory as
// ours has.
func duckDB(ctx context.Context, threads int, do func(*sql.Conn) error) error {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("SET threads = %d; SET memory_limit = '1GB'; SET TimeZone = 'UTC'", threads)); err != nil {
		return err
	}
	return do(conn)
}
