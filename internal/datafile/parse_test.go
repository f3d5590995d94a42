package datafile_test

import (
	"bytes"
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"strandline/internal/datafile"

	"pgregory.net/rapid"
)

// shown is a value's canonical text without its length, or the error.
func shown(typ datafile.Type, text string) string {
	v, err := datafile.ParseText(typ, []byte(text))
	if err != nil {
		return "error: " + err.Error()
	}
	_, s, _ := strings.Cut(string(datafile.AppendCanonical(nil, typ, v)), ":")
	return s
}

func TestTextsAreReadExactly(t *testing.T) {
	for _, c := range []struct{ typ, text, want string }{
		{"BIGINT", "9007199254740993", "9007199254740993"}, // not a float64
		{"BIGINT", "+7", "7"},
		{"BIGINT", "-0", "0"},
		{"BIGINT", "007", "7"},
		{"BIGINT", "1e3", "1000"},
		{"BIGINT", "2.0", "2"},
		{"BIGINT", "1.50e1", "15"},
		{"BIGINT", "9223372036854775807000e-3", "9223372036854775807"},
		{"BIGINT", "0e999999999999999999999", "0"},
		{"UTINYINT", "-0", "0"},
		{"DECIMAL(6,3)", "1", "1.000"},
		{"DECIMAL(6,3)", "1.5000000", "1.500"},
		{"DECIMAL(6,3)", ".5", "0.500"},
		{"DECIMAL(6,3)", "5.", "5.000"},
		{"DECIMAL(6,3)", "-1234.5e-3", "error: \"-1234.5e-3\" does not fit DECIMAL(6,3) without rounding"},
		{"DECIMAL(6,3)", "-12345e-3", "-12.345"},
		{"DECIMAL(38,0)", "1e37", "1" + strings.Repeat("0", 37)},
		{"DOUBLE", "1E2", "1.0000000000000000e+02"},
		{"FLOAT", "0.1", "1.0000000149011612e-01"},
		{"BOOLEAN", "True", "true"},
		{"DATE", "2024-02-29", "19782"},
		{"TIMESTAMP", "1969-12-31T23:59:59.999999", "-1"},
		{"TIMESTAMP", "1970-01-01 00:01", "60000000"},
		{"TIMESTAMP", "1970-01-01T00:00:00.1234560000", "123456"},
		{"TIMESTAMPTZ", "1970-01-01T00:00:00.5+0130", "-5399500000"},
		{"TIMESTAMPTZ", "1970-01-01t00:00:00z", "0"},
		{"TIMESTAMPTZ", "1970-01-01 00:00:00-08", "28800000000"},
		{"UUID", "0188D1A5-7F3B-7C11-8A22-0123456789AB", "0188d1a5-7f3b-7c11-8a22-0123456789ab"},
		{"BLOB", "0x00Ff", "00ff"},
		{"JSON", ` {"a": 1.0} `, ` {"a": 1.0} `},
		{"VARCHAR", " as it is ", " as it is "},
	} {
		if got := shown(typeOf(t, c.typ), c.text); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.typ, c.text, got, c.want)
		}
	}
}

func TestWhatIsNoWholeValueIsRefusedWithAReason(t *testing.T) {
	for _, c := range []struct{ typ, text, reason string }{
		{"BIGINT", "abc", `"abc" is not a BIGINT`},
		{"INTEGER", "", `"" is not an INTEGER`},
		{"BIGINT", " 1", "is not a BIGINT"},
		{"BIGINT", "1_000", "is not a BIGINT"},
		{"BIGINT", "0x10", "is not a BIGINT"},
		{"BIGINT", ".", "is not a BIGINT"},
		{"BIGINT", "-", "is not a BIGINT"},
		{"BIGINT", "1e", "is not a BIGINT"},
		{"BIGINT", "1e+", "is not a BIGINT"},
		{"BIGINT", "1.2.3", "is not a BIGINT"},
		{"BIGINT", "2.5", "is not a whole number"},
		{"BIGINT", "1e-1", "is not a whole number"},
		{"BIGINT", "9223372036854775808", "outside the range"},
		{"BIGINT", "-9223372036854775809", "outside the range"},
		{"BIGINT", "1e999999999", "outside the range"},
		{"BIGINT", "1e99999999999999999999999999", "outside the range"},
		{"BIGINT", "18446744073709551617", "outside the range"},
		{"TINYINT", "128", "outside the range"},
		{"TINYINT", "-129", "outside the range"},
		{"UBIGINT", "-1", "outside the range"},
		{"UBIGINT", "18446744073709551616", "outside the range"},
		{"DECIMAL(6,3)", "1000", "outside the range of a DECIMAL(6,3)"},
		{"DECIMAL(6,3)", "0.0001", "does not fit DECIMAL(6,3) without rounding"},
		{"DECIMAL(6,3)", "1e-999999999", "without rounding"},
		{"DECIMAL(38,0)", "1e38", "outside the range"},
		{"DOUBLE", "NaN", "want a finite decimal number"},
		{"DOUBLE", "Infinity", "want a finite decimal number"},
		{"DOUBLE", "0x1p3", "want a finite decimal number"},
		{"DOUBLE", "1e309", "outside the range of a DOUBLE"},
		{"FLOAT", "3.5e38", "outside the range of a FLOAT"},
		{"BOOLEAN", "1", "want true or false"},
		{"DATE", "2023-02-29", "want YYYY-MM-DD"},
		{"DATE", "1900-02-29", "want YYYY-MM-DD"},
		{"DATE", "2024-04-31", "want YYYY-MM-DD"},
		{"DATE", "2024-1-01", "want YYYY-MM-DD"},
		{"DATE", "2024-01-01T00:00:00", "want YYYY-MM-DD"},
		{"TIMESTAMP", "2024-01-01", "want YYYY-MM-DDTHH:MM:SS"},
		{"TIMESTAMP", "2024-01-01T00:00:00Z", "declare the column TIMESTAMPTZ"},
		{"TIMESTAMP", "2024-01-01T24:00:00", "want YYYY-MM-DDTHH:MM:SS"},
		{"TIMESTAMP", "2024-01-01T23:59:60", "want YYYY-MM-DDTHH:MM:SS"},
		{"TIMESTAMP", "2024-01-01T00:00:00.", "want YYYY-MM-DDTHH:MM:SS"},
		{"TIMESTAMP", "2024-01-01T00:00:00.0000001", "without rounding to microseconds"},
		{"TIMESTAMPTZ", "2024-01-01T00:00:00", "has no offset from UTC"},
		{"TIMESTAMPTZ", "2024-01-01T00:00:00+2", "want YYYY-MM-DDTHH:MM:SS and Z"},
		{"TIMESTAMPTZ", "2024-01-01T00:00:00+24:00", "want YYYY-MM-DDTHH:MM:SS and Z"},
		{"TIMESTAMPTZ", "2024-01-01T00:00:00+02:0", "want YYYY-MM-DDTHH:MM:SS and Z"},
		{"TIMESTAMPTZ", "2024-01-01T00:00:00 CET", "want YYYY-MM-DDTHH:MM:SS and Z"},
		{"UUID", "0188d1a57f3b7c118a220123456789ab", "is not a UUID"},
		{"UUID", "0188d1a5-7f3b-7c11-8a22-0123456789ag", "is not a UUID"},
		{"BLOB", "abc", "pairs of hexadecimal digits"},
		{"BLOB", "aGk=", "pairs of hexadecimal digits"},
		{"VARCHAR", "a\xffb", "is not valid UTF-8"},
		{"VARCHAR", "a\x00b", "NUL"},
		{"JSON", "{} {}", "is not one JSON value"},
		{"JSON", "", "is not one JSON value"},
		{"JSON", "\"\xff\"", "is not valid UTF-8"},
	} {
		got := shown(typeOf(t, c.typ), c.text)
		if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.reason) {
			t.Errorf("%s %q: got %s, want an error with %q", c.typ, c.text, got, c.reason)
		}
	}
}

func TestReasonsShowNoMoreThanTheBeginning(t *testing.T) {
	_, err := datafile.ParseText(typeOf(t, "BIGINT"), []byte(strings.Repeat("é", 40)))
	if want := `"` + strings.Repeat("é", 32) + `"… is not a BIGINT`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = datafile.ParseText(typeOf(t, "BIGINT"), []byte("x"+strings.Repeat("é", 40)))
	if want := `"x` + strings.Repeat("é", 31) + `"… is not a BIGINT`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValuesOwnTheirBytesUnlessBorrowed(t *testing.T) {
	for _, s := range samples {
		typ := typeOf(t, s.typ)
		for _, text := range s.texts {
			buf := []byte(text)
			v, err := datafile.ParseText(typ, buf)
			if err != nil {
				t.Fatal(err)
			}
			before := datafile.AppendCanonical(nil, typ, v)
			for i := range buf {
				buf[i] = '#'
			}
			if after := datafile.AppendCanonical(nil, typ, v); !bytes.Equal(before, after) {
				t.Errorf("%s %q changed with its text", s.typ, text)
			}
		}
	}
}

// TestNumbersAgreeWithExactArithmetic compares with math/big, which knows
// nothing of our digits and exponents.
func TestNumbersAgreeWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{1,25}(\.[0-9]{0,25})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "text")
		precision := rapid.IntRange(1, 38).Draw(t, "precision")
		typ := datafile.Type{Kind: datafile.Decimal, Precision: precision, Scale: rapid.IntRange(0, precision).Draw(t, "scale")}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("math/big can't read %q", text)
		}
		shift := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(typ.Scale)), nil))
		limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(typ.Precision)), nil))
		scaled := new(big.Rat).Mul(exact, shift)
		fits := scaled.IsInt() && new(big.Rat).Abs(scaled).Cmp(limit) < 0
		v, err := datafile.ParseText(typ, []byte(text))
		if (err == nil) != fits {
			t.Fatalf("%s %q: got error %v, but it fits: %t", typ, text, err, fits)
		}
		if err != nil {
			return
		}
		_, got, _ := strings.Cut(string(datafile.AppendCanonical(nil, typ, v)), ":")
		back, ok := new(big.Rat).SetString(got)
		if !ok || back.Cmp(exact) != 0 {
			t.Fatalf("%s %q: became %s", typ, text, got)
		}
	})
}

func TestIntegersAgreeWithExactArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+]?[0-9]{1,21}(\.0{0,3})?`).Draw(t, "text")
		whole, _, _ := strings.Cut(text, ".")
		for _, bits := range []int{8, 16, 32, 64} {
			signed := map[int]string{8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}[bits]
			n, err := strconv.ParseInt(whole, 10, bits)
			checkInteger(t, signed, text, strconv.FormatInt(n, 10), err)
			u, err := strconv.ParseUint(strings.TrimPrefix(whole, "+"), 10, bits)
			if strings.Trim(whole, "-0") == "" {
				err = nil // minus zero is zero
			}
			checkInteger(t, "U"+signed, text, strconv.FormatUint(u, 10), err)
		}
	})
}

func checkInteger(t *rapid.T, name, text, want string, wantErr error) {
	typ, err := datafile.ParseType(name)
	if err != nil {
		t.Fatal(err)
	}
	got := shown(typ, text)
	if refused := strings.HasPrefix(got, "error"); refused != (wantErr != nil) || !refused && got != want {
		t.Fatalf("%s %q: got %s, want %s, %v", name, text, got, want, wantErr)
	}
}

func TestTimesAgreeWithTheStandardLibrary(t *testing.T) {
	tz := datafile.Type{Kind: datafile.TimestampTZ}
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(-62_167_219_200_000_000, 253_402_300_799_999_999).Draw(t, "micros")
		east := rapid.IntRange(-14*60, 14*60).Draw(t, "minutes east") * 60
		at := time.UnixMicro(micros).In(time.FixedZone("", east))
		if at.Year() < 0 || at.Year() > 9999 {
			return
		}
		text := at.Format("2006-01-02T15:04:05.999999Z07:00")
		if got := shown(tz, text); got != strconv.FormatInt(micros, 10) {
			t.Fatalf("%s: got %s, want %d", text, got, micros)
		}
		naive := at.Format("2006-01-02 15:04:05.000000")
		got, err := datafile.ParseInstant([]byte(naive), ahead(int64(east)))
		if err != nil || got != micros {
			t.Fatalf("%s at %+d s: got %d, %v; want %d", naive, east, got, err, micros)
		}
	})
}

// ahead is the local time that is so many seconds ahead of UTC.
func ahead(seconds int64) datafile.LocalTime {
	return func(local int64) (int64, error) { return local - seconds*1_000_000, nil }
}

func TestAnInstantNeedsAnOffsetOrADeclaredZone(t *testing.T) {
	utc, plus2 := ahead(0), ahead(7200)
	nowhere := func(int64) (int64, error) { return 0, errors.New("is nowhere") }
	for _, c := range []struct {
		text string
		zone datafile.LocalTime
		want int64
		err  string
	}{
		{"1970-01-01T00:00:01Z", nil, 1_000_000, ""},
		{"1970-01-01T00:00:01Z", plus2, 1_000_000, ""}, // its own offset wins
		{"1970-01-01T02:00:00", plus2, 0, ""},
		{"1970-01-02", utc, 86_400_000_000, ""},
		{"1970-01-02", plus2, 79_200_000_000, ""},
		{"1969-12-31T23:59:59.9999999Z", nil, -1, ""}, // cut towards the past
		{"1970-01-01T00:00:00", nil, 0, "has no offset; declare event_time.zone"},
		{"1970-01-02", nil, 0, "has no offset; declare event_time.zone"},
		{"1970-01-02", nowhere, 0, `"1970-01-02" is nowhere`},
		{"1970-01-02T00:00:00Z", nowhere, 86_400_000_000, ""},
		{"yesterday", utc, 0, `"yesterday" is not an ISO 8601 date and time`},
		{"", utc, 0, "is not an ISO 8601 date and time"},
	} {
		got, err := datafile.ParseInstant([]byte(c.text), c.zone)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %d, %v; want %d, %q", c.text, got, err, c.want, c.err)
		}
	}
}

func TestHugeExponentsCostNothing(t *testing.T) {
	typ := typeOf(t, "DECIMAL(38,10)")
	for _, text := range []string{"1e999999999", "-1e-999999999", "0e999999999"} {
		if n := testing.AllocsPerRun(10, func() { datafile.ParseText(typ, []byte(text)) }); n > 20 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

func FuzzParseText(f *testing.F) {
	for _, s := range samples {
		for _, text := range s.texts {
			f.Add(uint8(typeOf(f, s.typ).Kind), uint8(18), uint8(3), []byte(text))
		}
	}
	f.Add(uint8(datafile.Decimal), uint8(38), uint8(38), []byte("1e-99999999999999999999"))
	f.Fuzz(func(t *testing.T, kind, precision, scale uint8, text []byte) {
		typ := datafile.Type{Kind: datafile.Kind(kind)}
		if typ.Kind == datafile.Decimal {
			typ.Precision, typ.Scale = int(precision), int(scale)
			if _, err := datafile.ParseType(typ.String()); err != nil {
				return
			}
		}
		v, err := datafile.ParseText(typ, text)
		if err != nil {
			if len(err.Error()) > 600 {
				t.Fatalf("a reason of %d bytes", len(err.Error()))
			}
			return
		}
		// What was read can be written, and reads back as itself.
		cols := []datafile.Column{{Name: "x", Type: typ}}
		data := [][]datafile.Value{{v}}
		_, rows := readBack(t, write(t, cols, data))
		if want := canonical(cols, data, 0); rows[0] != want {
			t.Fatalf("%s %q: wrote %q, read %q", typ, text, want, rows[0])
		}
	})
}
