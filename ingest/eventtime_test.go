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
		{landing.UnitSeconds, "", "+1", "1970-01-01T00:00:01.000000Z"},
		{landing.UnitSeconds, "", "1.", "1970-01-01T00:00:01.000000Z"},
		{landing.UnitSeconds, "", "-.5", "1969-12-31T23:59:59.500000Z"},
		{landing.UnitSeconds, "", "+1.e+1", "1970-01-01T00:00:10.000000Z"},
		{landing.UnitSeconds, "", ".", "!not a number"},
		{landing.UnitSeconds, "", "+", "!not a number"},
		{landing.UnitSeconds, "", "+-1", "!not a number"},
		{landing.UnitSeconds, "", ".e1", "!not a number"},
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
	for _, e := range []landing.EventTime{{Unit: ""}, {Unit: "min"}, {Unit: "iso", Zone: "Europe/Atlantis"}, {Unit: "iso", Zone: "+2"}} {
		if _, err := NewDecoder(landing.Spec{Stream: "s", EventTime: e}, Options{}); err == nil {
			t.Errorf("%+v was accepted", e)
		}
	}
}

func TestLocalTimesThatComeTwiceOrNeverMeanWhatIsDeclared(t *testing.T) {
	type e = landing.EventTime
	later, rejected := e{Twice: landing.TwiceLater}, e{Twice: landing.TwiceReject, Missing: landing.MissingReject}
	for _, c := range []struct {
		zone, text string
		choice     e
		want       string // an instant, or part of a reason after "!"
	}{
		{"Europe/Berlin", "2026-07-01 12:00", e{}, "2026-07-01T10:00:00.000000Z"},
		{"Europe/Berlin", "2026-07-01T12:00:00+05:00", e{}, "2026-07-01T07:00:00.000000Z"},
		{"Europe/Berlin", "2026-10-25", rejected, "2026-10-24T22:00:00.000000Z"},
		{"Europe/Berlin", "2026-10-25T02:30:00", e{}, "2026-10-25T00:30:00.000000Z"},
		{"Europe/Berlin", "2026-10-25T02:30:00", later, "2026-10-25T01:30:00.000000Z"},
		{"Europe/Berlin", "2026-10-25T02:30:00", rejected, `!"2026-10-25T02:30:00" comes twice in Europe/Berlin`},
		{"Europe/Berlin", "2026-10-25T02:30:00+02:00", rejected, "2026-10-25T00:30:00.000000Z"},
		{"Europe/Berlin", "2026-10-25T03:00:00", rejected, "2026-10-25T02:00:00.000000Z"},
		{"Europe/Berlin", "2026-03-29T02:30:00", e{}, "2026-03-29T01:30:00.000000Z"},
		{"Europe/Berlin", "2026-03-29T02:30:00", later, "2026-03-29T01:30:00.000000Z"},
		{"Europe/Berlin", "2026-03-29T02:30:00", rejected, `!"2026-03-29T02:30:00" does not exist in Europe/Berlin`},
		{"Australia/Lord_Howe", "2026-04-05 01:45", e{}, "2026-04-04T14:45:00.000000Z"},
		{"Australia/Lord_Howe", "2026-04-05 01:45", later, "2026-04-04T15:15:00.000000Z"},
		{"Asia/Kathmandu", "1985-12-31 12:00", e{}, "1985-12-31T06:30:00.000000Z"},
		{"Asia/Kathmandu", "1986-01-01 12:00", e{}, "1986-01-01T06:15:00.000000Z"},
		{"Pacific/Apia", "2011-12-30 12:00", e{}, "2011-12-30T22:00:00.000000Z"},
		{"Africa/Monrovia", "1950-01-01", e{}, "1950-01-01T00:44:30.000000Z"},
		{"Europe/Berlin", "2199-07-01", e{}, "2199-06-30T22:00:00.000000Z"},
		{"Asia/Tokyo", "1900-01-01 08:59", e{}, "!1899-12-31T23:59:00Z, outside"},
	} {
		c.choice.Column, c.choice.Unit, c.choice.Zone = "t", landing.UnitISO, c.zone
		clock, err := newClock(c.choice)
		if err != nil {
			t.Fatal(err)
		}
		micros, err := clock.read([]byte(c.text))
		if reason, ok := strings.CutPrefix(c.want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s in %v: %s, %v; want a reason with %q", c.text, c.choice, instant(micros), err, reason)
			}
		} else if err != nil || instant(micros) != c.want {
			t.Errorf("%s in %v: %s, %v; want %s", c.text, c.choice, instant(micros), err, c.want)
		}
	}
}

func BenchmarkEventTime(b *testing.B) {
	for _, c := range []struct{ zone, text string }{
		{"", "2026-07-01T12:00:00.123Z"}, {"+02:00", "2026-07-01T12:00:00.123"}, {"Europe/Berlin", "2026-07-01T12:00:00.123"},
	} {
		b.Run(c.text+c.zone, func(b *testing.B) {
			clock, err := newClock(landing.EventTime{Column: "t", Unit: landing.UnitISO, Zone: c.zone})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := clock.read([]byte(c.text)); err != nil {
					b.Fatal(err)
				}
			}
		})
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
