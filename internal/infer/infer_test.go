package infer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/internal/infer"
	"strandline/landing"
)

// propose returns what is declared for a file of this text, and its stream.
func propose(t *testing.T, name, text string) (string, config.Stream) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sample, err := infer.Files([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	yaml, err := sample.Declaration(infer.StreamName(path))
	if err != nil {
		t.Fatalf("%v of %s", err, text)
	}
	c, err := config.Parse([]byte(yaml), "strandline.yaml", os.LookupEnv)
	if err != nil {
		t.Fatalf("%v\nin %s\nof %s", err, yaml, text)
	}
	return yaml, c.Streams[0]
}

// counter takes rows, and the reasons of rejects.
type counter struct {
	rows    int
	reasons []string
}

func (c *counter) Add(landing.Row) error { c.rows++; return nil }
func (c *counter) Reject(r landing.Reject) error {
	c.reasons = append(c.reasons, r.Reason)
	return nil
}

func decode(t *testing.T, s config.Stream, text string) counter {
	t.Helper()
	d, err := ingest.NewDecoder(s.Spec, ingest.Options{Format: ingest.Format(s.Format), CSV: ingest.CSV(s.CSV)})
	if err != nil {
		t.Fatal(err)
	}
	var c counter
	if _, err := d.Decode(strings.NewReader(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

var jsonValues = []string{
	"1", "-7", "0", "9223372036854775807", "18446744073709551615", "123456789012345678901234567890", "1.50", "0.000000001", "1e3", "1E400", "-0.0", "5.0",
	"true", "false", "null", `""`, `"text"`, `"007"`, `"12"`, `"a\u0000b"`, `"'; DROP"`, `"yes"`, `"ß€"`,
	`"2026-03-01"`, `"2026-03-01T10:00:00Z"`, `"2026-03-01 10:00:00"`, `"2026-03-01T10:00:00+02:00"`, `"6f1c1c5e-0000-4000-8000-00000000000a"`,
	"[]", "[1, {}]", "{}", `{"a":1}`, `{"a":"x","b":{"c":[1],"d":2.5}}`, `{"b":{"c":{"e":{"f":1}}}}`, "1772359200", "1772359200000",
}

var fieldNames = []string{"id", "ID", "a.b", "a", "b", "event_time", "position", "no", "true", "x y", "$HOME", "${X}", "é", `q"'`, "# c", "window_start", "1", ": ", "-", "", "\\n", "a\\u0085b", "\\u0000", "\\u009f\\u2028\\ufeff\\u007f", "very_long_" + strings.Repeat("x", 200)}

// Whatever was looked at, the proposal is valid and lands all of it.
func TestAProposalLandsItsSampleWithoutRejects(t *testing.T) {
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 3))
		var kinds [][]string // of each field: its values are of a few kinds
		for range fieldNames {
			kind := []string{jsonValues[random.IntN(len(jsonValues))]}
			for random.IntN(3) == 0 {
				kind = append(kind, jsonValues[random.IntN(len(jsonValues))])
			}
			kinds = append(kinds, kind)
		}
		at := []string{`"2026-03-01T10:00:00Z"`, `"2026-03-01"`, "1772359200", "1772359200123", "1772359200.5", "1772359200123456789"}[random.IntN(6)]
		var lines []string
		for range 1 + random.IntN(5) {
			fields := []string{`"happened at":` + at}
			for i, name := range fieldNames {
				if random.IntN(3) > 0 {
					fields = append(fields, fmt.Sprintf(`"%s":%s`, strings.ReplaceAll(name, `"`, `\"`), kinds[i][random.IntN(len(kinds[i]))]))
				}
			}
			lines = append(lines, "{"+strings.Join(fields, ",")+"}")
		}
		for name, text := range map[string]string{
			"My Orders-2026.ndjson": strings.Join(lines, "\n"), "x.json": "[" + strings.Join(lines, ",\n") + "]",
		} {
			yaml, stream := propose(t, name, text)
			if got := decode(t, stream, text); got.rows != len(lines) {
				t.Fatalf("seed %d, %s: %d rows of %d, rejects %q\n%s\nof %s", seed, name, got.rows, len(lines), got.reasons, yaml, text)
			}
		}
	}
}

func TestAProposalOfCSVLandsItsSample(t *testing.T) {
	text := "id;Code;amount;ok;day;sent at;empty;name\n1;007;1,5;true;2026-03-01;2026-03-01 10:00:00;;\"a;b\"\n2;8;2;FALSE;2026-03-02;2026-03-01 11:00:00;;\"\"\n-3;9;;;;2026-03-01 12:00:00;\"\";x\n"
	yaml, stream := propose(t, "2026 sales.csv", text)
	if got := decode(t, stream, text); got.rows != 3 {
		t.Errorf("%+v\n%s", got, yaml)
	}
	for _, want := range []string{
		"events_2026_sales:", "delimiter: \";\"", "id: BIGINT", "Code: VARCHAR", "amount: VARCHAR", "ok: BOOLEAN", "day: DATE",
		"zone: UTC}", "that it is in UTC is a guess", "empty: VARCHAR  # never had a value",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("no %q in\n%s", want, yaml)
		}
	}
}

// A stream has one format, and what no format reads is told by what it is.
func TestFilesOfAnotherFormAreToldByIt(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	lines, table := write("a.ndjson", `{"at":"2026-03-01T10:00:00Z"}`+"\n"), write("b.csv", "at\n2026-03-01T10:00:00Z\n")
	for want, files := range map[string][]string{
		"b.csv: it seems to be csv, and the files before it are ndjson":    {lines, table},
		"a.ndjson: it seems to be ndjson, and the files before it are csv": {table, lines},
		"c.zip: it is a zip archive, which no format reads":                {write("c.zip", "PK\x03\x04rest")},
		"d.csv: it is UTF-16, which no format reads":                       {write("d.csv", "\xff\xfea\x00t\x00")},
	} {
		if _, err := infer.Files(files); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "declare") {
			t.Errorf("%q: %v, want %q", files, err, want)
		}
	}
}

func TestWhatIsInDoubtIsSaid(t *testing.T) {
	text := `{"ts":1772359200000,"created_at":"2026-03-01T10:00:00Z","user":{"id":7,"tags":["x"]},"event_time":1,"code":"007","n":1.25}
{"ts":1772359200001,"created_at":"2026-03-01T10:00:00Z","user":{"id":8},"extra":{"deep":{"er":{"est":1}}},"code":5,"big":18446744073709551615}
not JSON
`
	yaml, stream := propose(t, "orders.ndjson", text)
	for _, want := range []string{
		"2 records (1 more can't be read", "event_time: {column: ts, unit: ms}", `It might also be "created_at"`,
		"user_id: {type: BIGINT, path: [user, id]}", "user_tags: {type: JSON, path: [user, tags]}  # null or missing in 50 %",
		"event_time_field: {type: BIGINT, path: [event_time]}", "code: VARCHAR", "extra_deep_er: {type: JSON, path: [extra, deep, er]}",
		`"n": "DECIMAL(18,2)"  # null or missing in 50 %; a value with more than 2 decimals would be a reject`, "big: UBIGINT",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("no %q in\n%s", want, yaml)
		}
	}
	if got := decode(t, stream, text); got.rows != 2 {
		t.Errorf("%+v", got)
	}
}

func TestWithoutAnEventTimeNothingIsProposed(t *testing.T) {
	for text, want := range map[string]error{"{\"a\":1}\n": infer.ErrNoEventTime, "": nil, "{]\n": nil} {
		path := filepath.Join(t.TempDir(), "x.ndjson")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sample, err := infer.Files([]string{path})
		if err == nil {
			_, err = sample.Declaration("x")
		}
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Where nothing can be read the first record of each kind says why, and where it is.
func TestASampleWithoutAReadableRecordSaysWhy(t *testing.T) {
	text := "{\"a\":1}\n" // tells NDJSON
	bad := "{\"a\":1,\"a\":2}\n{\"a\":\"\xff\"}\n\n{\"a\":}\n"
	path := filepath.Join(t.TempDir(), "x.ndjson")
	for content, want := range map[string][]string{
		text + bad: nil,
		strings.Replace(bad, "a\":2", "a\":3", 1): {
			"as ndjson: no record can be read, of the 3 that were looked at: 2 by form, first " + path + `, line or row 1: an object has the name "a" twice`,
			"; 1 by encoding, first " + path + ", line or row 2: the record is no JSON: ", "write the declaration by hand",
		},
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := infer.Files([]string{path})
		if (err != nil) != (want != nil) {
			t.Errorf("%q: got %v", content, err)
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("no %q in %v", w, err)
			}
		}
	}
}

// What is no JSON is looked at as CSV: where that gives nothing it is said what was made of the file.
func TestWhatIsNoTableIsToldAsWhatItWasLookedAt(t *testing.T) {
	long := strings.Repeat("x", 200)
	for text, want := range map[string]string{
		"hello world\n":          `as csv, since it is no JSON, Parquet, Arrow or Avro, its first line "hello world" holds the names of the columns, and there is no record below it`,
		"\ufeff\r\n\r\n a;b\r\n": `its first line "a;b" holds`,
		long:                     `its first line "` + long[:60] + `"… holds`,
		"hello world\nx\n":       `looked at as csv with the delimiter "," and the columns "hello world", no field looks like the time`,
		`{"a":{"b":1},"c":2}`:    `looked at as ndjson with the fields "a.b", "c", no field looks like the time`,
		"a,b,c,d,e,f,g,h,i,j\n1,2,3,4,5,6,7,8,9,10\n": `"h", 2 more, no field`,
	} {
		path := filepath.Join(t.TempDir(), "f.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sample, err := infer.Files([]string{path})
		if err == nil {
			_, err = sample.Declaration("s")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %q: %v; want %s", text, err, want)
		}
	}
}

// A file without a record is said to have none, and not taken for a format.
func TestAnEmptyFileIsSaidToHaveNoRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "h.ndjson")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := infer.Files([]string{path}); err == nil || !strings.Contains(err.Error(), "there is no record in it") || strings.Contains(err.Error(), "csv") {
		t.Errorf("got %v", err)
	}
}
