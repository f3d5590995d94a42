package main

import (
	"net"
	"strings"
	"testing"

	"strandline/landing"
	"strandline/manifests"
	"strandline/window"
)

// What run needs of a machine beside a right configuration is told, and is no mistake.
func TestValidateNotesWhatRunWouldLackHere(t *testing.T) {
	p := newProof(t)
	const served = "serve: {listen: 127.0.0.1:0, tls: {cert: no.pem, key: no.pem}}\n"
	p.write("strandline.yaml", served+strings.Replace(proveYAML, "    columns:", "    dir: ./not-yet\n    http: {tokens: {env: SALES_NO_TOKEN}}\n    columns:", 1))
	r := p.run("validate")
	if r.code != exitDone {
		t.Errorf("exit %d", r.code)
	}
	for _, note := range []string{"streams.sales.dir.path: ", "not-yet: no such file", "streams.sales.http.tokens: read the tokens in the environment variable SALES_NO_TOKEN", "serve.tls: "} {
		if !strings.Contains(r.err, note) {
			t.Errorf("it does not say %q: %s", note, r.err)
		}
	}
	p.write("strandline.yaml", proveYAML)
	if r := p.run("validate"); r.err != "" {
		t.Errorf("where nothing lacks it says %s", r.err)
	}
}

func TestAQueryOfAStreamSaysWhatReadsRows(t *testing.T) {
	p := newProof(t)
	p.bad(exitUsage, "sales is a stream, and query reads tables (here: sales_hourly): strandline receipt TABLE PARTITION --sql", "query", "SELECT * FROM Sales")
	p.bad(exitUsage, "is not an input", "query", "SELECT * FROM others")
}

// Of several streams the one that alone takes posts need not be named.
func TestReplayOfSeveralStreamsAsksForOneWhereItCanNotBeTold(t *testing.T) {
	p := newProof(t)
	yaml := strings.Replace(proveYAML, "jobs:", `  other:
    format: ndjson
    event_time: {column: at, unit: iso}
    columns: {shop: VARCHAR}
    http: {}
jobs:`, 1)
	yaml = strings.Replace(yaml, "from: sales\n", "from: [sales, other]\n", 1)
	p.write("strandline.yaml", "serve: 127.0.0.1:0\n"+yaml)
	p.bad(exitUsage, "replay rows through job sales_hourly: it is computed from several: name one of the streams other, sales (--stream)", "replay", "sales_hourly", "--arrival", "a.ndjson")
	p.bad(exitUsage, "replay rows of stream other: no such position: none was posted with the Idempotency-Key", "replay", "sales_hourly", "--key", "k")
	p.bad(exitUsage, "name one of the streams other, sales (--stream)", "replay", "sales_hourly", "--kafka", "orders/0:1-2")
}

func TestAPortThatIsTakenSaysWhatToDo(t *testing.T) {
	p := newProof(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	p.write("strandline.yaml", "serve: "+taken.Addr().String()+"\n"+proveYAML)
	p.bad(exitFailed, "another process does already, perhaps another strandline run: end that, or declare another port", "run")
}

func TestALookupThatIsNotThereSaysWhatToDo(t *testing.T) {
	p := newProof(t)
	p.write("strandline.yaml", strings.Replace(proveYAML, "    from: sales\n", "    from: sales\n    lookups:\n      pages: {file: ./pages.csv, columns: {path: VARCHAR}}\n", 1))
	r := p.bad(exitFailed, "put it there, or say in the configuration where it is (lookups.pages.file)", "validate")
	if strings.Count(r.err, "pages.csv") != 1 {
		t.Errorf("it says the file more than once: %s", r.err)
	}
}

func TestNothingHeldIsTold(t *testing.T) {
	p := newProof(t)
	if r := p.run("held"); r.out != "" || r.err != "nothing is held\n" {
		t.Errorf("held says %q, and %q", r.out, r.err)
	}
}

// The columns of a list are as wide as its widest numbers.
func TestListsOfPartitionsStandInColumns(t *testing.T) {
	day := func(rows int64) window.Status {
		s := window.Status{State: window.Fresh, Why: &window.Why{}, Receipt: &manifests.Receipt{Rows: rows}}
		s.Input, s.Why.Cost.Bytes = landing.Input{Rows: rows}, rows*1000
		return s
	}
	list := []window.Status{day(1), day(123456789), day(1000)}
	wide := widthsOf(list)
	at := map[int]bool{}
	for _, s := range list {
		at[strings.Index(describeStatus(s, wide), "  digest")] = true
	}
	if len(at) != 1 {
		t.Errorf("the digests stand at %v", at)
	}
	if wide = widthsOf(list[:1]); wide != leastWidths {
		t.Errorf("a list of small numbers is as wide as %+v", wide)
	}
}
