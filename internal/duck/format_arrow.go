package duck

import (
	"bufio"
	"context"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// batchRows is how many rows a record batch has at most.
const batchRows = 16_384

func writeArrow(ctx context.Context, rows *Rows, b *bufio.Writer) (err error) {
	fields := make([]arrow.Field, len(rows.outputs))
	for i, out := range rows.outputs {
		fields[i] = arrow.Field{Name: out.name, Type: out.shape.arrow(), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	w := ipc.NewWriter(b, ipc.WithSchema(schema))
	defer func() { err = errors.Join(err, w.Close()) }()
	batch := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer batch.Release()
	n := 0
	err = rows.each(ctx, func(row []any) error {
		for i, v := range row {
			if err := rows.outputs[i].appendArrow(batch.Field(i), v); err != nil {
				return err
			}
		}
		if n++; n%batchRows == 0 {
			return flushBatch(w, batch)
		}
		return nil
	})
	if err == nil && n%batchRows != 0 {
		err = flushBatch(w, batch)
	}
	return err
}

func flushBatch(w *ipc.Writer, batch *array.RecordBuilder) error {
	record := batch.NewRecordBatch()
	defer record.Release()
	return w.Write(record)
}
