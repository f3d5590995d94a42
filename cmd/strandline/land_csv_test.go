package main

import (
	"strings"
	"testing"
)

// A file of CSV lands in a stream of another format, whatever its delimiter.
func TestLandCSVOfAnyDelimiterInAnyStream(t *testing.T) {
	p := newProof(t)
	p.write("c.csv", "at;shop;cents\n2026-03-04T10:00:00Z;x;3\n")
	p.bad(exitFailed, `--delimiter`, "land", "sales", p.path("c.csv"), "--format", "csv")
	if out := p.good("land", "sales", p.path("c.csv"), "--format", "csv", "--delimiter", ";"); !strings.Contains(out, "landed 1 row in") {
		t.Errorf("it said %s", out)
	}
	p.write("d.csv", "at\tshop\tcents\n2026-03-04T11:00:00Z\tx\t3\n")
	if out := p.good("land", "sales", p.path("d.csv"), "--format", "csv", "--delimiter", `\t`); !strings.Contains(out, "landed 1 row in") {
		t.Errorf("it said %s", out)
	}
	for _, args := range [][]string{{p.path("d.csv"), "--delimiter", ";"}, {p.path("d.csv"), "--format", "csv", "--delimiter", ";;"}, {"--delimiter", ";"}} {
		p.bad(exitUsage, "--delimiter", append([]string{"land", "sales"}, args...)...)
	}
	p.write("strandline.yaml", strings.Replace(proveYAML, "    columns:", "    csv: {delimiter: \";\"}\n    columns:", 1))
	p.bad(exitUsage, "--format csv --delimiter C lands a file of CSV", "validate")
}

// What is asked for and would be passed over is refused, with what was written and what to write.
func TestLandRefusesWhatDoesNotFitTheFilesThatItNames(t *testing.T) {
	p := newProof(t)
	p.write("other.ndjson", `{"at":"2026-03-04T10:00:00Z","shop":"x","cents":3}`+"\n")
	for want, args := range map[string][]string{
		"--name x: it names standard input, which is -":                                             {p.path("other.ndjson"), "--name", "x"},
		"--name y: it names standard input":                                                         {"--name", "y"},
		`--format "cvs" is not one of ndjson, json, csv, parquet, arrow, avro; did you mean "csv"?`: {p.path("other.ndjson"), "--format", "cvs"},
		"--format csv: it is of files that are named":                                               {"--format", "csv"},
		`--delimiter ";;": want one ASCII character, such as ';', or \t`:                            {p.path("other.ndjson"), "--format", "csv", "--delimiter", ";;"},
		`--delimiter "ß": want one ASCII character`:                                                 {p.path("other.ndjson"), "--format", "csv", "--delimiter", "ß"},
		`--delimiter ";": only csv has a delimiter, and the format is ndjson`:                       {p.path("other.ndjson"), "--delimiter", ";"},
	} {
		p.bad(exitUsage, want, append([]string{"land", "sales"}, args...)...)
	}
	if out := p.good("arrivals", "sales"); strings.Contains(out, "other.ndjson") {
		t.Errorf("it landed: %s", out)
	}
}
