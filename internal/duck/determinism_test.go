package duck

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the check says into testdata/determinism")

// determinismColumns are the declared columns of the input that the queries of
// testdata/determinism read, beside those that every input has.
const determinismColumns = "id VARCHAR, kind VARCHAR, shop VARCHAR, qty INTEGER, amount DECIMAL(18,2), price DOUBLE, day DATE, ok BOOLEAN, big BIGINT, body VARCHAR"

// emptyInput makes the relation events as a job sees it, without rows.
func emptyInput(t testing.TB, s *Session) {
	t.Helper()
	sql := "CREATE TEMP VIEW events AS SELECT NULL::TIMESTAMPTZ AS window_start, NULL::TIMESTAMPTZ AS window_end, " +
		"NULL::BIGINT AS position, NULL::TIMESTAMPTZ AS event_time, NULL::TIMESTAMPTZ AS landed_at, NULL::VARCHAR AS source, NULL::BIGINT AS source_position"
	for _, c := range strings.Split(determinismColumns, ", ") {
		name, typ, _ := strings.Cut(c, " ")
		sql += ", NULL::" + typ + " AS " + name
	}
	if err := s.Exec(t.Context(), sql+", NULL::VARCHAR AS extra WHERE false"); err != nil {
		t.Fatal(err)
	}
}

// checkSQL parses and checks a statement over events.
func checkSQL(t testing.TB, e *Engine, sql string) error {
	t.Helper()
	s, err := e.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	emptyInput(t, s)
	st, err := e.Parse(t.Context(), sql)
	if err != nil {
		return err
	}
	return s.CheckJob(t.Context(), st, []JobInput{{Name: "events", Unique: []string{"position"}}})
}

// said is the outcome of a check as testdata has it, each line after "=> ".
func said(err error) string {
	if err == nil {
		return "=> accepted"
	}
	text := strings.TrimSpace(err.Error())
	if refusals, ok := errors.AsType[Refusals](err); ok && len(refusals) > 0 {
		text = strings.ReplaceAll(text, "\n  ", "\n")
	}
	return "=> " + strings.ReplaceAll(text, "\n", "\n=> ")
}

// TestTheCheckSaysWhatTestdataSays reads lists of queries: blocks with a blank
// line between, each an SQL and, after =>, what the check says of it.
func TestTheCheckSaysWhatTestdataSays(t *testing.T) {
	e, _ := open(t, Options{})
	files, err := filepath.Glob("../../testdata/determinism/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata:", err)
	}
	total := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var blocks []string
		for _, block := range strings.Split(strings.TrimSpace(string(content)), "\n\n") {
			sql, want, _ := strings.Cut(block, "\n=>")
			got := said(checkSQL(t, e, uncommented(sql)))
			if strings.TrimSpace("=>"+want) != got && !*update {
				t.Errorf("%s\n%s\ngot:\n%s\nwant:\n=>%s", filepath.Base(file), sql, got, want)
			}
			accepted := got == "=> accepted"
			if accepted != strings.HasPrefix(filepath.Base(file), "accepted") {
				t.Errorf("%s\n%s\nstands in the wrong file: %s", filepath.Base(file), sql, got)
			}
			blocks = append(blocks, sql+"\n"+got)
			total++
		}
		if *update {
			if err := os.WriteFile(file, []byte(strings.Join(blocks, "\n\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if total < 150 {
		t.Errorf("only %d queries", total)
	}
}

// uncommented drops the lines that start with #, which tell what a block is.
func uncommented(block string) string {
	var lines []string
	for _, line := range strings.Split(block, "\n") {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
