package window

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/landing"
	"strandline/manifests"
)

// table is the result of a job called t, in a file.
type table struct {
	t      *testing.T
	engine *duck.Engine
	files  []string
	made   Compiled
	rows   int64
}

// result runs a SELECT whose key is k and keeps what it returns.
func result(t *testing.T, sql string) *table {
	t.Helper()
	dir := t.TempDir()
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = engine.Close() })
	r := &table{t: t, engine: engine}
	r.made.Job = Job{Name: "t", Key: []string{"k"}}
	session, err := engine.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if r.made.Columns, err = session.Describe(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
	if r.files, err = session.CopySorted(t.Context(), sql, r.made.Key, filepath.Join(dir, "result")); err != nil {
		t.Fatal(err)
	}
	if _, r.rows, err = session.Peek(t.Context(), sql, 0); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *table) examine(standing *manifests.Receipt, checks ...Check) (Findings, error) {
	r.made.Checks = checks
	if err := r.made.checkChecks(r.t.Context(), r.engine); err != nil {
		r.t.Helper()
		r.t.Fatalf("%v is refused: %v", checks, err)
	}
	return r.made.Examine(r.t.Context(), r.engine, r.files, r.rows, standing)
}

// says holds the result against one rule and wants that said of it.
func (r *table) says(rule Rule, want string) {
	r.t.Helper()
	findings, err := r.examine(nil, Check{Rule: rule, OnFailure: Block})
	if err != nil {
		r.t.Fatalf("%s: %v", rule, err)
	}
	if want != "" {
		want = "check " + rule.String() + ": " + want
	}
	if got := strings.Join(findings.Violations, "; "); got != want || len(findings.Warnings) > 0 {
		r.t.Errorf("%+v says %q (warnings %q), want %q", rule, got, findings.Warnings, want)
	}
}

const some = `SELECT * FROM (VALUES
	(1, 'us', 4.500::DECIMAL(6,3), 9007199254740993, 0.1::DOUBLE),
	(2, 'ak', 11.200::DECIMAL(6,3), NULL, NULL),
	(3, NULL, NULL, 5, 'NaN'::DOUBLE),
	(4, 'us', -0.001::DECIMAL(6,3), 5, 0.2::DOUBLE),
	(5, 'it''s', 10.000::DECIMAL(6,3), -9007199254740993, 1e300)) v(k, net, mag, big, ratio)`

func TestNotNullCountsTheRowsWithANull(t *testing.T) {
	r := result(t, some)
	r.says(NotNull{[]string{"k"}}, "")
	r.says(NotNull{[]string{"net"}}, "1 row with a NULL in net, for example (k=3, net=NULL)")
	r.says(NotNull{[]string{"NET", "big"}}, "2 rows with a NULL in NET or big, for example (k=2, net=ak, big=NULL), (k=3, net=NULL, big=5)")
}

func TestUniqueNamesTheValuesThatAreThereMoreThanOnce(t *testing.T) {
	r := result(t, some)
	r.says(Unique{[]string{"k"}}, "")
	r.says(Unique{[]string{"net", "k"}}, "")
	r.says(Unique{[]string{"net"}}, "1 value is there more than once, for example (net=us, rows=2)")
	r.says(Unique{[]string{"big"}}, "1 value is there more than once, for example (big=5, rows=2)")
	r = result(t, "SELECT i AS k, i // 2 AS pair FROM range(10) v(i)")
	r.says(Unique{[]string{"pair"}}, "5 values are there more than once, for example (pair=0, rows=2), (pair=1, rows=2), (pair=2, rows=2)")
	r = result(t, "SELECT i AS k, NULL::INT AS nothing FROM range(10) v(i)")
	r.says(Unique{[]string{"nothing"}}, "")
}

func TestAcceptedComparesValuesOfTheColumnsOwnType(t *testing.T) {
	r := result(t, some)
	r.says(Accepted{"net", []string{"us", "ak", "it's"}}, "")
	r.says(Accepted{"net", []string{"us", "it's"}}, "1 row with another value than us, it's, for example (k=2, net=ak)")
	r.says(Accepted{"mag", []string{"4.5", "11.2", "-0.001", "10"}}, "")
	r.says(Accepted{"big", []string{"5", "9007199254740993", "-9007199254740993"}}, "")
	r.says(Accepted{"big", []string{"5", "9007199254740992", "-9007199254740993"}},
		"1 row with another value than 5, 9007199254740992, -9007199254740993, for example (k=1, big=9007199254740993)")
	r = result(t, "SELECT 1 AS k, DATE '2026-03-01' AS d, true AS b")
	r.says(Accepted{"d", []string{"2026-03-01"}}, "")
	r.says(Accepted{"b", []string{"false"}}, "1 row with another value than false, for example (k=1, b=true)")
}

func TestRangeIsExactAndHasBothEnds(t *testing.T) {
	r := result(t, some)
	r.says(Range{"mag", "-0.001", "11.2"}, "")
	r.says(Range{"mag", "0", "10"}, "2 rows outside [0, 10], for example (k=2, mag=11.200), (k=4, mag=-0.001)")
	r.says(Range{"mag", "", "11.19999999999999999999"}, "1 row, want at most 11.19999999999999999999, for example (k=2, mag=11.200)")
	r.says(Range{"mag", "-0.00099999999999999", ""}, "1 row, want at least -0.00099999999999999, for example (k=4, mag=-0.001)")
	r.says(Range{"mag", "-99999999999999999999", "99999999999999999999999999999999999999999999"}, "")
	r.says(Range{"mag", "99999999", ""}, "4 rows, want at least 99999999, for example (k=1, mag=4.500), (k=2, mag=11.200), (k=4, mag=-0.001)")
	r.says(Range{"big", "-9007199254740993", "9007199254740993"}, "")
	r.says(Range{"big", "-9007199254740993", "9007199254740992"}, "1 row outside [-9007199254740993, 9007199254740992], for example (k=1, big=9007199254740993)")
	r.says(Range{"big", "-9007199254740993", "9007199254740992.5"}, "1 row outside [-9007199254740993, 9007199254740992.5], for example (k=1, big=9007199254740993)")
	r.says(Range{"big", "-18446744073709551616", "18446744073709551616"}, "")
	r.says(Range{"ratio", "0.1", "0.2"}, "2 rows outside [0.1, 0.2], for example (k=3, ratio=NaN), (k=5, ratio=1e+300)")
	r.says(Range{"ratio", "0.1", ""}, "1 row, want at least 0.1, for example (k=3, ratio=NaN)")
}

func TestRowCountKnowsTheReceiptThatStands(t *testing.T) {
	whole := func(n int64) *int64 { return &n }
	share := func(s string) *Percent {
		p, err := ParsePercent(s)
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	tests := []struct {
		rows, standing int64 // -1: none
		rule           RowCount
		want           string
	}{
		{12, 110, RowCount{Min: whole(12), Max: whole(12)}, ""},
		{11, 110, RowCount{Min: whole(12)}, "11 rows, want at least 12"},
		{1, 110, RowCount{Max: whole(0)}, "1 row, want at most 0"},
		{12, 110, RowCount{MaxDrop: share("50%")}, "12 rows, the receipt that stands has 110: a drop of 89.1%, more than the 50% allowed"},
		{55, 110, RowCount{MaxDrop: share("50%")}, ""},
		{54, 110, RowCount{MaxDrop: share("50%")}, "54 rows, the receipt that stands has 110: a drop of 50.91%, more than the 50% allowed"},
		{499_999_999, 1_000_000_000, RowCount{MaxDrop: share("50%")}, "499999999 rows, the receipt that stands has 1000000000: a drop of 50.01%, more than the 50% allowed"},
		{500, 110, RowCount{MaxDrop: share("0%")}, ""},
		{440, 110, RowCount{MaxGrowth: share("300%")}, ""},
		{441, 110, RowCount{MaxGrowth: share("300%")}, "441 rows, the receipt that stands has 110: a growth of 300.91%, more than the 300% allowed"},
		{1, 110, RowCount{MaxGrowth: share("0%")}, ""},
		{0, 110, RowCount{Min: whole(1), MaxDrop: share("99.99%")}, "0 rows, want at least 1, and the receipt that stands has 110: a drop of 100%, more than the 99.99% allowed"},
		{1000, -1, RowCount{MaxDrop: share("0%"), MaxGrowth: share("0%")}, ""},
		{1000, 0, RowCount{MaxDrop: share("0%"), MaxGrowth: share("0%")}, ""},
		{1 << 62, 1, RowCount{MaxGrowth: share("999999999.99%")}, "4611686018427387904 rows, the receipt that stands has 1: a growth of 92233720368547758.07%, more than the 999999999.99% allowed"},
	}
	for _, test := range tests {
		made := exam{rows: test.rows}
		if test.standing >= 0 {
			made.standing = &manifests.Receipt{Rows: test.standing}
		}
		if got, err := test.rule.broken(t.Context(), made); err != nil || got != test.want {
			t.Errorf("%d rows after %d: %q, %v; want %q", test.rows, test.standing, got, err, test.want)
		}
	}
}

func TestSQLMustReturnNoRow(t *testing.T) {
	r := result(t, some)
	r.says(NoRow{"SELECT * FROM t WHERE mag > 12"}, "")
	r.says(NoRow{"SELECT net, mag AS \"how strong\" FROM T WHERE mag > 10 -- why not\n;"}, "the SQL returns 1 row, for example (net=ak, how strong=11.200)")
	r.says(NoRow{"SELECT k FROM t ORDER BY k DESC"}, "the SQL returns 5 rows, for example (k=5), (k=4), (k=3)")
	r.says(NoRow{"SELECT sum(k) AS total, current_date > DATE '2020-01-01' AS late FROM t HAVING sum(k) > 3"}, "the SQL returns 1 row, for example (total=15, late=true)")
	r.says(NoRow{"SELECT repeat('x', 100) || chr(10) AS long FROM t LIMIT 1"}, "the SQL returns 1 row, for example (long="+strings.Repeat("x", 80)+"…)")
}

func TestAllThatIsWrongIsToldByWhatItIsFor(t *testing.T) {
	r := result(t, some)
	findings, err := r.examine(&manifests.Receipt{Rows: 100},
		Check{Name: "all sent", OnFailure: Block, Rule: NotNull{[]string{"net"}}},
		Check{OnFailure: Warn, Rule: Unique{[]string{"net"}}},
		Check{OnFailure: Block, Rule: NotNull{[]string{"k"}}},
		Check{OnFailure: Block, Rule: RowCount{MaxDrop: new(Percent)}})
	want := Findings{
		Violations: []string{
			"check all sent (not_null of net): 1 row with a NULL in net, for example (k=3, net=NULL)",
			"check rows: 5 rows, the receipt that stands has 100: a drop of 95%, more than the 0% allowed",
		},
		Warnings: []string{"check unique of net: 1 value is there more than once, for example (net=us, rows=2)"},
	}
	if err != nil || !slices.Equal(findings.Violations, want.Violations) || !slices.Equal(findings.Warnings, want.Warnings) {
		t.Errorf("got %q, %v; want %q", findings, err, want)
	}
}

func TestAnEmptyResultIsHeldAgainstItsChecksToo(t *testing.T) {
	r := result(t, "SELECT 1 AS k, 'us' AS net WHERE false")
	r.says(NotNull{[]string{"net"}}, "")
	r.says(Unique{[]string{"net"}}, "")
	r.says(Accepted{"net", []string{"us"}}, "")
	least := int64(1)
	r.says(RowCount{Min: &least}, "0 rows, want at least 1")
	r.says(NoRow{"SELECT count(*) AS n FROM t HAVING count(*) = 0"}, "the SQL returns 1 row, for example (n=0)")
}

func TestAChecksOwnFaultIsTold(t *testing.T) {
	r := result(t, some)
	_, err := r.examine(nil, Check{Name: "numbers", OnFailure: Warn, Rule: NoRow{"SELECT * FROM t WHERE net::INT > 5"}})
	if !errors.Is(err, ErrCheck) || errors.Is(err, ErrJob) || !strings.Contains(err.Error(), "check numbers (sql): ") {
		t.Errorf("got %v, want ErrCheck that names the check", err)
	}
	if err := os.WriteFile(r.files[0], []byte("no such thing"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := r.examine(nil, Check{Rule: NotNull{[]string{"k"}}}); !errors.Is(err, ErrResources) {
		t.Errorf("of a broken file: got %v, want ErrResources", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.made.Examine(ctx, r.engine, r.files, 1, nil); !errors.Is(err, context.Canceled) || errors.Is(err, ErrJob) {
		t.Errorf("got %v, want that it was stopped", err)
	}
}

func TestChecksThatFitNoResultAreRefusedWithTheJob(t *testing.T) {
	engine := result(t, "SELECT 1 AS k").engine
	stream := landing.Spec{Stream: "sales", Columns: []datafile.Column{
		{Name: "shop", Type: datafile.Type{Kind: datafile.Varchar}}, {Name: "cents", Type: datafile.Type{Kind: datafile.BigInt}},
	}}
	job := Job{
		Name: "hourly", Inputs: FromStream("sales"), Window: Window{Kind: Tumbling, Size: 3600e9}, Grain: GrainDay, Key: []string{ColumnWindowStart, "shop"},
		SQL: "SELECT window_start, shop, count(*) AS n FROM sales GROUP BY window_start, shop",
	}
	plain, err := Compile(t.Context(), engine, job, StreamShape(stream))
	if err != nil {
		t.Fatal(err)
	}
	for want, rule := range map[string]Rule{
		"check not_null of shop, cents: the SQL selects no column cents: it selects window_start, shop, n": NotNull{[]string{"shop", "cents"}},
		"check unique of cents: the SQL selects no column cents":                                           Unique{[]string{"cents"}},
		"check accepted values of cents: the SQL selects no column cents":                                  Accepted{"cents", []string{"1"}},
		"check accepted values of n: column n can't hold it: ":                                             Accepted{"n", []string{"1", "1.5"}},
		"check range of cents: the SQL selects no column cents":                                            Range{"cents", "1", ""},
		"check range of shop: column shop is a VARCHAR, want a column of numbers":                          Range{"shop", "1", ""},
		"check sql: table \"sales\" is not an input (inputs here: hourly)":                                 NoRow{"SELECT * FROM sales"},
		"check sql: relation 'x.csv': SQL can't read files":                                                NoRow{"SELECT * FROM 'x.csv'"},
		"check sql: found DROP: write one SELECT statement":                                                NoRow{"DROP TABLE hourly"},
		"Referenced column \"cents\" not found":                                                            NoRow{"SELECT cents FROM hourly"},
	} {
		job.Checks = []Check{{Rule: NotNull{[]string{"n"}}}, {Rule: rule}}
		if _, err := Compile(t.Context(), engine, job, StreamShape(stream)); !errors.Is(err, ErrJob) || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got %v, want ErrJob that says %q", rule, err, want)
		}
	}
	job.Checks = []Check{{Rule: NotNull{[]string{"n"}}}}
	if checked, err := Compile(t.Context(), engine, job, StreamShape(stream)); err != nil || checked.Fingerprint != plain.Fingerprint {
		t.Errorf("with checks the job is %v, %v; want the fingerprint %v that it has without", checked, err, plain.Fingerprint)
	}
}
