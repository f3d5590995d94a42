package datafile

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
)

// ParseText reads text as exactly a t: the text of a CSV cell, the unescaped
// text of a JSON string, or a JSON number token. Nothing is trimmed, rounded or
// guessed; a text that is not a whole t is an error, whose message is a reason
// fit for a reject. The value owns its bytes. NULL has no text: which
// spellings stand for it is the caller's to know.
func ParseText(t Type, text []byte) (Value, error) {
	v, err := ParseBorrowed(t, text)
	if err == nil && (t.Kind == Varchar || t.Kind == JSON) {
		v = v.Clone()
	}
	return v, err
}

// ParseBorrowed is ParseText without the copy: a VARCHAR or JSON value shares
// the bytes of text and is valid for as long as they stay unchanged. Values of
// all other types own their bytes.
func ParseBorrowed(t Type, text []byte) (Value, error) {
	switch t.Kind {
	case Boolean:
		return parseBoolean(text)
	case TinyInt, SmallInt, Integer, BigInt, UTinyInt, USmallInt, UInteger, UBigInt:
		return parseInteger(t, text)
	case Decimal:
		return parseDecimal(t, text)
	case Float, Double:
		return parseFloat(t, text)
	case Varchar:
		return parseVarchar(text)
	case JSON:
		return parseJSON(text)
	case Date, Timestamp, TimestampTZ:
		return parseTime(t, text)
	case UUID:
		return parseUUID(text)
	case Blob:
		return parseBlob(text)
	default:
		return Value{}, fmt.Errorf("a column of type %s holds no values", t)
	}
}

// Text returns a VARCHAR that shares the bytes of text, which the caller knows to be
// valid UTF-8 without a NUL.
func Text(text []byte) Value { return parquet.ByteArrayValue(text) }

// quotedBytes is how much of a text its reject shows.
const quotedBytes = 64

// quote shows text to a person: escaped, and cut where it is long.
func quote(text []byte) string {
	if len(text) <= quotedBytes {
		return strconv.Quote(string(text))
	}
	cut := quotedBytes
	for cut > quotedBytes-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strconv.Quote(string(text[:cut])) + "…"
}

// isNot is the plainest reason: the text is no t at all.
func isNot(t Type, text []byte) error { return fmt.Errorf("%s is not %s", quote(text), article(t)) }

func article(t Type) string {
	if t.Kind == Integer {
		return "an " + t.String()
	}
	return "a " + t.String()
}

func parseBoolean(text []byte) (Value, error) {
	switch {
	case bytes.EqualFold(text, []byte("true")):
		return parquet.BooleanValue(true), nil
	case bytes.EqualFold(text, []byte("false")):
		return parquet.BooleanValue(false), nil
	}
	return Value{}, fmt.Errorf("%w (want true or false)", isNot(Type{Kind: Boolean}, text))
}

func parseVarchar(text []byte) (Value, error) {
	if !utf8.Valid(text) {
		return Value{}, fmt.Errorf("%s is not valid UTF-8", quote(text))
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return Value{}, fmt.Errorf("%s contains a NUL character, which a VARCHAR can't hold", quote(text))
	}
	return parquet.ByteArrayValue(text), nil
}

func parseJSON(text []byte) (Value, error) {
	// json.Valid lets broken UTF-8 through inside of strings.
	if !utf8.Valid(text) {
		return Value{}, fmt.Errorf("%s is not valid UTF-8", quote(text))
	}
	if !json.Valid(text) {
		return Value{}, fmt.Errorf("%s is not one JSON value", quote(text))
	}
	return parquet.ByteArrayValue(text), nil
}

// parseUUID reads the form 8-4-4-4-12, in either case.
func parseUUID(text []byte) (Value, error) {
	want := Type{Kind: UUID}
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return Value{}, isNot(want, text)
	}
	out := make([]byte, 16)
	digits := out[:0:16]
	for _, part := range [...][]byte{text[:8], text[9:13], text[14:18], text[19:23], text[24:]} {
		var err error
		if digits, err = hex.AppendDecode(digits, part); err != nil {
			return Value{}, isNot(want, text)
		}
	}
	return parquet.FixedLenByteArrayValue(out), nil
}

// parseBlob reads hexadecimal digits only: a text may be valid base64 and
// valid hexadecimal at once, so that one of the two has to be chosen.
func parseBlob(text []byte) (Value, error) {
	digits := text
	for _, prefix := range [...]string{"0x", "0X", `\x`} {
		if rest, ok := bytes.CutPrefix(text, []byte(prefix)); ok {
			digits = rest
			break
		}
	}
	out := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(out, digits); err != nil {
		return Value{}, fmt.Errorf("%w (want pairs of hexadecimal digits)", isNot(Type{Kind: Blob}, text))
	}
	return parquet.ByteArrayValue(out), nil
}
