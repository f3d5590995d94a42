package post

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/objstore"
)

func TestAnArrowStreamLands(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "time", Type: arrow.PrimitiveTypes.Int64}, {Name: "id", Type: arrow.BinaryTypes.String}, {Name: "n", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	rows := array.NewRecordBuilder(arrowmemory.DefaultAllocator, schema)
	defer rows.Release()
	rows.Field(0).(*array.Int64Builder).AppendValues([]int64{1772366400000, 1772366400000}, nil)
	rows.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "b"}, nil)
	rows.Field(2).(*array.Int64Builder).AppendValues([]int64{1, 2}, nil)
	var body bytes.Buffer
	w := ipc.NewWriter(&body, ipc.WithSchema(schema))
	batch := rows.NewRecordBatch()
	defer batch.Release()
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := serve(t, objstore.NewMemory(), nil)
	got := s.post("application/vnd.apache.arrow.stream", body.String())
	if got.status != 200 || got.answer.Landed != 2 || s.rows()[1].id != "b" {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}
