package ingest

import (
	"strings"
	"testing"

	"strandline/landing"
)

func TestEventTimeIsExactInEveryUnit(t *testing.T) {
	for _, c := range []struct {
		unit landing.Unit
		zone string
		text string
		want string // an instant, or part of a reason after "!"
	}{
		{landing.UnitSeconds, "", "1517365101", "2018-01-31T02:18:21.000000Z"},
		{landing.UnitSeconds, "", "1517365101.235", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitSeconds, "", "1517365101.235000000", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitSeconds, "", "1517365101.0000019", "2018-01-31T02:18:21.000001Z"},
		{landing.UnitSeconds, "", "-1.0000001", "1969-12-31T23:59:58.999999Z"},
		{landing.UnitSeconds, "", "-0", "1970-01-01T00:00:00.000000Z"},
		{landing.UnitSeconds, "", "0e999999999999999999999", "1970-01-01T00:00:00.000000Z"},
		{landing.UnitSeconds, "", "1e-999999999999999999999", "1970-01-01T00:00:00.000000Z"},
		{landing.UnitSeconds, "", "-1e-999999999999999999999", "1969-12-31T23:59:59.999999Z"},
		{landing.UnitSeconds, "", "15173651012350000e-7", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitSeconds, "", "1.517365101235E+9", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitSeconds, "", "001517365101", "2018-01-31T02:18:21.000000Z"},
		{landing.UnitSeconds, "", "1517365101235", "!would be 50053-05-21T01:53:55Z"},
		{landing.UnitSeconds, "", "9223372036855", "!hundreds of thousands of years away"},
		{landing.UnitSeconds, "", "-9223372036855", "!hundreds of thousands of years away"},
		{landing.UnitSeconds, "", "99999999999999999999999", "!hundreds of thousands of years away"},
		{landing.UnitSeconds, "", "1e999999999999999999999", "!hundreds of thousands of years away"},
		{landing.UnitMillis, "", "1517365101235", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitMillis, "", "1517365101235.4567", "2018-01-31T02:18:21.235456Z"},
		{landing.UnitMicros, "", "1517365101235456", "2018-01-31T02:18:21.235456Z"},
		{landing.UnitMicros, "", "1517365101235456.9", "2018-01-31T02:18:21.235456Z"},
		{landing.UnitNanos, "", "1517365101235456999", "2018-01-31T02:18:21.235456Z"},
		{landing.UnitNanos, "", "-1", "1969-12-31T23:59:59.999999Z"},
		{landing.UnitNanos, "", "-1000", "1969-12-31T23:59:59.999999Z"},
		{landing.UnitNanos, "", "-1001", "1969-12-31T23:59:59.999998Z"},
		{landing.UnitSeconds, "", "-2208988800", "1900-01-01T00:00:00.000000Z"},
		{landing.UnitSeconds, "", "-2208988800.0000001", "!1899-12-31T23:59:59.999999Z"},
		{landing.UnitSeconds, "", "7258118399.999999", "2199-12-31T23:59:59.999999Z"},
		{landing.UnitSeconds, "", "7258118400", "!2200-01-01T00:00:00Z"},
		{landing.UnitSeconds, "", "", "!missing"},
		{landing.UnitSeconds, "", "+1", "!not a number"},
		{landing.UnitSeconds, "", "1.", "!not a number"},
		{landing.UnitSeconds, "", ".5", "!not a number"},
		{landing.UnitSeconds, "", "1e", "!not a number"},
		{landing.UnitSeconds, "", "--1", "!not a number"},
		{landing.UnitSeconds, "", " 1", "!not a number"},
		{landing.UnitSeconds, "", "0x10", "!not a number"},
		{landing.UnitSeconds, "", "NaN", "!not a number"},
		{landing.UnitSeconds, "", strings.Repeat("9", 1000), "!(1000 bytes)"},
		{landing.UnitISO, "", "2018-01-31T02:18:21.235Z", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitISO, "", "2018-01-31T04:18:21.235+02:00", "2018-01-31T02:18:21.235000Z"},
		{landing.UnitISO, "", "2018-01-31T02:18:21", "!has no offset"},
		{landing.UnitISO, "+02:00", "2018-01-31T04:18:21", "2018-01-31T02:18:21.000000Z"},
		{landing.UnitISO, "+02:00", "2018-01-31T02:18:21Z", "2018-01-31T02:18:21.000000Z"},
		{landing.UnitISO, "-05:30", "2018-01-31", "2018-01-31T05:30:00.000000Z"},
		{landing.UnitISO, "UTC", "2018-01-31", "2018-01-31T00:00:00.000000Z"},
		{landing.UnitISO, "UTC", "0001-01-01", "!would be 0001-01-01T00:00:00Z"},
		{landing.UnitISO, "UTC", "1517365101235", "!not an ISO 8601"},
	} {
		clock, err := newClock(landing.EventTime{Column: "t", Unit: c.unit, Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		micros, err := clock.read([]byte(c.text))
		reason, isReason := strings.CutPrefix(c.want, "!")
		switch {
		case isReason && (err == nil || !strings.Contains(err.Error(), reason)):
			t.Errorf("%s %q: got %v, want a reason with %q", c.unit, c.text, err, reason)
		case isReason && !strings.HasPrefix(err.Error(), "event time "):
			t.Errorf("%s %q: reason %q does not say that it is about the event time", c.unit, c.text, err)
		case !isReason && (err != nil || instant(micros) != c.want):
			t.Errorf("%s %q: got %s, %v, want %s", c.unit, c.text, instant(micros), err, c.want)
		}
	}
}

func TestEventTimeOfUnknownUnitOrZoneIsRefused(t *testing.T) {
	for _, e := range []landing.EventTime{{Unit: ""}, {Unit: "min"}, {Unit: "ms", Zone: "Europe/Berlin"}, {Unit: "iso", Zone: "+2"}} {
		if _, err := NewDecoder(landing.Spec{Stream: "s", EventTime: e}, Options{}); err == nil {
			t.Errorf("%+v was accepted", e)
		}
	}
}

func TestEventTimeThatIsAlsoAColumnIsKeptThereAsGiven(t *testing.T) {
	for _, c := range []struct{ column, source, want string }{
		{"time VARCHAR", `{"time":1517365101235.50}`, `time="1517365101235.50"`},
		{"time BIGINT", `{"time":1517365101235}`, `time=1517365101235`},
		{"time BIGINT", `{"time":"1517365101235"}`, `time=1517365101235`},
		{"time JSON", `{"time":"1517365101235"}`, `time="\"1517365101235\""`},
		{"time TIMESTAMPTZ", `{"time":1517365101235}`, `time=1517365101235000`},
		{"time TIMESTAMPTZ", `{"time":1517365101235.0009}`, `time=1517365101235000`},
		{"time SMALLINT", `{"time":1517365101235}`, `REJECT column time`},
	} {
		spec := nastySpec()
		spec.Columns = columns(c.column)
		got, _ := decode(t, spec, Options{}, []byte(c.source))
		if !strings.Contains(got, c.want) || strings.Contains(got, "extra") {
			t.Errorf("%s: got %s, want %s and no extra", c.column, got, c.want)
		}
	}
}
