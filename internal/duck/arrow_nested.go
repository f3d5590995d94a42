package duck

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

func (s shape) appendItems(b array.Builder, v any) error {
	items, ok := v.([]any)
	if !ok {
		return fmt.Errorf("a %T is not a list", v)
	}
	for _, item := range items {
		if err := s.children[0].appendArrow(b, item); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) appendEntries(b *array.MapBuilder, v any) error {
	m, ok := v.(duckdb.OrderedMap)
	if !ok {
		return fmt.Errorf("a %T is not a map", v)
	}
	b.Append(true)
	values := m.Values()
	for i, key := range m.Keys() {
		if err := s.children[0].appendArrow(b.KeyBuilder(), key); err != nil {
			return err
		}
		if err := s.children[1].appendArrow(b.ItemBuilder(), values[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s shape) appendStruct(b *array.StructBuilder, v any) error {
	fields, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("a %T is not a struct", v)
	}
	b.Append(true)
	for i, name := range s.names {
		if err := s.children[i].appendArrow(b.FieldBuilder(i), fields[name]); err != nil {
			return err
		}
	}
	return nil
}
