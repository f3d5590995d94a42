package post

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

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

// avroEvents is an object container of n records.
func avroEvents(t *testing.T, n int) string {
	t.Helper()
	schema := avro.MustParse(`{"type": "record", "name": "event", "fields": [
		{"name": "time", "type": "long"}, {"name": "id", "type": "string"}, {"name": "n", "type": "long"}]}`)
	var body bytes.Buffer
	w, err := ocf.NewWriter(&body, schema)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		event := map[string]any{"time": int64(1772366400000), "id": fmt.Sprint("id-", i), "n": int64(i)}
		if err := w.Encode(event); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return body.String()
}

func TestAnAvroContainerLandsWholeOrNotAtAll(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	body := avroEvents(t, 2)
	if got := s.post("application/avro", body[:len(body)-1]); got.status != 400 || got.problem.Reason != reasonBody {
		t.Errorf("one that is cut was answered %d %s", got.status, got.body)
	}
	got := s.post("application/avro", body)
	if got.status != 200 || got.answer.Landed != 2 || len(s.rows()) != 2 || s.rows()[1].id != "id-1" {
		t.Errorf("answered %d %s", got.status, got.body)
	}
}
