package arrowrows

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"strandline/internal/jsonrow"
)

func TestEveryHalfFloatOfArrowIsWhatItsBitsSay(t *testing.T) {
	b := array.NewFloat16Builder(memory.DefaultAllocator)
	var want strings.Builder
	for bits := range 1 << 16 {
		b.Append(float16.FromBits(uint16(bits)))
		fmt.Fprintf(&want, "%d {\"h\":%s} <nil>\n", bits+1, jsonrow.Float(nil, jsonrow.Half(uint16(bits))))
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "h", Type: arrow.FixedWidthTypes.Float16}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{b.NewArray()}, 1<<16)
	got, err := read(t, written(t, false, []arrow.RecordBatch{batch}), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := differing(got, want.String()); wrong != "" {
		t.Error(wrong)
	}
	if !strings.Contains(got, fmt.Sprintf("2 {\"h\":%v} <nil>\n", math.Ldexp(1, -24))) {
		t.Error("the least half float is another")
	}
}

// differing tells how many lines differ, and the first of them.
func differing(got, want string) string {
	is, should := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(is) != len(should) {
		return fmt.Sprintf("%d lines, want %d", len(is), len(should))
	}
	count, first := 0, ""
	for i := range is {
		if is[i] != should[i] {
			if count++; count == 1 {
				first = fmt.Sprintf("got %s, want %s", is[i], should[i])
			}
		}
	}
	if count == 0 {
		return ""
	}
	return fmt.Sprintf("%d lines differ: %s", count, first)
}
