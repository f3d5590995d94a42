package duck

// advice says why functions are refused and what to write instead; a name may
// have a * at its end or within. The first that fits holds.
type advice struct {
	names      []string
	why, write string
}

const (
	whyClock    = "reads the clock, so that every run has another result"
	writeClock  = "use event_time, window_start or window_end, or landed_at, which stays what it was when the row landed"
	whyRandom   = "makes another value each time"
	writeRowID  = "use position, which tells a row from all others"
	writeRandom = "make it of the row, as in hash(position) or md5(id)"
	whyOrder    = "depends on the order of rows, which is not part of the data"
	whyUnlisted = "is not known to be a pure function of its arguments"
)

var functionAdvice = []advice{
	{[]string{"now", "today", "ago", "current_date", "current_time", "current_timestamp", "get_current_*", "current_localtime*",
		"localtime", "localtimestamp", "transaction_timestamp", "pg_postmaster_start_time", "pg_conf_load_time"}, whyClock, writeClock},
	{[]string{"random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "setseed"}, whyRandom, writeRandom},
	{[]string{"nextval", "currval"}, "counts the runs too", "number rows with row_number() OVER (ORDER BY position), or use position itself"},
	{[]string{"read_*", "parquet_*", "sniff_csv", "glob", "arrow_scan*"}, "reads what is not an input", "land the file in a stream and read that"},
	{[]string{"getenv", "getvariable", "current_setting"}, "reads the process's environment or settings", "write the value itself"},
	{[]string{"query", "query_table", "json_execute_serialized_sql"}, "runs SQL that is not to be seen here", "write the query itself"},
	{[]string{"current_user", "session_user", "user", "current_role", "current_catalog", "current_database", "current_schema*",
		"current_query*", "current_connection_id", "current_transaction_id", "txid_current", "version", "in_search_path", "inet_*"},
		"depends on where and by whom it is run", "write the value itself"},
	{[]string{"error", "sleep_ms", "pg_sleep", "write_log"}, "does something besides returning a value", "leave it out; expectations belong to the job's checks"},
	{[]string{"duckdb_*", "pragma_*", "pg_*", "has_*_privilege", "*_description", "format_type", "get_block_size", "which_secret"},
		"reads the engine's catalog, which is not an input", "use an input of the job"},
	{[]string{"stats", "vector_type", "typeof_*"}, "tells how rows are stored, not what they hold", "leave it out"},
	{[]string{"approx_count_distinct"}, "is approximate", "count(DISTINCT …) is exact"},
	{[]string{"approx_quantile", "reservoir_quantile"}, "is approximate and depends on the order of rows", "quantile_disc(…) and quantile_cont(…) are exact"},
	{[]string{"approx_top_k"}, "is approximate and depends on the order of rows", "count with GROUP BY, then row_number() OVER (ORDER BY n DESC, value)"},
	{[]string{"mode"}, whyOrder + " where two values are equally frequent", "count with GROUP BY, then arg_max(value, (n, value))"},
	{[]string{"histogram*"}, "is not among the aggregates that were measured", "count with GROUP BY"},
	{[]string{"entropy", "list_entropy"}, "adds floats in the order of a hash table", "count with GROUP BY and compute it in DECIMAL"},
	{[]string{"json_group_array"}, whyOrder, "write to_json(list(… ORDER BY position))"},
	{[]string{"json_group_object", "json_group_structure"}, whyOrder, "write to_json(map_from_entries(list((key, value) ORDER BY position)))"},
	{[]string{"geomean", "geometric_mean"}, "adds floats, which are rounded at each step", "write exp(avg(ln(…) ORDER BY position))"},
	{[]string{"fill"}, "fills gaps with floats between neighbours", "write lag() and lead() OVER (… ORDER BY position)"},
	{[]string{"icu_collate_*", "icu_sort_key", "create_sort_key"}, "goes by a collation", "order by lower(…), or by the text as it is"},
	{[]string{"repeat", "repeat_row", "summary", "test_*", "seq_scan"}, "is not among the functions that FROM may have in a job", "use an input, or range(), generate_series(), unnest(), json_each() or json_tree()"},
	{[]string{"parse_dirname", "parse_dirpath", "parse_filename", "parse_path"}, "goes by the machine's separator of paths", "use string_split(…, '/')"},
}

// adviceFor says why a function that is not allowed is refused, and what to
// write instead.
func adviceFor(name string) (why, write string) {
	for _, a := range functionAdvice {
		for _, pattern := range a.names {
			if matches(pattern, name) {
				return a.why, a.write
			}
		}
	}
	return whyUnlisted, "use another function; those that jobs may call are listed in the documentation of determinism"
}
