package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// narrowed is a lake whose stream has rejects because its cents are too narrow, and one
// because it is no JSON.
func narrowed(t *testing.T) proof {
	t.Helper()
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "cents: BIGINT", "cents: TINYINT", 1))
	p.write("a.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}
{"at":"2026-03-01T10:30:00Z","shop":"y","cents":700}
{"at":"2026-03-01T10:40:00Z"
{"at":"2026-03-01T10:50:00Z","shop":"z","cents":800}
`)
	p.good("land", "sales", p.path("a.ndjson"))
	return p
}

func TestRejectsLandAgainAfterTheDeclarationIsMended(t *testing.T) {
	p := narrowed(t)
	if out := p.good("rejects", "sales", "--by-reason"); strings.Count(out, "\n") != 2 || !strings.HasPrefix(out, "      2  column cents: ") {
		t.Errorf("by reason there are\n%s", out)
	}
	if out := p.good("rejects", "sales", "--retry"); !strings.HasSuffix(out, "landed 0 rejects of stream sales again; 3 still can't be read\n") {
		t.Errorf("nothing was mended, and still\n%s", out)
	}
	p.rewrite("cents: TINYINT", "cents: BIGINT")
	if out := p.good("rejects", "sales", "--retry", "--dry-run"); !strings.HasSuffix(out, "would land 2 rejects of stream sales again; 1 still can't be read\n") {
		t.Errorf("a dry run says\n%s", out)
	}
	if out := p.good("rejects", "sales", "--retry", "--source", "nobody"); out != "landed 0 rejects of stream sales again\n" {
		t.Errorf("of no source there landed\n%s", out)
	}
	out := p.good("rejects", "sales", "--retry")
	if !strings.HasSuffix(out, "landed 2 rejects of stream sales again at positions [1, 3); 1 still can't be read\n") || !strings.Contains(out, "a.ndjson:3: ") {
		t.Errorf("landed again:\n%s", out)
	}
	if out := p.good("rejects", "sales", "--retry", "--json"); !strings.Contains(out, `"landed":0,"left":1`) {
		t.Errorf("a second time:\n%s", out)
	}
	if out := p.good("rejects", "sales"); strings.Count(out, "a.ndjson:") != 1 {
		t.Errorf("pending are\n%s", out)
	}
	if out := p.good("rejects", "sales", "--all"); strings.Count(out, "(has landed again)") != 2 || strings.Count(out, "a.ndjson:") != 3 {
		t.Errorf("all are\n%s", out)
	}
	if out := p.good("status", "--json"); !strings.Contains(out, `"rejects":3`) || !strings.Contains(out, `"pending_rejects":1`) {
		t.Errorf("status says\n%s", out)
	}
	if out := p.good("status"); !strings.Contains(out, "3 rejects, of which 2 landed again") {
		t.Errorf("status says\n%s", out)
	}
	p.good("check-lake", "--deep")
}

func TestRawRejectsOfCSVLandOnceTheyAreMended(t *testing.T) {
	p := narrowed(t)
	p.rewrite("format: ndjson", "format: csv")
	p.write("a.csv", "at,shop,cents\n2026-03-01T10:00:00Z,x,lots\n2026-03-01T11:00:00Z,x,many\n")
	p.good("land", "sales", p.path("a.csv"))
	raw := p.good("rejects", "sales", "--raw", "--source", p.path("a.csv"))
	if raw != "at,shop,cents\n2026-03-01T10:00:00Z,x,lots\n2026-03-01T11:00:00Z,x,many\n" {
		t.Fatalf("the bytes are\n%s", raw)
	}
	p.write("mended.csv", strings.NewReplacer("lots", "1", "many", "2").Replace(raw))
	if out := p.good("land", "sales", p.path("mended.csv")); !strings.Contains(out, "landed 2 rows") {
		t.Errorf("mended, there landed\n%s", out)
	}
	var fact rejectFact
	lines := strings.Split(p.good("rejects", "sales", "--json", "--source", p.path("a.csv")), "\n")
	if err := json.Unmarshal([]byte(lines[0]), &fact); err != nil || fact.Context != "at,shop,cents" || fact.Line != 2 {
		t.Errorf("%v: --json says %s", err, lines[0])
	}
}

func TestRejectsOfADelimiterOnTheCommandLineLandAgain(t *testing.T) {
	p := narrowed(t)
	p.write("a.csv", "at;shop;cents\n2026-03-01T10:00:00Z;x,y;700\n")
	p.good("land", "sales", p.path("a.csv"), "--format", "csv", "--delimiter", ";")
	p.write("b.csv", "at,shop,cents\n2026-03-01T11:00:00Z,x;y,700\n")
	p.good("land", "sales", p.path("b.csv"), "--format", "csv")
	if out := p.good("rejects", "sales", "--json"); !strings.Contains(out, `"delimiter":";"`) {
		t.Errorf("--json says\n%s", out)
	}
	p.rewrite("cents: TINYINT", "cents: BIGINT")
	p.rewrite("format: ndjson", "format: csv\n    delimiter: \"|\"")
	if out := p.good("rejects", "sales", "--retry"); !strings.HasSuffix(out, "landed 4 rejects of stream sales again at positions [1, 5); 1 still can't be read\n") {
		t.Errorf("landed again:\n%s", out)
	}
	p.good("check-lake", "--deep")
}

// The same content does not land again, in whatever format it is read: what helps is said, and does.
func TestAFileThatLandedWithAWrongDelimiterLandsByItsRejects(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "format: ndjson", "format: csv\n    csv: {header: [at, shop, cents]}", 1))
	a := p.path("a.csv")
	p.write("a.csv", "2026-03-01T10:00:00Z;x,y;700\n2026-03-01T11:00:00Z;z;\n")
	p.good("land", "sales", a)
	p.write("b.csv", "2026-03-01T12:00:00Z;x;1\n")
	p.good("land", "sales", p.path("b.csv"))
	out := p.good("land", "sales", a, "--delimiter", ";")
	for _, want := range []string{"nothing landed, its content is in stream sales already, but as 2 rejects and no row", "strandline rejects sales --source " + a, "--retry", "--delimiter"} {
		if !strings.Contains(out, want) {
			t.Errorf("landed again it says %s, want %s", out, want)
		}
	}
	if out := p.good("land", "sales", a, "--json"); !strings.Contains(out, `"duplicate":true`) || !strings.Contains(out, `"only_rejects":2`) {
		t.Errorf("landed again with --json it says %s", out)
	}
	if out := p.good("rejects", "sales", "--retry", "--source", a, "--delimiter", `\t`); !strings.Contains(out, "landed 0 rejects of stream sales again; 2 still") {
		t.Errorf("with another wrong delimiter: %s", out)
	}
	if out := p.good("rejects", "sales", "--retry", "--source", a, "--delimiter", ";"); out != "landed 2 rejects of stream sales again at positions [0, 2)\n" {
		t.Errorf("with the delimiter that it has: %s", out)
	}
	p.good("check-lake", "--deep")
	for _, args := range [][]string{{"--delimiter", ";"}, {"--retry", "--delimiter", ";;"}} {
		p.bad(exitUsage, "--delimiter", append([]string{"rejects", "sales"}, args...)...)
	}
}

func TestFilesOfAnotherFormatThanTheStreamsLandWhereItIsTold(t *testing.T) {
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.Replace(proveYAML, "format: ndjson", "format: parquet", 1))
	p.write("mended.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"x","cents":5}`+"\n")
	if out := p.good("land", "sales", p.path("mended.ndjson"), "--format", "ndjson"); !strings.Contains(out, "landed 1 row in") {
		t.Errorf("got %s", out)
	}
	p.bad(2, `--format "excel" is not one of ndjson, json, csv,`, "land", "sales", p.path("mended.ndjson"), "--format", "excel")
	p.bad(2, "--format ndjson: it is of files that are named, and none is", "land", "sales", "--format", "ndjson")
}

func TestFlagsOfRejectsThatDoNotGoTogetherAreRefused(t *testing.T) {
	p := narrowed(t)
	for _, flags := range []string{"--raw --json", "--dry-run", "--raw --by-reason", "--retry --raw", "--retry --all", "--retry --by-reason", "--since yesterday"} {
		p.bad(exitUsage, "", append([]string{"rejects", "sales"}, strings.Fields(flags)...)...)
	}
}
