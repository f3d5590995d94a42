package jsonrow

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestValuesAreWrittenWithAllTheirDigits(t *testing.T) {
	for got, want := range map[string]string{
		string(Float(nil, 4611686018427387904)):                 "4611686018427387904", // 2^62
		string(Float(nil, 1e23)):                                "99999999999999991611392",
		string(Float(nil, 0.1)):                                 "0.1",
		string(Float(nil, float64(float32(0.1)))):               "0.10000000149011612",
		string(Float(nil, 1e300)):                               "1e+300",
		string(Float(nil, math.Copysign(0, -1))):                "-0",
		string(Float(nil, math.NaN())):                          `"NaN"`,
		string(Float(nil, math.Inf(-1))):                        `"-Infinity"`,
		string(Decimal(nil, -5, 3)):                             "-0.005",
		string(Decimal(nil, 1234, 2)):                           "12.34",
		string(Decimal(nil, 12, -2)):                            "1200",
		string(Decimal(nil, -12, -2)):                           "-1200",
		string(IntDecimal(nil, new(big.Int), -3)):               "0",
		string(BigDecimal(nil, []byte{0xff, 0x7f}, 1)):          "-12.9",
		string(BigDecimal(nil, nil, 2)):                         "0.00",
		string(IntDecimal(nil, big.NewInt(-129), 1)):            "-12.9",
		string(Date(nil, -1)):                                   `"1969-12-31"`,
		string(Timestamp(nil, -1, Nanos, true)):                 `"1969-12-31T23:59:59.999999999Z"`,
		string(Timestamp(nil, 1500, Millis, false)):             `"1970-01-01T00:00:01.5"`,
		string(Timestamp(nil, math.MinInt64, Micros, false)):    `"-290308-12-21T19:59:05.224192"`,
		string(Time(nil, 86_399_999_999, Micros)):               `"23:59:59.999999"`,
		string(Time(nil, 86_400, Seconds)):                      `"24:00:00"`,
		string(Time(nil, -1, Millis)):                           `"-1"`,
		string(Duration(nil, -90_500, Millis)):                  `"PT-90.5S"`,
		string(Interval(nil, 1, 2, 3_004, Millis)):              `"P1M2DT3.004S"`,
		string(UUID(nil, []byte("0123456789abcdef"))):           `"30313233-3435-3637-3839-616263646566"`,
		string(Binary(nil, []byte{0, 255})):                     `"00ff"`,
		string(Name(Null(Name([]byte("{"), "a")), "b\"\x00\\")): `{"a":null,"b\"\u0000\\":`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestADocumentThatIsNoJSONIsRefused(t *testing.T) {
	for _, value := range []string{`1,"x":2`, "", "{", "nan"} {
		if _, err := Document(nil, []byte(value)); err == nil {
			t.Errorf("%q was taken", value)
		}
	}
	if got, err := Document(nil, []byte(`{"a": 1}`)); string(got) != `{"a": 1}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestTextsAndNumbersAreReadBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, back := rapid.String().Draw(t, "text"), ""
		if err := json.Unmarshal(Text(nil, []byte(text)), &back); err != nil || back != text {
			t.Fatalf("%q came back as %q, %v", text, back, err)
		}
		x, y := rapid.Float64().Draw(t, "x"), 0.0
		if err := json.Unmarshal(Float(nil, x), &y); err != nil || y != x {
			t.Fatalf("%v came back as %v, %v", x, y, err)
		}
		n, scale := rapid.SliceOfN(rapid.Byte(), 1, 16).Draw(t, "n"), rapid.IntRange(-40, 40).Draw(t, "scale")
		decimal := BigDecimal(nil, n, scale)
		got, ok := new(big.Rat).SetString(string(decimal))
		want := new(big.Int).SetBytes(n)
		if n[0] >= 128 {
			want.Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(8*len(n))))
		}
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
		right := new(big.Rat).SetFrac(want, power)
		if scale < 0 {
			right.SetInt(want.Mul(want, power))
		}
		if !ok || got.Cmp(right) != 0 || !json.Valid(decimal) {
			t.Fatalf("%x with scale %d was written as %s", n, scale, decimal)
		}
	})
}

func TestHalfPrecisionIsThatOfIEEE754(t *testing.T) {
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0001: math.Ldexp(1, -24), 0x0400: math.Ldexp(1, -14),
		0x3555: 0.333251953125, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := Half(bits); got != want {
			t.Errorf("%04x: got %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(Half(0x7e00)) {
		t.Error("7e00 is a number")
	}
}
