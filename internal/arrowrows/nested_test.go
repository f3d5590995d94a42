package arrowrows

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

func extended(name, extension string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true, Metadata: arrow.NewMetadata([]string{"ARROW:extension:name"}, []string{extension})}
}

func TestExtensionsAreReadAtAnyDepth(t *testing.T) {
	uuid := extended("u", "arrow.uuid", &arrow.FixedSizeBinaryType{ByteWidth: 16})
	texts := []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView}
	const id, same = `"AAECAwQFBgcICQoLDA0ODw=="`, `"00010203-0405-0607-0809-0a0b0c0d0e0f"`
	for _, text := range texts {
		document := extended("j", "arrow.json", text)
		fields := []arrow.Field{document, uuid, {Name: "s", Type: arrow.StructOf(document, uuid)}, {Name: "l", Type: arrow.ListOfField(document)}}
		var columns []arrow.Array
		for i, two := range []string{`"[1.50]", "x"`, id + `, null`, `{"j": "{}", "u": ` + id + `}, null`, `["1", "{\"a\": 2}"], []`} {
			values, _, err := array.FromJSON(memory.DefaultAllocator, fields[i].Type, strings.NewReader("["+two+"]"))
			if err != nil {
				t.Fatal(err)
			}
			columns = append(columns, values)
		}
		batch := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 2)
		got, err := read(t, written(t, true, []arrow.RecordBatch{batch}), 1<<20)
		want := `1 {"j":[1.50],"u":` + same + `,"s":{"j":{},"u":` + same + `},"l":[1,{"a": 2}]} <nil>` + "\n" +
			`2 {"j":"x","u":null,"s":null,"l":[]} column j: "x" is not one JSON value` + "\n"
		if got != want || err != nil {
			t.Errorf("%s: got\n%s%v, want\n%s", text, got, err, want)
		}
	}
}

func TestBytesAreTextsWhereTheyAreWantedAsTexts(t *testing.T) {
	inside := arrow.Field{Name: "b", Type: arrow.BinaryTypes.Binary, Nullable: true}
	typ := arrow.StructOf(inside, arrow.Field{Name: "l", Type: arrow.ListOfField(inside), Nullable: true})
	values, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(`[{"b": "eA==", "l": ["eA=="]}, {"b": "/w==", "l": null}]`))
	if err != nil {
		t.Fatal(err)
	}
	batch := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ, Nullable: true}}, nil), []arrow.Array{values}, 2)
	w := &writing{limit: 1 << 20, texts: jsonrow.Paths{}}
	w.texts.Set([]string{"s", "b"}, true)
	if row := w.row(batch, 0); string(row.JSON) != `{"s":{"b":"x","l":["78"]}}` || row.Problem != nil {
		t.Errorf("got %s, %v", row.JSON, row.Problem)
	}
	if row := w.row(batch, 1); row.Problem == nil || !strings.Contains(row.Problem.Error(), "BLOB") {
		t.Errorf("bytes that are no text: got %s, %v", row.JSON, row.Problem)
	}
}
