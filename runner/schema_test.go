package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/objstore"
	"strandline/landing"
	"strandline/manifests"
	"strandline/runner"
	"strandline/window"
)

// declare makes a declaration of columns such as "mag DECIMAL(6,3) = mag magnitude old.mag".
func declare(t *testing.T, columns ...string) landing.Spec {
	t.Helper()
	spec := landing.Spec{Stream: "sales", EventTime: salesSpec.EventTime, Fields: map[string][]landing.Path{}}
	for _, column := range columns {
		column, fields, _ := strings.Cut(column, " = ")
		name, text, _ := strings.Cut(column, " ")
		typ, err := datafile.ParseType(text)
		must(t, err)
		spec.Columns = append(spec.Columns, datafile.Column{Name: name, Type: typ})
		for _, path := range strings.Fields(fields) {
			spec.Fields[name] = append(spec.Fields[name], strings.Split(path, "."))
		}
	}
	return spec
}

// declared is the lake's stream under another declaration.
func (l *lake) declared(spec landing.Spec) *lake {
	out := *l
	out.stream = landing.Open(l.store, spec, landing.Options{Scratch: l.dir})
	return &out
}

func (l *lake) landJSON(name, lines string) (ingest.Outcome, error) {
	return ingest.LandReader(context.Background(), l.stream, strings.NewReader(lines), name, ingest.Options{})
}

// columnsJob publishes the columns of the stream as they are.
func columnsJob(columns ...string) window.Job {
	return window.Job{
		Name: "sales_hourly", Inputs: window.FromStream("sales"), Window: window.Window{Kind: window.Tumbling, Size: time.Hour}, Grain: window.GrainDay,
		Key: []string{"window_start", "position"}, SQL: "SELECT window_start, position, " + strings.Join(columns, ", ") + " FROM sales",
	}
}

// outputs are the row digests of what is published, by partition.
func (l *lake) outputs() map[string]string {
	l.t.Helper()
	snapshot, err := l.table.Snapshot(l.t.Context())
	must(l.t, err)
	out := map[string]string{}
	for _, r := range snapshot.Receipts() {
		out[r.Partition] = fmt.Sprint(r.Rows, r.RowDigest)
	}
	return out
}

// One column of the history below: what it is at last, what it may have been, from
// narrow to wide, and what its values are.
type evolved struct {
	last   string
	before []string
	field  func(*rand.Rand) string // members of the record
}

var evolution = []evolved{
	{"id VARCHAR", []string{"id UINTEGER", "id BIGINT", "id VARCHAR"}, func(r *rand.Rand) string { return fmt.Sprintf(`"id":%d`, r.Uint32()) }},
	{"mag DECIMAL(10,4) = mag magnitude old.mag", []string{"old JSON", "mag DECIMAL(6,3)", "magnitude DECIMAL(6,3)", "mag DECIMAL(6,3) = magnitude", "mag DECIMAL(9,3) = mag magnitude"},
		func(r *rand.Rand) string {
			mag := fmt.Sprintf("%d.%03d", r.IntN(999), r.IntN(1000))
			return pick(r, `"mag":`+mag, `"magnitude":"`+mag+`"`, `"old":{"mag": `+mag+`0}`, `"mag":`+mag+`,"magnitude":`+mag+`0`, `"mag":null,"magnitude":`+mag)
		}},
	{"uid BIGINT = user.id", []string{"user JSON", "uid INTEGER = user.id", "uid BIGINT = user.id"},
		func(r *rand.Rand) string {
			return pick(r, fmt.Sprintf(`"user":{"id":%d,"a b":[1, 2]}`, r.Int32()), `"user":{"id":null}`, `"user":"bob"`, fmt.Sprintf(`"user":{ "x" : 1.0 , "id" : "%d"}`, r.Int32()))
		}},
	{"f DOUBLE", []string{"f FLOAT", "f DOUBLE"}, func(r *rand.Rand) string { return fmt.Sprintf(`"f":%d.5e%d`, r.IntN(64), r.IntN(3)) }},
	{"big UBIGINT", []string{"big UBIGINT"}, func(r *rand.Rand) string { return fmt.Sprintf(`"big":%d`, r.Uint64()) }},
	{"exact DECIMAL(38,19)", []string{"exact BIGINT", "exact DECIMAL(38,19)"}, func(r *rand.Rand) string { return fmt.Sprintf(`"exact":%d`, r.Int64()) }},
	{"ok BOOLEAN", []string{"ok BOOLEAN"}, func(r *rand.Rand) string { return `"ok":` + pick(r, "true", `"FALSE"`, "null") }},
	{"day DATE", []string{"day DATE"}, func(r *rand.Rand) string { return fmt.Sprintf(`"day":"%d-02-%02d"`, 1800+r.IntN(400), 1+r.IntN(28)) }},
	{"ts TIMESTAMP", []string{"ts TIMESTAMP"}, func(r *rand.Rand) string {
		return fmt.Sprintf(`"ts":"1969-03-01T00:00:%02d.000%03d"`, r.IntN(60), r.IntN(1000))
	}},
	{"at TIMESTAMPTZ", []string{"at TIMESTAMPTZ"}, func(*rand.Rand) string { return `"more":1` }},
	{"sent TIMESTAMPTZ", []string{"sent TIMESTAMPTZ"}, func(r *rand.Rand) string { return fmt.Sprintf(`"sent":"2026-03-01T%02d:00:00+02:00"`, r.IntN(24)) }},
	{"key UUID", []string{"key UUID"}, func(r *rand.Rand) string {
		return fmt.Sprintf(`"key":"%08X-0000-4000-8000-%012x"`, r.Uint32(), r.IntN(1<<40))
	}},
	{"raw BLOB", []string{"raw BLOB"}, func(r *rand.Rand) string {
		return fmt.Sprintf(`"raw":"%s%04x"`, pick(r, "0x", "", `\\x`), r.IntN(1<<16))
	}},
	{"doc JSON", []string{"doc JSON"}, func(r *rand.Rand) string {
		return `"doc":` + pick(r, `{"a" : [1, 2.50, 12345678901234567890.10]}`, `"a\u0041"`, "7", "null", `[ ]`)
	}},
	// Names that meant other fields before.
	{"a BIGINT = x", []string{"x BIGINT", "a BIGINT = x", "b BIGINT = x", "y BIGINT = x"}, func(r *rand.Rand) string { return fmt.Sprintf(`"x":%d`, r.IntN(9)) }},
	{"b BIGINT = y", []string{"y BIGINT", "b BIGINT = y", "a BIGINT = y", "x BIGINT = y"}, func(r *rand.Rand) string { return fmt.Sprintf(`"y":%d`, r.IntN(9)) }},
	{"x BIGINT = in.z", []string{"in JSON", "z BIGINT = in.z", "x BIGINT = in.z", "a BIGINT = in.z"}, func(r *rand.Rand) string { return fmt.Sprintf(`"in":{"z":%d}`, r.IntN(9)) }},
	{"text VARCHAR", []string{"text VARCHAR"}, func(r *rand.Rand) string {
		return `"text":` + pick(r, `"'; DROP \"x\""`, `"\u00e4\n"`, `""`, "1.50", "true", "null")
	}},
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// Whatever declarations rows have landed under, and however their segments were merged
// since, they are read as if all had landed under the last.
func TestRowsOfOlderDeclarationsAreReadAsThoseOfTheLast(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 35))
		var last, names []string
		for _, e := range evolution {
			last = append(last, e.last)
			names = append(names, `"`+strings.Fields(e.last)[0]+`"`)
		}
		spec := declare(t, last...)
		control := newLake(t, objstore.NewMemory()).declared(spec)
		l := newLake(t, objstore.NewMemory())
		least := make([]int, len(evolution)) // the first way to declare each that is not narrower than what was
		for arrival := range 10 {
			era := l.declared(declare(t, anEra(random, least)...))
			for part := range 2 {
				lines := records(random, 12)
				for _, in := range []*lake{era, control} {
					out, err := in.landJSON(fmt.Sprint(arrival, part), lines)
					if err != nil || out.Rejects > 0 {
						t.Fatalf("seed %d: land %s: %+v, %v", seed, lines, out, err)
					}
				}
			}
		}
		l, everything := l.declared(spec), backfill(day(1), day(4))
		job := columnsJob(names...)
		task, want := l.task(job), control.task(job)
		l.run(task, everything)
		control.run(want, everything)
		if got, want := l.outputs(), control.outputs(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: read %v\nwant     %v", seed, got, want)
		}
		before, receipts := len(l.segmentIDs()), l.receipts()
		must(t, l.compactor(task).Run(t.Context()))
		if after := len(l.segmentIDs()); after >= before {
			t.Errorf("seed %d: %d segments were merged to %d", seed, before, after)
		}
		again := l.run(task, runner.Request{Driver: manifests.DriverBackfill, Range: everything.Range, Again: true})
		if again.Count(manifests.Unchanged) != len(receipts) {
			t.Errorf("seed %d: other rows from merged segments: %+v", seed, again.Outcomes)
		}
		for name, r := range l.verify(job) {
			if r.Finding != runner.Reproduced {
				t.Errorf("seed %d: %s is %s: %v %s", seed, name, r.Finding, r.Differences, r.Unproved)
			}
		}
	}
}

// anEra declares some columns in some way that may follow what was before.
func anEra(random *rand.Rand, least []int) (columns []string) {
	columns = append(columns, "unused VARCHAR")
	taken := map[string]bool{}
	for i, e := range evolution {
		at := least[i] + random.IntN(len(e.before)-least[i])
		name := strings.Fields(e.before[at])[0]
		if random.IntN(3) == 0 || taken[name] {
			continue
		}
		taken[name] = true
		least[i] = slices.IndexFunc(e.before, func(b string) bool { return strings.Fields(b)[1] == strings.Fields(e.before[at])[1] })
		columns = append(columns, e.before[at])
	}
	return columns
}

func records(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fields := []string{fmt.Sprintf(`"at":%d`, day(1).UnixMilli()+random.Int64N(3*24*3600*1000))}
		for _, e := range evolution {
			if random.IntN(4) > 0 {
				fields = append(fields, e.field(random))
			}
		}
		random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		line := "{" + strings.Join(slices.Compact(fields), ",") + "}"
		if !json.Valid([]byte(line)) {
			panic(line)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func TestAnOldValueThatTheNewTypeDoesNotHoldFailsItsPartitionByItsPosition(t *testing.T) {
	lines := fmt.Sprintf("{\"at\":%d,\"id\":\"a\",\"n\":1,\"m\":3,\"o\":{}}\n{\"at\":%[1]d,\"id\":\"b\",\"n\":\"many\"}\n{\"at\":%d,\"id\":\"c\",\"n\":2}\n", day(1).UnixMilli(), day(2).UnixMilli())
	const mend = "; declare a type that takes it, such as VARCHAR, or take the column out of the job"
	for _, c := range []struct{ column, want string }{
		{"n BIGINT", `position 1 has no BIGINT for column n, in what its extra holds: "many" is not a BIGINT` + mend},
		{"n BIGINT = n id", `has no BIGINT for column n, in what its id holds: "c" is not a BIGINT` + mend},
		{"n VARCHAR = n id", `position 2 has no one value for column n: its fields hold "2" and "c"; declare one of them as a column of its own`},
		{"n VARCHAR = n m", `position 0 has no VARCHAR for column n, in what its extra holds: its fields hold "1" and "3"; declare one of them as a column of its own`},
		{"o BIGINT", `position 0 has no BIGINT for column o, in what its extra holds: it holds an object, want BIGINT` + mend},
		{"at VARCHAR", `position 0 has no VARCHAR for column at, in what its event_time holds: of the event time's field only the instant is kept; declare the column as TIMESTAMP WITH TIME ZONE, or leave it out, and read event_time`},
		{"at BIGINT", "only the instant is kept"},
		{"at TIMESTAMP", "only the instant is kept"},
		{"at JSON", "only the instant is kept"},
		{"v VARCHAR = n at", "only the instant is kept"},
	} {
		l := newLake(t, objstore.NewMemory()).declared(declare(t, "id VARCHAR"))
		_, err := l.landJSON("old", lines)
		must(t, err)
		l = l.declared(declare(t, c.column))
		report := l.run(l.task(columnsJob(`"`+strings.Fields(c.column)[0]+`"`)), backfill(day(1), day(3)))
		var failures []string
		for _, o := range report.Outcomes {
			if o.Err == nil {
				continue
			}
			failures = append(failures, o.Err.Error())
			if text := o.Err.Error(); !errors.Is(o.Err, window.ErrJob) || !strings.HasPrefix(text, "stream sales can't be read as it is declared: position ") {
				t.Errorf("%s: %s", c.column, text)
			}
		}
		if text := strings.Join(failures, "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %s", c.column, text, c.want)
		}
	}
}

// As it is when CSV lands, and wherever the text lies.
func TestAnEmptyTextThatLandedIsNullForTypesWithoutOne(t *testing.T) {
	lines := fmt.Sprintf("{\"at\":%d,\"n\":\"\",\"e\":\"\",\"o\":{\"v\":\"\"}}\n{\"at\":%[1]d,\"n\":\"1\",\"e\":\"2\",\"o\":{\"v\":\"3\"}}\n", day(1).UnixMilli())
	for _, typ := range []string{"BIGINT", "DECIMAL(6,3)", "DOUBLE", "VARCHAR"} {
		l := newLake(t, objstore.NewMemory()).declared(declare(t, "n VARCHAR", "o JSON"))
		_, err := l.landJSON("old", lines)
		must(t, err)
		l = l.declared(declare(t, "w "+typ+" = n", "x "+typ+" = e", "y "+typ+" = o.v", "z "+typ+" = n nowhere"))
		job := columnsJob("w", "x", "y", "z")
		isNull := "w IS NULL AND x IS NULL AND y IS NULL AND z IS NULL"
		if typ == "VARCHAR" {
			isNull = "w = '' AND x = '' AND y = '' AND z = ''"
		}
		job.SQL += " WHERE position = 1 OR " + isNull
		report := l.run(l.task(job), backfill(day(1), day(2)))
		if len(report.Outcomes) != 1 || report.Outcomes[0].Err != nil || report.Outcomes[0].Receipt.Rows != 2 {
			t.Errorf("%s: %+v", typ, report.Outcomes)
		}
	}
}

func TestAJobThatDoesNotReadAColumnIsNotConcernedByItsValues(t *testing.T) {
	l := newLake(t, objstore.NewMemory()).declared(declare(t, "id VARCHAR"))
	_, err := l.landJSON("old", fmt.Sprintf("{\"at\":%d,\"id\":\"b\",\"n\":\"many\"}\n", day(1).UnixMilli()))
	must(t, err)
	l = l.declared(declare(t, "id VARCHAR", "n BIGINT", "at VARCHAR"))
	job := columnsJob("id")
	report := l.run(l.task(job), backfill(day(1), day(3)))
	if len(report.Outcomes) != 1 || report.Outcomes[0].Err != nil {
		t.Errorf("published: %+v", report.Outcomes)
	}
	for name, r := range l.verify(job) {
		if r.Finding != runner.Reproduced {
			t.Errorf("%s is %s: %v %s", name, r.Finding, r.Differences, r.Unproved)
		}
	}
}

func TestANarrowedOrChangedTypeIsRefusedBeforeAnythingLandsOrIsRead(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	wide := l.declared(declare(t, "n BIGINT"))
	line := func(n int) string { return fmt.Sprintf("{\"at\":%d,\"n\":%d}\n", day(1).UnixMilli(), n) }
	_, err := wide.landJSON("wide", line(1))
	must(t, err)
	for _, typ := range []string{"INTEGER", "DOUBLE", "DECIMAL(18,3)", "JSON", "UBIGINT"} {
		other := l.declared(declare(t, "n "+typ))
		if _, err := other.landJSON("other", line(2)); !errors.Is(err, landing.ErrTypeChanged) || !strings.Contains(err.Error(), "{type: "+typ+", path: n}") {
			t.Errorf("%s: landed with %v", typ, err)
		}
		if err := other.stream.Refresh(t.Context()); !errors.Is(err, landing.ErrTypeChanged) {
			t.Errorf("%s: read with %v", typ, err)
		}
	}
	other := l.declared(declare(t, "n TINYINT = o.m p"))
	if err := other.stream.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "{type: TINYINT, path: o.m}") {
		t.Errorf("of another field: %v", err)
	}
	// Another name reads what landed, value by value.
	renamed := l.declared(declare(t, "small TINYINT = n"))
	report := renamed.run(renamed.task(columnsJob("small")), backfill(day(1), day(2)))
	if len(report.Outcomes) != 1 || report.Outcomes[0].Err != nil {
		t.Errorf("another name: %+v", report)
	}
	if wide.stream.Next() != 1 {
		t.Errorf("the stream is at %d", wide.stream.Next())
	}
}

// A process that does not know yet that a column was widened is stopped at its next
// commit, also where it had begun before.
func TestAWriterOfTheNarrowTypeIsStoppedOnceTheWideOneHasLanded(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	narrow, wide := l.declared(declare(t, "n INTEGER")), l.declared(declare(t, "n BIGINT"))
	begun, err := narrow.stream.Begin(landing.Source{Name: "begun"})
	must(t, err)
	_, err = narrow.landJSON("narrow", fmt.Sprintf("{\"at\":%d,\"n\":1}\n", day(1).UnixMilli()))
	must(t, err)
	_, err = wide.landJSON("wide", fmt.Sprintf("{\"at\":%d,\"n\":2}\n", day(1).UnixMilli()))
	must(t, err)
	if _, err := begun.Commit(t.Context(), landing.Identity{Size: 3}); !errors.Is(err, landing.ErrTypeChanged) {
		t.Fatalf("the narrow writer: %v", err)
	}
}

// A changed column makes stale what reads it, and nothing else.
func TestOnlyJobsThatReadAChangedColumnBecomeStale(t *testing.T) {
	l := newLake(t, objstore.NewMemory())
	fingerprint := func(job window.Job, columns ...string) string {
		c, err := window.Compile(t.Context(), l.engine, job, window.StreamShape(declare(t, columns...)))
		must(t, err)
		return c.Fingerprint.String()
	}
	before := []string{"id VARCHAR", "n INTEGER"}
	for _, after := range [][]string{{"id VARCHAR", "n BIGINT"}, {"id VARCHAR", "n INTEGER = n m"}, {"id VARCHAR", "n INTEGER = o.n"}} {
		if fingerprint(columnsJob("id"), before...) != fingerprint(columnsJob("id"), after...) {
			t.Errorf("%v makes stale what reads id alone", after)
		}
		if fingerprint(columnsJob("id", "n"), before...) == fingerprint(columnsJob("id", "n"), after...) {
			t.Errorf("%v does not make stale what reads n", after)
		}
	}
	if fingerprint(columnsJob("id"), before...) != fingerprint(columnsJob("id"), "id VARCHAR", "n INTEGER", "new DATE") {
		t.Error("a new column makes stale what does not read it")
	}
}

// What a segment's columns were read from is known of the whole segment.
func TestOnlySegmentsOfTheSameFieldsAreMerged(t *testing.T) {
	for _, c := range []struct {
		second string
		want   int
	}{{"n BIGINT", 1}, {"n BIGINT = n m", 2}, {"n BIGINT = m", 2}, {"m BIGINT", 2}} {
		l := newLake(t, objstore.NewMemory())
		for i, columns := range []string{"n BIGINT", c.second} {
			_, err := l.declared(declare(t, columns)).landJSON(fmt.Sprint(i), fmt.Sprintf("{\"at\":%d,\"m\":%d}\n", day(1).UnixMilli(), i))
			must(t, err)
		}
		l = l.declared(declare(t, "n BIGINT = n m"))
		task := l.task(columnsJob("n"))
		l.run(task, backfill(day(1), day(2)))
		must(t, l.compactor(task).Run(t.Context()))
		if n := len(l.segmentIDs()); n != c.want {
			t.Errorf("%s: %d segments, want %d", c.second, n, c.want)
		}
	}
}

// CSV has no types: what its cells are is the same whether or not their column was
// declared when they landed.
func TestCellsOfCSVAreReadAsTheyWouldHaveLanded(t *testing.T) {
	columns := []string{"id VARCHAR", "n BIGINT", "d DECIMAL(38,9)", "text VARCHAR", "day DATE", "raw BLOB = user.raw user_raw"}
	all := newLake(t, objstore.NewMemory()).declared(declare(t, columns...))
	some := newLake(t, objstore.NewMemory()).declared(declare(t, columns[0]))
	text := fmt.Sprintf("at,id,n,d,text,day,user_raw\n%d,a,9223372036854775807,12345678901234567890.123456789,\"x\"\"y\",2026-03-01,0aff\n%[1]d,b,\"\",,\"\",\"\",\"\"\n%[1]d,c,,\"1\",,,\n", day(1).UnixMilli())
	for _, l := range []*lake{all, some} {
		out, err := ingest.LandReader(t.Context(), l.stream, strings.NewReader(text), "csv", ingest.Options{Format: ingest.FormatCSV})
		if err != nil || out.Rows() != 3 {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	some = some.declared(declare(t, columns...))
	for _, l := range []*lake{all, some} {
		l.run(l.task(columnsJob("id", "n", "d", `"text"`, `"day"`, "raw")), backfill(day(1), day(2)))
	}
	if got, want := some.outputs(), all.outputs(); len(got) != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("read %v, want %v", got, want)
	}
}
