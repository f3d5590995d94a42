package infer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/ingest"
	"strandline/internal/config"
	"strandline/internal/infer"
)

// written are files of these texts, in a folder that ends with the test.
func written(t *testing.T, texts ...string) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range texts {
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// proposed is what is declared for files, or why nothing is.
func proposed(paths []string) (string, error) {
	sample, err := infer.Files(paths)
	if err != nil {
		return "", err
	}
	return sample.Declaration("s")
}

// Whatever several files have in common, each lands under what is proposed of them.
func TestAProposalOfSeveralFilesLandsEach(t *testing.T) {
	long := "time,v\n" + strings.Repeat("2026-03-01T10:00:00Z,1\n", 50_001)
	for name, c := range map[string]struct {
		texts []string
		want  string
	}{
		"other columns":        {[]string{"time,v\n2026-03-01T10:00:00Z,1\n", "time,w\n2026-03-01T11:00:00Z,2\n"}, "optional: [v, w]\n"},
		"a header alone":       {[]string{"time,v\n", "w,time\n3,2026-03-01T11:00:00Z\n"}, "optional: [w]\n"},
		"beyond the sample":    {[]string{long, "time\n2026-03-01T11:00:00Z\n"}, "optional: [v]\n"},
		"time in all":          {[]string{"ts,made\n2026-03-01T10:00:00Z,2026-03-01T10:00:00Z\n", "made\n2026-03-01T10:00:00Z\n"}, "event_time: {column: made"},
		"no delimiter":         {[]string{"time\n2026-03-01T10:00:00Z\n", "time;v\n2026-03-01T10:00:00Z;1\n"}, "delimiter: \";\"\n"},
		"an empty file":        {[]string{"", "time,v\n2026-03-01T10:00:00Z,1\n"}, "format: csv\n"},
		"no names":             {[]string{"2026-03-01T10:00:00Z,1\n2026-03-01T11:00:00Z,2\n", "2026-03-01T12:00:00Z,3\n"}, "header: [column_1, column_2]"},
		"objects and arrays":   {[]string{"{\"ts\":\"1772323200\",\"a\":1}\n", "[{\"ts\":\"1772323201\"}]"}, "format: json\n"},
		"the same of each":     {[]string{"time,v\n2026-03-01T10:00:00Z,1\n", "v,time\n2,2026-03-01T10:00:00Z\n"}, "time: TIMESTAMP"},
		"Parquet of columns":   {[]string{parquetText(t, "SELECT now() AS at, 1 AS v"), parquetText(t, "SELECT now() AS at, {'x': 1} AS o")}, "optional: [v, o_x]\n"},
		"a code beside a time": {[]string{"{\"code\":\"1772323200\",\"at\":1772323200}\n"}, "event_time: {column: at, unit: s}"},
	} {
		yaml, err := proposed(written(t, c.texts...))
		if err != nil || !strings.Contains(yaml, c.want) {
			t.Errorf("%s: %v, no %q in\n%s", name, err, c.want, yaml)
			continue
		}
		parsed, err := config.Parse([]byte(yaml), "strandline.yaml", os.LookupEnv)
		if err != nil {
			t.Fatalf("%s: %v in\n%s", name, err, yaml)
		}
		s := parsed.Streams[0]
		for _, text := range c.texts {
			d, err := ingest.NewDecoder(s.Spec, ingest.Options{Format: ingest.Format(s.Format), CSV: ingest.CSV(s.CSV), Optional: s.Optional})
			if err != nil {
				t.Fatal(err)
			}
			var got counter
			if _, err := d.Decode(strings.NewReader(text), &got); err != nil || len(got.reasons) > 0 {
				t.Errorf("%s: %v, rejects %q of %.60q under\n%s", name, err, got.reasons, text, yaml)
			}
		}
	}
}

// Files that no one declaration lands are told by name, with what to do.
func TestFilesThatNoOneStreamLandsAreToldByName(t *testing.T) {
	named := "time,v\n2026-03-01T10:00:00Z,1\n"
	bare := "2026-03-01 10:00:00,7\n2026-03-01 11:00:00,8\n"
	for name, c := range map[string]struct {
		texts []string
		want  []string // %[1]s and %[2]s are the files
	}{
		"delimiters":   {[]string{named, "Time;Wert\n2026-03-01T10:00:00Z;3\n"}, []string{"look at %[2]s: its delimiter seems to be ';', and that of %[1]s ','", "--delimiter"}},
		"names first":  {[]string{named, bare}, []string{"%[2]s seems to begin with values, and %[1]s begins with the names", "write names into the first line"}},
		"values first": {[]string{bare, named}, []string{"%[1]s seems to begin with values, and %[2]s begins with the names"}},
		"widths":       {[]string{bare, "2026-03-01 10:00:00,7,8\n"}, []string{"%[1]s and %[2]s seem to begin with values, and have 2 and 3 columns"}},
		"units":        {[]string{named, "time,v\n1772323200,4\n"}, []string{`in %[1]s it may be "time", as unit iso; in %[2]s it may be "time", as unit s`}},
		"time fields":  {[]string{named, "ts,v\n2026-03-01T10:00:00Z,4\n"}, []string{`in %[1]s it may be "time", as unit iso; in %[2]s it may be "ts"`}},
		"no time":      {[]string{named, "v\n4\n"}, []string{"in %[2]s none may be it"}},
		"lines":        {[]string{"{\"t\":1772323200}\n", "{\"t\":1772323200,\n\"b\":1}\n"}, []string{"look at %[2]s: as ndjson no record of it can be read"}},
	} {
		paths := written(t, c.texts...)
		_, err := proposed(paths)
		if err == nil {
			t.Errorf("%s: it is proposed", name)
			continue
		}
		for _, want := range append(c.want, "DIR") {
			if want = strings.NewReplacer("%[1]s", paths[0], "%[2]s", paths[1]).Replace(want); !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", name, want, err)
			}
		}
	}
}

// What can't be declared is to be converted, and it is said what.
func TestWhatNoDeclarationReadsIsToBeConverted(t *testing.T) {
	for text, want := range map[string]string{
		"time,v\n01.03.2026 09:15,5\n":               "no field looks like the time of an event: an event time is a text such as 2026-03-01T12:00:00Z, or a number since 1970. Times that are written otherwise, such as 01.03.2026 12:00, are read under no declaration: convert them",
		"time,v\n2026-03-01T10:00:00Z,5\nn/a,6\n":    `"time" does where it is "2026-03-01T10:00:00Z", and does not where it is "n/a"`,
		"Gr\xfc\xdfe,time\nx,2026-03-01T10:00:00Z\n": "is not valid UTF-8: convert the file (iconv",
	} {
		if _, err := proposed(written(t, text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "csv: {header") {
			t.Errorf("of %q: %v; want %s", text, err, want)
		}
	}
	yaml, err := proposed(written(t, "{\"at\":\"2026-03-01T10:00:00Z\"}\n{}\n"))
	if want := "# 1 record lacks it, and would be a reject."; err != nil || !strings.Contains(yaml, want) {
		t.Errorf("%v, no %q in\n%s", err, want, yaml)
	}
}
