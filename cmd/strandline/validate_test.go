package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// validConfig is a configuration over a lake that can't be reached.
const validConfig = `
lake: s3://nowhere/at-all
s3: {endpoint: "http://127.0.0.1:1", region: us-east-1}
streams:
  quakes:
    format: ndjson
    event_time: {column: time, unit: ms}
    columns: {id: VARCHAR, mag: DOUBLE, net: VARCHAR}
jobs:
`

// job is a declared job with the SQL.
func declaredJob(name, sql string) string {
	return "  " + name + ":\n    from: quakes\n    window: {tumbling: 1h}\n    partition: day\n    key: [window_start, net]\n    sql: |\n      " +
		strings.ReplaceAll(sql, "\n", "\n      ") + "\n"
}

func writeConfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "strandline.yaml")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	soundSQL   = "SELECT window_start, net, count(*) AS n, max(mag) AS most\nFROM quakes GROUP BY ALL"
	unsoundSQL = "SELECT window_start, net,\n       sum(mag) AS total, now() AS at\nFROM quakes GROUP BY ALL"
	oddSQL     = "SELECT window_start, net, sum(1) AS n FROM quakes GROUP BY ALL"
)

func TestValidateNeedsNoLake(t *testing.T) {
	path := writeConfig(t, validConfig+declaredJob("sound", soundSQL))
	r := strandline(t, "validate", "-c", path)
	if r.code != exitDone || !regexp.MustCompile(`^sound: ok, fingerprint \S{40,}\n  window_start TIMESTAMP WITH TIME ZONE\n  net VARCHAR\n  n BIGINT\n  most DOUBLE\n$`).MatchString(r.out) {
		t.Errorf("%+v", r)
	}
}

func TestValidateAcceptsWhatWeShip(t *testing.T) {
	dir := t.TempDir()
	if r := strandline(t, "init", dir); r.code != exitDone || !strings.Contains(r.out, "strandline validate") {
		t.Fatalf("%+v", r)
	}
	for _, path := range []string{filepath.Join(dir, "strandline.yaml"), "../../tools/demo/strandline.yaml"} {
		if r := strandline(t, "validate", "-c", path); r.code != exitDone || !strings.Contains(r.out, ": ok, ") {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "lake")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("validate made a lake: %v", err)
	}
}

func TestValidateTellsAllThatIsWrongOfAllJobs(t *testing.T) {
	path := writeConfig(t, validConfig+declaredJob("sound", soundSQL)+declaredJob("unsound", unsoundSQL)+declaredJob("odd", oddSQL))
	r := strandline(t, "validate", "-c", path)
	if r.code != exitUsage {
		t.Errorf("exit %d", r.code)
	}
	for _, want := range []string{
		"sound: ok, ", "unsound: refused", "\n  line 2, column 8: sum() adds floats", "\n  line 2, column 27: now() reads the clock", "odd: column \"n\" has type HUGEINT",
	} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in %s", want, r.out)
		}
	}
	if !strings.Contains(r.err, "2 jobs of 3") {
		t.Errorf("notes %q", r.err)
	}
	if r := strandline(t, "validate", "-c", path, "sound"); r.code != exitDone {
		t.Errorf("the sound job alone: %+v", r)
	}
	if r := strandline(t, "validate", "-c", path, "sond"); r.code != exitUsage || !strings.Contains(r.err, "sound") {
		t.Errorf("a misspelled job: %+v", r)
	}
}

func TestValidateTellsPrograms(t *testing.T) {
	path := writeConfig(t, validConfig+declaredJob("unsound", unsoundSQL)+declaredJob("sound", soundSQL))
	r := strandline(t, "validate", "-c", path, "--json")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.code != exitUsage || len(lines) != 2 {
		t.Fatalf("%+v", r)
	}
	var unsound, sound validated
	for line, into := range map[string]*validated{lines[0]: &unsound, lines[1]: &sound} {
		if err := json.Unmarshal([]byte(line), into); err != nil {
			t.Fatal(err)
		}
	}
	if unsound.OK || len(unsound.Refusals) != 2 || unsound.Refusals[1].What != "now()" || unsound.Refusals[1].Line != 2 || unsound.Refusals[1].Column != 27 {
		t.Errorf("%+v", unsound)
	}
	if !sound.OK || len(sound.Columns) != 4 || sound.Fingerprint == "" {
		t.Errorf("%+v", sound)
	}
}

// TestNoCommandRunsARefusedJob holds commands to the check: whichever compiles
// a job ends with the same code.
func TestNoCommandRunsARefusedJob(t *testing.T) {
	config := strings.NewReplacer("s3://nowhere/at-all", "./lake", `s3: {endpoint: "http://127.0.0.1:1", region: us-east-1}`, "").Replace(validConfig)
	path := writeConfig(t, config+declaredJob("unsound", unsoundSQL))
	for _, args := range [][]string{
		{"validate"}, {"plan"}, {"run"}, {"status"}, {"verify", "unsound"}, {"reconcile", "unsound"},
		{"backfill", "unsound", "--from", "2026-03-01", "--to", "2026-03-02"}, {"replay", "unsound", "--from-position", "0"},
	} {
		r := strandline(t, append(args, "-c", path)...)
		if r.code != exitUsage || !strings.Contains(r.out+r.err, "line 2, column 27: now()") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// A name that is mistyped is no want of purity.
func TestValidateTellsWhatIsNoInputAsThat(t *testing.T) {
	path := writeConfig(t, validConfig+declaredJob("mistyped", "SELECT window_start, count(*) AS n FROM quaks GROUP BY 1"))
	r := strandline(t, "validate", "-c", path)
	for _, want := range []string{"mistyped: refused, since it reads what is not one of its inputs\n", `table "quaks" is not an input: read one of: `, "is one once from: names it"} {
		if r.code != exitUsage || !strings.Contains(r.out, want) {
			t.Errorf("no %q in %+v", want, r)
		}
	}
}
