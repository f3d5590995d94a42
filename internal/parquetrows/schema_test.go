package parquetrows

import (
	"errors"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// schemaOf reads lines such as "repeated int list", indented by a space for each
// group that they are in. The kinds are int, group, LIST and MAP.
func schemaOf(t *testing.T, text string) []format.SchemaElement {
	t.Helper()
	out := []format.SchemaElement{{Name: "root"}}
	open := []int{0} // the groups that the next line may be in
	for _, line := range strings.Split(text, "\n") {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		f := strings.Fields(line)
		rep := map[string]format.FieldRepetitionType{"required": format.Required, "optional": format.Optional, "repeated": format.Repeated}[f[0]]
		e := format.SchemaElement{Name: f[2], RepetitionType: thrift.New(rep)}
		switch f[1] {
		case "int":
			e.Type = thrift.New(format.Type(parquet.Int32))
		case "LIST":
			e.ConvertedType = thrift.New(deprecated.List)
		case "MAP":
			e.LogicalType.Value = &format.MapType{}
		}
		parent := &out[open[depth]]
		parent.NumChildren = thrift.New(parent.NumChildren.V + 1)
		open = append(open[:depth+1], len(out))
		out = append(out, e)
	}
	return out
}

// value is one of a leaf, NULL where text is "-".
func value(leaf int, text string, rep, def int) parquet.Value {
	if text == "-" {
		return parquet.NullValue().Level(rep, def, leaf)
	}
	return parquet.Int32Value(int32(text[0]-'0')).Level(rep, def, leaf)
}

func TestListsAndMapsOfAllAgesAreRead(t *testing.T) {
	for _, c := range []struct {
		schema string
		row    parquet.Row
		want   string
	}{
		{"required LIST l\n repeated group list\n  optional int element", parquet.Row{value(0, "1", 0, 2), value(0, "-", 1, 1)}, `{"l":[1,null]}`},
		{"optional LIST l\n repeated int element", parquet.Row{value(0, "1", 0, 2), value(0, "2", 1, 2)}, `{"l":[1,2]}`},
		{"optional LIST l\n repeated int element", parquet.Row{value(0, "-", 0, 1)}, `{"l":[]}`},
		{"optional LIST l\n repeated int element", parquet.Row{value(0, "-", 0, 0)}, `{"l":null}`},
		{"optional LIST l\n repeated group array\n  required int x", parquet.Row{value(0, "1", 0, 2)}, `{"l":[{"x":1}]}`},
		{"optional LIST l\n repeated group l_tuple\n  required int x", parquet.Row{value(0, "1", 0, 2)}, `{"l":[{"x":1}]}`},
		{"optional LIST l\n repeated group bag\n  required int x\n  required int y", parquet.Row{value(0, "1", 0, 2), value(1, "2", 0, 2)}, `{"l":[{"x":1,"y":2}]}`},
		{"optional LIST l\n repeated group bag\n  repeated int x", parquet.Row{value(0, "1", 0, 3), value(0, "2", 2, 3), value(0, "3", 1, 3)}, `{"l":[{"x":[1,2]},{"x":[3]}]}`},
		{"repeated int r", parquet.Row{value(0, "1", 0, 1), value(0, "2", 1, 1)}, `{"r":[1,2]}`},
		{"repeated group r\n optional int x", parquet.Row{value(0, "-", 0, 0)}, `{"r":[]}`},
		{"optional MAP m\n repeated group key_value\n  required int k\n  optional int v",
			parquet.Row{value(0, "1", 0, 2), value(0, "2", 1, 2), value(1, "5", 0, 3), value(1, "-", 1, 2)}, `{"m":{"1":5,"2":null}}`},
		{"optional MAP m\n repeated group set\n  required int k", parquet.Row{value(0, "1", 0, 2)}, `{"m":{"set":[{"k":1}]}}`},
		{"optional group g\n required int a\n optional int b", parquet.Row{value(0, "-", 0, 0), value(1, "-", 0, 0)}, `{"g":null}`},
	} {
		f := &File{}
		leaves, err := f.readSchema(schemaOf(t, c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		var out jsonrow.Row
		if err := newAssembly(len(leaves), 1000).row(f.columns, c.row, &out); err != nil || string(out.JSON) != c.want || out.Problem != nil {
			t.Errorf("%s: got %s, %v, %v, want %s", c.schema, out.JSON, out.Problem, err, c.want)
		}
	}
}

func TestLevelsThatDoNotFitTogetherAreDamage(t *testing.T) {
	f := &File{}
	leaves, err := f.readSchema(schemaOf(t, "repeated group r\n required int a\n required int b"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []parquet.Row{
		{value(0, "1", 0, 1)}, // no value of b
		{value(0, "1", 0, 1), value(0, "2", 1, 1), value(1, "1", 0, 1)},
		{value(0, "1", 0, 1), value(1, "1", 0, 1), value(1, "1", 1, 1)},
		{value(0, "1", 0, 1), value(0, "1", 2, 1), value(1, "1", 0, 1)},
	} {
		var out jsonrow.Row
		if err := newAssembly(len(leaves), 1000).row(f.columns, row, &out); err != errLevels {
			t.Errorf("%+v: got %s, %v", row, out.JSON, err)
		}
	}
}

// DuckDB writes a NULL of an array of a fixed size with all its entries, each NULL as a whole: to copy
// such a file again is no use.
func TestAnArrayThatIsNullAndHasEntriesIsToldAsThat(t *testing.T) {
	for _, c := range []struct {
		schema string
		row    parquet.Row
	}{
		{"optional LIST l\n repeated group list\n  optional int element", parquet.Row{value(0, "-", 0, 0), value(0, "-", 1, 0)}},
		{"optional LIST l\n repeated group list\n  optional LIST element\n   repeated group list\n    optional int element",
			parquet.Row{value(0, "1", 0, 5), value(0, "-", 1, 2), value(0, "-", 2, 2)}},
	} {
		f := &File{}
		leaves, err := f.readSchema(schemaOf(t, c.schema))
		if err != nil {
			t.Fatalf("%s: %v", c.schema, err)
		}
		var out jsonrow.Row
		err = newAssembly(len(leaves), 1000).row(f.columns, c.row, &out)
		if !errors.Is(err, jsonrow.ErrUnsupported) || !strings.Contains(err.Error(), `column "l" has entries where it is NULL`) {
			t.Errorf("%s: got %s, %v", c.schema, out.JSON, err)
		}
	}
}
