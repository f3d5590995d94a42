package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"strandline/internal/duck"
	"strandline/internal/objstore"
	"strandline/manifests"
)

func newQuery(a *app) *cobra.Command {
	var at []string
	var format string
	var printViews, candidate bool
	cmd := &cobra.Command{
		Use:   "query SQL",
		Short: "Read the tables with SQL, each as one snapshot",
		Long: `Run a SELECT over the tables. Each table is read as one snapshot: what is
published while the query runs is not half seen.

--at VERSION reads the past: a number where the SQL names one table, else
TABLE=VERSION for each ("strandline history TABLE" lists them).

--print-views prints, instead of running SQL, statements that give the plain
DuckDB shell views of the same snapshot of every table. They name its files, so
print them again to see newer versions.`,
		Example: `  strandline query "SELECT * FROM events_hourly ORDER BY window_start"
  strandline query --at 3 --format csv "SELECT * FROM events_hourly"
  strandline query --print-views > views.sql && duckdb -init views.sql`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if printViews != (len(args) == 0) {
				return misused(cmd, "give one SELECT, or --print-views")
			}
			if a.json && !cmd.Flags().Changed("format") {
				format = string(duck.FormatJSON)
			}
			f, err := duck.ParseFormat(format)
			if err != nil {
				return misused(cmd, "--%v", err)
			}
			if a.json && f != duck.FormatJSON {
				return misused(cmd, "--json says another format than --format %s", f)
			}
			if (f == duck.FormatParquet || f == duck.FormatArrow) && a.toTerminal() {
				return misused(cmd, "--format %s is not for a terminal: send it to a file or a program", f)
			}
			v, err := parseVersions(at)
			if err != nil {
				return misused(cmd, "%v", err)
			}
			v.candidate = candidate
			if candidate && len(at) > 0 {
				return misused(cmd, "--candidate shows what is held now: it does not go with --at")
			}
			if printViews {
				return a.printViews(cmd, v)
			}
			return a.query(cmd, args[0], v, f)
		},
	}
	cmd.Flags().StringArrayVar(&at, "at", nil, "read as of `VERSION`, or TABLE=VERSION")
	cmd.Flags().StringVar(&format, "format", string(duck.FormatTable), "the `FORMAT`: table, csv, json (one object a line), parquet or arrow (an IPC stream)")
	cmd.Flags().BoolVar(&candidate, "candidate", false, "see held results as if they were released (see strandline held)")
	cmd.Flags().BoolVar(&printViews, "print-views", false, "print SQL for the DuckDB shell that sees the same snapshot")
	return cmd
}

func parseVersions(at []string) (versions, error) {
	v := versions{named: map[string]manifests.Version{}}
	for _, text := range at {
		table, number, named := strings.Cut(text, "=")
		if !named {
			number = text
		}
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return v, fmt.Errorf("--at %s: want a version such as 12, or TABLE=12", text)
		}
		if version := manifests.Version(n); named {
			v.named[table] = version
		} else {
			v.all = &version
		}
	}
	return v, nil
}

func (a *app) query(cmd *cobra.Command, sql string, at versions, format duck.Format) (err error) {
	ctx := cmd.Context()
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	l.threads = runtime.NumCPU() // one query has the machine to itself
	engine, err := l.sql(ctx)
	if err != nil {
		return err
	}
	if err := l.scratch.Mend(); err != nil {
		return err
	}
	tables, err := l.tablesOf(ctx, engine, sql)
	if err != nil {
		return &usageError{command: cmd.CommandPath(), err: err}
	}
	if err := at.check(tables, l.tableNames()); err != nil {
		return misused(cmd, "%v", err)
	}
	return l.answer(ctx, engine, asked{sql, tables, at, format}, a.out)
}

func (l *lake) tableNames() []string {
	var all []string
	for _, j := range l.config.Jobs {
		all = append(all, j.Name)
	}
	return all
}

// tablesOf lists the tables that a query reads.
func (l *lake) tablesOf(ctx context.Context, engine *duck.Engine, sql string) ([]string, error) {
	statement, err := engine.Parse(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(l.readsStream(statement.Tables), statement.CheckInputs(l.tableNames())); err != nil {
		return nil, err
	}
	var read []string
	for _, table := range l.tableNames() {
		for _, name := range statement.Tables {
			if strings.EqualFold(name, table) {
				read = append(read, table)
			}
		}
	}
	return read, nil
}

// readsStream is an error if a query reads a stream and no table is called so.
func (l *lake) readsStream(names []string) error {
	for _, stream := range l.config.Streams {
		is := func(name string) bool { return strings.EqualFold(name, stream.Name) }
		if slices.ContainsFunc(names, is) && !slices.ContainsFunc(l.tableNames(), is) {
			return fmt.Errorf("%s is a stream, and query reads tables (here: %s): strandline receipt TABLE PARTITION --sql prints SQL that shows, in the DuckDB shell, the rows that a partition was computed from",
				stream.Name, strings.Join(l.tableNames(), ", "))
		}
	}
	return nil
}

// check refuses versions of tables that are not read, and one number for
// several tables, whose versions have nothing to do with each other.
func (v versions) check(read, known []string) error {
	for table := range v.named {
		if !slices.Contains(known, table) {
			return fmt.Errorf("--at %s=…: there is no table %q", table, table)
		}
	}
	if v.all != nil && len(read) > 1 {
		return fmt.Errorf("--at %d: the query reads %s, so say which with TABLE=VERSION", *v.all, strings.Join(read, " and "))
	}
	return nil
}

// show gives a session a view of a table's snapshot. Its files are at paths until release,
// but that a sweep may remove them from a folder lake.
func (l *lake) show(ctx context.Context, session *duck.Session, table string, snapshot *manifests.Snapshot) (paths []string, release func(), err error) {
	if snapshot.Definition.Generation == 0 {
		return nil, nil, fmt.Errorf("table %s has nothing published at version %d: strandline run or backfill publishes it", table, snapshot.Version)
	}
	paths, release, err = l.files.Fetch(ctx, files(snapshot))
	if err != nil {
		return nil, nil, fmt.Errorf("fetch the files of table %s at version %d: %w; strandline verify %s tells what is wrong and what can be done, and of older versions strandline check-lake does", table, snapshot.Version, err, table)
	}
	var view strings.Builder
	w := bufio.NewWriter(&view)
	w.WriteString("CREATE TEMP VIEW " + duck.Ident(table) + " AS ")
	writeView(w, snapshot, listOf(paths))
	if err := errors.Join(w.Flush(), session.Exec(ctx, view.String())); err != nil {
		release()
		return nil, nil, fmt.Errorf("open table %s at version %d: %w", table, snapshot.Version, l.files.Gone(err, paths...))
	}
	return paths, release, nil
}

// printViews writes SQL that shows the same snapshots to the plain DuckDB shell.
func (a *app) printViews(cmd *cobra.Command, at versions) (err error) {
	ctx := cmd.Context()
	l, err := a.readLake(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := at.check(l.tableNames(), l.tableNames()); err != nil {
		return misused(cmd, "%v", err)
	}
	w := bufio.NewWriterSize(a.out, viewBuffer)
	w.WriteString(l.prologue())
	for _, table := range l.tableNames() {
		snapshot, err := l.snapshot(ctx, table, at)
		if err != nil {
			return err
		}
		if snapshot.Definition.Generation == 0 {
			fmt.Fprintf(w, "\n-- %s: nothing published yet\n", table)
			continue
		}
		fmt.Fprintf(w, "\n-- %s: version %d, %s\nCREATE OR REPLACE VIEW %s AS\n", table, snapshot.Version, count(int(snapshot.Rows()), "row"), duck.Ident(table))
		writeView(w, snapshot, listIn(l.store.URL(manifests.DataFolder(table)), snapshot.FileNames()))
		w.WriteString(";\n")
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("write to standard output: %w", err)
	}
	return nil
}

// viewBuffer is how many bytes of views are written at a time: they name every file.
const viewBuffer = 64 << 10

// prologue tells the plain shell how to reach the lake. Credentials are not
// printed: the shell's httpfs reads them from the AWS environment.
func (l *lake) prologue() string {
	text := fmt.Sprintf("-- Tables of %s. Open with the DuckDB shell: .read FILE\n", printable(l.config.Lake.String()))
	if _, local := l.store.(objstore.Local); local {
		return text
	}
	text += "-- Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\nINSTALL httpfs;\nLOAD httpfs;\n"
	set := func(name, value string) {
		if value != "" {
			text += fmt.Sprintf("SET %s = %s;\n", name, duck.Literal(value))
		}
	}
	host, plain := strings.CutPrefix(l.config.S3.Endpoint, "http://")
	set("s3_region", l.config.S3.Region)
	set("s3_endpoint", strings.TrimPrefix(host, "https://"))
	if plain {
		text += "SET s3_use_ssl = false;\n"
	}
	if l.config.S3.PathStyle {
		set("s3_url_style", "path")
	}
	return text
}
