package runner_test

import (
	"fmt"
	"strings"
	"testing"

	"strandline/internal/objstore"
)

// A column is what it is read from, and not its name: older rows never show under a name
// what it meant before.
func TestANameThatIsUsedAgainForAnotherFieldDoesNotShowTheOldOne(t *testing.T) {
	for _, c := range []struct{ before, record, after string }{
		{"name VARCHAR", `"name":"Ada Lovelace"`, "full_name VARCHAR = name; name VARCHAR = short_name"},
		{"name VARCHAR", `"name":"Ada Lovelace","short_name":"ada"`, "full_name VARCHAR = name; name VARCHAR = short_name"},
		{"a BIGINT; b BIGINT", `"a":1,"b":null`, "a BIGINT = b; b BIGINT = a"},
		{"a BIGINT; b BIGINT", `"a":1,"b":2`, "a BIGINT = b; b BIGINT = a"},
		{"a BIGINT; b BIGINT", `"a":1,"b":2`, "a BIGINT = b c; b BIGINT = a d"},
		{"v VARCHAR = x", `"x":"7","y":"eight"`, "v VARCHAR = y; x INTEGER"},
		{"v BIGINT", `"v":1,"o":{"v":2}`, "v BIGINT = o.v; w BIGINT = v"},
		// Landed as another type, a value has the text that SQL writes, and bytes are
		// lower-case digits.
		{"v BLOB", `"v":"00ff"`, "t VARCHAR = v"},
		{"v TIMESTAMPTZ", `"v":"2026-03-01 09:00:00.5+00"`, "t VARCHAR = v"},
		{"v DECIMAL(9,3)", `"v":"1.500"`, "t VARCHAR = v"},
		{"o JSON", `"o":{"v":2},"p":{"v":3}`, "o JSON = p; v BIGINT = o.v"},
	} {
		var published []map[string]string
		after := strings.Split(c.after, "; ")
		for _, first := range []string{c.before, c.after} {
			l := newLake(t, objstore.NewMemory()).declared(declare(t, strings.Split(first, "; ")...))
			_, err := l.landJSON("one", fmt.Sprintf("{\"at\":%d,%s}\n", day(1).UnixMilli(), c.record))
			must(t, err)
			l = l.declared(declare(t, after...))
			var names []string
			for _, column := range after {
				names = append(names, strings.Fields(column)[0])
			}
			l.run(l.task(columnsJob(names...)), backfill(day(1), day(2)))
			published = append(published, l.outputs())
		}
		if got, want := published[0], published[1]; len(got) != 1 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s, of %s as %s: read %v, want %v", c.record, c.before, c.after, got, want)
		}
	}
}
