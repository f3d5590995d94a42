package arrowrows

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

// texts is a batch of one column of text, called s.
func texts(t testing.TB, values ...string) arrow.RecordBatch {
	t.Helper()
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, int64(len(values)))
}

func TestStreamsOfTheSameColumnsAreReadOneAfterAnother(t *testing.T) {
	a := written(t, false, []arrow.RecordBatch{texts(t, "a"), texts(t, "b")})
	b := written(t, false, []arrow.RecordBatch{texts(t, "c")}, ipc.WithZstd())
	none := written(t, false, []arrow.RecordBatch{texts(t)})
	old := bytes.Replace(bytes.Clone(a), []byte(streamEnd), []byte("\x00\x00\x00\x00"), 1)
	for name, data := range map[string][]byte{"two": bytes.Join([][]byte{a, b}, nil), "with one of none": bytes.Join([][]byte{a, none, b}, nil), "an old end mark": bytes.Join([][]byte{old, b}, nil)} {
		const want = "1 {\"s\":\"a\"} <nil>\n2 {\"s\":\"b\"} <nil>\n3 {\"s\":\"c\"} <nil>\n"
		if got, err := read(t, data, 1<<20); got != want || err != nil {
			t.Errorf("%s: got %s%v", name, got, err)
		}
	}
	if got, err := read(t, old, 1<<20); strings.Count(got, "\n") != 2 || err != nil {
		t.Errorf("an old end mark: got %s, %v", got, err)
	}
	other := written(t, false, []arrow.RecordBatch{records(t)})
	if _, err := read(t, bytes.Join([][]byte{a, other}, nil), 1<<20); !errors.Is(err, jsonrow.ErrUnsupported) || !strings.Contains(err.Error(), "other columns") {
		t.Errorf("other columns: got %v", err)
	}
}

func TestWhatFollowsAStreamOfArrowIsAnotherOneOrAFault(t *testing.T) {
	whole := written(t, false, []arrow.RecordBatch{texts(t, "a")})
	for rest, class := range map[string]error{
		"x": jsonrow.ErrDamaged, "garbage" + streamEnd: jsonrow.ErrDamaged, "\x00\x00\x00\x00": jsonrow.ErrDamaged, streamEnd: jsonrow.ErrDamaged,
		"\xff": jsonrow.ErrCut, messageMark: jsonrow.ErrCut, string(whole[:len(whole)-1]): jsonrow.ErrCut,
	} {
		if _, err := read(t, append(bytes.Clone(whole), rest...), 1<<20); !errors.Is(err, class) {
			t.Errorf("%.20q: got %v, want %v", rest, err, class)
		}
	}
}

func TestAnArrowFileHoldsNothingThatItsFooterDoesNotTellOf(t *testing.T) {
	file := func(opts ...ipc.Option) []byte {
		return written(t, true, []arrow.RecordBatch{texts(t, "a"), texts(t, "b")}, opts...)
	}
	footer := func(data []byte) int {
		return len(data) - 10 - int(binary.LittleEndian.Uint32(data[len(data)-10:]))
	}
	filled := func(between string) []byte {
		data := file()
		return bytes.Join([][]byte{data[:footer(data)], []byte(between), data[footer(data):]}, nil)
	}
	for name, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"one": {file(), true}, "one of zstd": {file(ipc.WithZstd()), true}, "none": {written(t, true, []arrow.RecordBatch{texts(t)}), true},
		"filled up with zeros": {filled(strings.Repeat("\x00", 1<<20)), true},
		"two alike":            {append(file(), file()...), false},
		"none behind one":      {append(file(), written(t, true, []arrow.RecordBatch{texts(t)})...), false},
		"bytes":                {filled(strings.Repeat("\x00", 1<<20) + strings.Repeat("x", 100)), false},
	} {
		_, err := read(t, c.data, 1<<20)
		if c.ok && err != nil || !c.ok && !errors.Is(err, jsonrow.ErrUnsupported) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestArrowTakesNoMoreRoomThanThereIs(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, isFile := range []bool{false, true} {
		data := written(t, isFile, []arrow.RecordBatch{texts(t, long), texts(t, long), texts(t, long)}, ipc.WithZstd())
		most := int64(0)
		none := errors.New("there is none")
		for name, c := range map[string]struct {
			room jsonrow.Room
			want error
		}{
			"enough":           {jsonrow.Room{Held: 2 << 20, Unpacked: 4 << 20, Ask: func(n int64) error { most = max(most, n); return nil }}, nil},
			"less than one":    {jsonrow.Room{Held: 1 << 20}, jsonrow.ErrLarge},
			"less than all":    {jsonrow.Room{Unpacked: 2 << 20}, jsonrow.ErrLarge},
			"none at the time": {jsonrow.Room{Ask: func(int64) error { return none }}, none},
		} {
			_, err := readIn(t, data, 1<<10, c.room)
			if !errors.Is(err, c.want) {
				t.Errorf("file %v, %s: got %v, want %v", isFile, name, err, c.want)
			}
		}
		if most < 1<<20 || most > 2<<20 {
			t.Errorf("file %v: asked for %d bytes", isFile, most)
		}
	}
}
