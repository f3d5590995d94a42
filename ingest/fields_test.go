package ingest

import (
	"strings"
	"testing"

	"strandline/landing"
)

// pathSpec reads columns from other fields than those of their names.
func pathSpec() landing.Spec {
	return landing.Spec{
		Stream:    "orders",
		EventTime: landing.EventTime{Column: "time", Unit: landing.UnitMillis},
		Columns:   columns("id VARCHAR", "uid BIGINT", "mag DECIMAL(6,3)", "user JSON", "zip VARCHAR"),
		Fields: map[string][]landing.Path{
			"uid": {{"user", "id"}, {"user.id"}},
			"mag": {{"mag"}, {"magnitude"}, {"old", "mag"}, {"old.mag"}},
			"zip": {{"user", "home", "zip"}},
		},
	}
}

func TestColumnsAreReadFromTheirFields(t *testing.T) {
	withoutUser := pathSpec()
	withoutUser.Columns = columns("id VARCHAR", "uid BIGINT", "mag DECIMAL(6,3)")
	moved := pathSpec()
	moved.Fields["time"] = []landing.Path{{"meta", "at"}, {"time"}}
	for _, c := range []struct {
		name string
		spec landing.Spec
		line string
		want string
	}{
		{"nested, and its object is a column too", pathSpec(),
			`{"time":0,"user":{"id": 7,"home":{"zip":"0800","x":1}}}`,
			`id=NULL uid=7 mag=NULL user="{\"id\":7,\"home\":{\"zip\":\"0800\",\"x\":1}}" zip="0800"`},
		{"the object of a nested field stays whole in extra", withoutUser,
			`{"time":0,"user":{"id":"7","x":[1]},"more":1}`,
			`id=NULL uid=7 mag=NULL extra {"user":{"id":"7","x":[1]},"more":1}`},
		{"flat instead of nested", withoutUser, `{"time":0,"user.id":7}`, `id=NULL uid=7 mag=NULL`},
		{"nested and flat that agree", withoutUser, `{"time":0,"user.id":7,"user":{"id":"7"}}`,
			`id=NULL uid=7 mag=NULL extra {"user":{"id":"7"}}`},
		{"an alias", withoutUser, `{"time":0,"magnitude":1.5}`, `id=NULL uid=NULL mag=1500`},
		{"a nested alias", withoutUser, `{"time":0,"old":{"mag":1.5}}`, `id=NULL uid=NULL mag=1500 extra {"old":{"mag":1.5}}`},
		{"fields that agree as values", withoutUser, `{"time":0,"mag":1.50,"magnitude":"1.5"}`, `id=NULL uid=NULL mag=1500`},
		{"a null stands back", withoutUser, `{"time":0,"mag":null,"magnitude":2}`, `id=NULL uid=NULL mag=2000`},
		{"a null after a value", withoutUser, `{"time":0,"magnitude":2,"mag":null}`, `id=NULL uid=NULL mag=2000`},
		{"fields that differ", withoutUser, `{"time":0,"magnitude":2,"mag":1}`,
			`REJECT column mag: the record has more than one of the fields mag, magnitude, old.mag, and they differ`},
		{"no object where one leads on", withoutUser, `{"time":0,"user":"bob"}`, `id=NULL uid=NULL mag=NULL extra {"user":"bob"}`},
		{"an array where an object leads on", withoutUser, `{"time":0,"user":[{"id":1}]}`, `id=NULL uid=NULL mag=NULL extra {"user":[{"id":1}]}`},
		{"a bad value inside", withoutUser, `{"time":0,"user":{"id":1.5}}`, `REJECT column uid: "1.5" is not a whole number, as a BIGINT must be`},
		{"an object where a value is read", withoutUser, `{"time":0,"user":{"id":{}}}`, `REJECT column uid: it holds an object, want BIGINT`},
		{"names with escapes", withoutUser, `{"time":0,"us\u0065r":{"\u0069d":5}}`, `id=NULL uid=5 mag=NULL extra {"us\u0065r":{"\u0069d":5}}`},
		{"a nested event time", moved, `{"meta":{"at":1}}`, `1970-01-01T00:00:00.001000Z id=NULL uid=NULL mag=NULL user=NULL zip=NULL extra {"meta":{"at":1}}`},
		{"event times that agree", moved, `{"meta":{"at":1},"time":"1"}`, `zip=NULL extra {"meta":{"at":1}}`},
		{"event times that differ", moved, `{"meta":{"at":1},"time":2}`, `REJECT event time: the record has more than one of the fields meta.at, time, and they differ`},
	} {
		got, _ := decode(t, c.spec, Options{}, []byte(c.line))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nis  %swant %s", c.name, c.line, got, c.want)
		}
		if c.want != "" && !strings.Contains(c.want, "extra") && strings.Contains(got, "extra") {
			t.Errorf("%s: %s left something in extra: %s", c.name, c.line, got)
		}
	}
}

func TestCSVColumnsAreReadFromTheirFields(t *testing.T) {
	spec := pathSpec()
	spec.Columns = columns("id VARCHAR", "uid BIGINT", "mag DECIMAL(6,3)")
	got, _ := decode(t, spec, Options{Format: FormatCSV}, []byte("id,time,magnitude,user.id,old.mag,old\na,0,1.5,7,,x\nb,0,1.5,8,2,x\nc,0,,,2,x\n"))
	for _, want := range []string{
		`id="a" uid=7 mag=1500 extra {"old":"x"}`, `REJECT column mag: the record has more than one`, `id="c" uid=NULL mag=2000`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %swant %s", got, want)
		}
	}
}

func TestOneFieldIsNotTwoColumns(t *testing.T) {
	spec := pathSpec()
	spec.Fields["id"] = []landing.Path{{"magnitude"}}
	if _, err := NewDecoder(spec, Options{}); err == nil || !strings.Contains(err.Error(), "magnitude") {
		t.Fatalf("a field that two columns are read from: %v", err)
	}
}
