package duck

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/internal/datafile"
)

// segment writes a segment's file of n rows an hour apart from the given hour
// of 2026 on, with the extra select list, and returns its path.
func segment(t *testing.T, s *Session, path string, n, hour int, columns string) string {
	t.Helper()
	sql := fmt.Sprintf(`COPY (SELECT i AS "__offset", TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_hours(CAST(%d + i AS INTEGER)) AS event_time,
		TIMESTAMPTZ '2026-02-01 00:00:00+00' AS landed_at, 'src' AS source, i + 1 AS source_position, %s NULL::VARCHAR AS extra
		FROM range(%d) r(i)) TO %s (FORMAT parquet, ROW_GROUP_SIZE 2048)`, hour, columns, n, Literal(path))
	writer, err := Open(t.Context(), Options{Scratch: filepath.Dir(path)})
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	must(t, session(t, writer), sql)
	return path
}

func inFolder(t *testing.T, folder string) string {
	t.Helper()
	in := filepath.Join(folder, "in")
	if err := os.MkdirAll(in, 0o755); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestInputsHavePositionsAndAllDeclaredColumns(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	in := inFolder(t, folder)
	files := []InputFile{
		{Path: segment(t, s, filepath.Join(in, "it's a.parquet"), 10, 0, "i::INTEGER AS mag,"), Base: 100},
		{Path: segment(t, s, filepath.Join(in, "b.parquet"), 10, 5, "i::BIGINT AS mag, 'n' || i AS net,"), Base: 9_000_000_000},
	}
	columns := []datafile.Column{column(t, "net VARCHAR"), column(t, "mag DECIMAL(6,3)"), column(t, "new DATE")}
	if err := s.InputView(t.Context(), "the quakes", files, columns); err != nil {
		t.Fatal(err)
	}
	got, err := s.Describe(t.Context(), `SELECT * FROM "The Quakes"`)
	if err != nil {
		t.Fatal(err)
	}
	want := "position BIGINT, event_time TIMESTAMP WITH TIME ZONE, landed_at TIMESTAMP WITH TIME ZONE, source VARCHAR, source_position BIGINT, net VARCHAR, mag DECIMAL(6,3), new DATE, extra VARCHAR"
	if text := joined(got, func(c datafile.Column) string { return c.Name + " " + c.Type.String() }); text != want {
		t.Errorf("columns %s\nwant    %s", text, want)
	}
	const sums = `SELECT count(*) || ' ' || sum(position) || ' ' || sum(mag) || ' ' || count(net) || ' ' || count("new") || ' ' || min(position) FILTER (net = 'n3') FROM "the quakes"`
	if got := one(t, s, sums); got != fmt.Sprintf("20 %d 90.000 10 0 9000000003", 100*10+45+90_000_000_000+45) {
		t.Error(got)
	}
	for _, hidden := range []string{"rowid", "filename", "file_index", "file_row_number", `"__offset"`} {
		if _, err := s.Describe(t.Context(), `SELECT `+hidden+` AS x FROM "the quakes"`); err == nil {
			t.Errorf("%s can be seen", hidden)
		}
	}
}

func TestAnInputWithoutFilesHasTypesAndNoRows(t *testing.T) {
	e, _ := open(t, Options{})
	s := session(t, e)
	if err := s.InputView(t.Context(), "q", nil, []datafile.Column{column(t, "mag DECIMAL(6,3)")}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Describe(t.Context(), "FROM q")
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 7 || got[5] != column(t, "mag DECIMAL(6,3)") {
		t.Errorf("columns %v", got)
	}
	if n := one(t, s, "SELECT count(*) FROM q"); n != int64(0) {
		t.Errorf("%v rows", n)
	}
}

func TestInputsReadOnlyTheRowGroupsAndColumnsAsked(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	in := inFolder(t, folder)
	var files []InputFile
	for i := range 3 {
		path := segment(t, s, filepath.Join(in, fmt.Sprintf("%d.parquet", i)), 20480, i*20480, "i AS mag, 'n' AS net,")
		files = append(files, InputFile{Path: path, Base: int64(i) * 20480})
	}
	if err := s.InputView(t.Context(), "q", files, []datafile.Column{column(t, "net VARCHAR"), column(t, "mag BIGINT"), column(t, "late BIGINT")}); err != nil {
		t.Fatal(err)
	}
	row, err := s.row(t.Context(), "EXPLAIN ANALYZE SELECT sum(mag), max(position), count(late) FROM q WHERE event_time >= TIMESTAMPTZ '2026-01-03 00:00:00+00' AND event_time < TIMESTAMPTZ '2026-01-04 00:00:00+00'")
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(strings.FieldsFunc(fmt.Sprint(row[1]), func(r rune) bool { return strings.ContainsRune("│┌┐└┘─┬┴├┤\n ", r) }), " ")
	scan := plan[strings.LastIndex(plan, "TABLE_SCAN"):]
	if !strings.Contains(scan, "Filters: event_time>=") || strings.Contains(scan, "net") || !strings.Contains(scan, " 24 rows") {
		t.Errorf("the scan is not narrow: %s", scan)
	}
	if strings.Contains(plan, "EMPTY_RESULT") || strings.Contains(plan, " FILTER ") {
		t.Errorf("the plan keeps more than a scan: %s", plan)
	}
}

func TestBrokenFilesAreToldFromBrokenSQL(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	in := inFolder(t, folder)
	whole := segment(t, s, filepath.Join(in, "whole.parquet"), 20480, 0, "hash(i) AS mag,")
	content, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	turned := append([]byte{}, content...)
	for i := range 400 {
		turned[20_000+i] ^= 0x5a
	}
	for name, content := range map[string][]byte{
		"missing": nil, "empty": {}, "short": content[:30_000], "turned": turned, "noise": turned[10_000:15_000],
	} {
		path := filepath.Join(in, name)
		if content != nil {
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		err := s.InputView(t.Context(), "q", []InputFile{{Path: path}}, []datafile.Column{column(t, "mag UBIGINT")})
		if err == nil {
			_, err = s.CopySorted(t.Context(), "SELECT max(mag) AS m, max(position) AS p, max(event_time) AS e FROM q", nil, filepath.Join(folder, "scratch", "x"))
		}
		if !errors.Is(err, ErrIO) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.InputView(t.Context(), "q", []InputFile{{Path: whole}}, nil); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT nope FROM q", "SELECT error('broken') AS x FROM q", "SELECT CAST(source AS INTEGER) AS x FROM q"} {
		if _, err := s.CopySorted(t.Context(), sql, nil, filepath.Join(folder, "scratch", "x")); err == nil || errors.Is(err, ErrIO) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestPathsAreNeverPatterns(t *testing.T) {
	e, folder := open(t, Options{})
	s := session(t, e)
	in := inFolder(t, folder)
	odd := filepath.Join(in, "[a]*?.parquet")
	files := []InputFile{{Path: segment(t, s, filepath.Join(in, "a1.parquet"), 5, 0, "")}, {Path: odd, Base: 5}}
	content, err := os.ReadFile(files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(odd, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.InputView(t.Context(), "q", files, nil); err != nil {
		t.Fatal(err)
	}
	if got := one(t, s, "SELECT count(*) || ' ' || max(position) FROM q"); got != "10 9" {
		t.Error(got)
	}
}

func TestInputsRefuseAColumnThatHidesTheirOwn(t *testing.T) {
	for _, name := range []string{"__offset", "FILE_INDEX"} {
		_, err := InputSQL(nil, []datafile.Column{{Name: name, Type: datafile.Type{Kind: datafile.BigInt}}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
