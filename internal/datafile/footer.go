package datafile

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// magic is what a Parquet file begins and ends with.
const magic = "PAR1"

// footer describes a file of these columns and row groups.
func footer(cols []Column, groups []format.RowGroup) ([]byte, error) {
	meta := format.FileMetaData{Version: 2, RowGroups: groups, CreatedBy: "strandline", Schema: schemaOf(cols)}
	for range cols {
		meta.ColumnOrders = append(meta.ColumnOrders, format.ColumnOrder{Value: new(format.TypeDefinedOrder)})
	}
	for _, g := range groups {
		meta.NumRows += g.NumRows
	}
	text, err := thrift.Marshal(&compact, &meta)
	if err != nil {
		return nil, err
	}
	text = binary.LittleEndian.AppendUint32(text, uint32(len(text)))
	return append(text, magic...), nil
}

// schemaOf returns a root and a leaf for each column, in their order.
func schemaOf(cols []Column) []format.SchemaElement {
	root := format.SchemaElement{Name: "row"}
	root.NumChildren.Set(int32(len(cols)))
	elements := []format.SchemaElement{root}
	for _, c := range cols {
		elements = append(elements, schemaLeaf(c))
	}
	return elements
}

func schemaLeaf(c Column) format.SchemaElement {
	kept := leaf(c.Type).Type()
	e := format.SchemaElement{Name: c.Name}
	e.RepetitionType.Set(format.Optional)
	e.Type.Set(*kept.PhysicalType())
	if n := kept.Length(); n > 0 {
		e.TypeLength.Set(int32(n))
	}
	if converted := kept.ConvertedType(); converted != nil {
		e.ConvertedType.Set(*converted)
	}
	if c.Type.Kind == Decimal {
		e.Scale.Set(int32(c.Type.Scale))
		e.Precision.Set(int32(c.Type.Precision))
	}
	if logical := kept.LogicalType(); logical != nil {
		e.LogicalType = *logical
	}
	return e
}
