package post

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"

	"strandline/internal/metrics"
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

// What a body says that it takes is held against the limits before room is made for it.
func TestATypedBodyThatUnpacksToMoreThanABodyMayHaveIsRefused(t *testing.T) {
	type event struct {
		Time int64  `parquet:"time"`
		ID   string `parquet:"id"`
		N    int64  `parquet:"n"`
	}
	events := slices.Repeat([]event{{1772366400000, strings.Repeat("x", 16<<10), 1}}, 64)
	var packed bytes.Buffer
	w := parquet.NewGenericWriter[event](&packed, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(events); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit  int64
		status int
	}{{512 << 10, 413}, {4 << 20, 200}} {
		s := serve(t, objstore.NewMemory(), func(o *Options) { o.Limits = Limits{Body: 256 << 10, Decompressed: c.limit, Line: 64 << 10} })
		if got := s.post("application/vnd.apache.parquet", packed.String()); got.status != c.status {
			t.Errorf("%d bytes, in %d: answered %d %s", packed.Len(), c.limit, got.status, got.body)
		}
		if n := s.server.memory.used.Load(); n != 0 {
			t.Errorf("%d bytes are still counted as used", n)
		}
	}
}

// Where other posts hold the memory, one that would need more is to come again.
func TestATypedBodyWaitsForRoom(t *testing.T) {
	of := &memory{limit: 100, metrics: metrics.New()}
	mine, other := &share{of: of}, &share{of: of}
	if !other.take(60) {
		t.Fatal("there is no room at all")
	}
	hold := mine.holding()
	for _, step := range []struct {
		held, used int64
		want       error
	}{{30, 90, nil}, {20, 90, nil}, {41, 90, errNoMemory}, {40, 100, nil}} {
		if err := hold(step.held); !errors.Is(err, step.want) || of.used.Load() != step.used {
			t.Errorf("to hold %d: got %v, %d used", step.held, err, of.used.Load())
		}
	}
	mine.giveBackAll()
	if of.used.Load() != 60 {
		t.Errorf("%d are used", of.used.Load())
	}
}

// A body that is not of its Content-Type is told as what it seems to be, and what to send.
func TestABodyOfAnotherContentTypeIsTold(t *testing.T) {
	s := serve(t, objstore.NewMemory(), nil)
	for name, c := range map[string]struct{ mediaType, body, is string }{
		"NDJSON": {"application/vnd.apache.parquet", line("a"), "seems to be JSON"}, "Parquet": {"text/csv", parquetOf(t, 1), "is Parquet"},
		"JSON": {"text/csv", "[" + line("a") + "]", "seems to be JSON"}, "Avro": {"application/vnd.apache.parquet", avroEvents(t, 1), "is Avro"},
	} {
		got := s.post(c.mediaType, c.body)
		if got.status != 400 || !strings.Contains(got.problem.Detail, c.is) || !strings.HasSuffix(got.problem.Detail, "send it with the Content-Type of that") {
			t.Errorf("%s as %s: answered %d %s", name, c.mediaType, got.status, got.body)
		}
	}
}
