package parquetrows

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"strandline/internal/jsonrow"
)

// node is a column of the file, or what a nested one is made of.
type node struct {
	name     string
	shape    shape
	optional bool
	def      int // the definition level from which on it is not NULL
	// Of the entries of an array or a map: the repetition level of all after the
	// first, and the definition level from which on there is one.
	entryRep, entryDef int
	bare               bool    // an array that is nothing but a repeated field
	leaf, end          int     // which leaves are under it: [leaf, end)
	children           []*node // fields; or the element of an array; or key and value of a map
	write              writer  // of a scalar
	bytes              bool    // a scalar that is bytes, of which nothing says what they mean
	typ                string  // of a scalar: see Declared
}

// shape is what JSON a node becomes.
type shape int

const (
	scalar shape = iota
	object
	array
	dictionary
)

// maxDepth is how many groups may be within one another, as parquet-go has it.
const maxDepth = 255

// schemaReader turns the flat list of a footer into a tree.
type schemaReader struct {
	elements []format.SchemaElement // not yet taken
	leaves   []levels
	depth    int
}

// readSchema returns the greatest levels of the file's leaves.
func (f *File) readSchema(elements []format.SchemaElement) ([]levels, error) {
	s := &schemaReader{elements: elements}
	if len(elements) == 0 || elements[0].Type.Valid {
		return nil, fmt.Errorf("%w: its schema has no root", jsonrow.ErrDamaged)
	}
	elements[0].RepetitionType.Valid = false // of the root it means nothing
	root, err := s.read(0, 0)
	if err != nil {
		return nil, err
	}
	f.columns = root.children
	return s.leaves, nil
}

// read takes the next element, and those under it, within a node of such levels.
func (s *schemaReader) read(rep, def int) (*node, error) {
	if s.depth++; s.depth > maxDepth || len(s.elements) == 0 {
		return nil, fmt.Errorf("%w: its schema does not fit together", jsonrow.ErrDamaged)
	}
	defer func() { s.depth-- }()
	e := &s.elements[0]
	s.elements = s.elements[1:]
	repeated := e.RepetitionType.Valid && e.RepetitionType.V == format.Repeated
	n := &node{name: e.Name, leaf: len(s.leaves), def: def}
	n.optional = e.RepetitionType.Valid && e.RepetitionType.V == format.Optional
	if n.optional || repeated {
		n.def++
	}
	inner := rep
	if repeated {
		inner++
	}
	if err := s.fill(n, e, inner); err != nil {
		return nil, err
	}
	n.end = len(s.leaves)
	if repeated {
		n = &node{name: n.name, shape: array, bare: true, def: def, entryRep: inner, entryDef: n.def, leaf: n.leaf, end: n.end, children: []*node{n}}
	}
	return n, nil
}

// fill reads what a node is: a leaf, or a group and all in it.
func (s *schemaReader) fill(n *node, e *format.SchemaElement, rep int) (err error) {
	if e.Type.Valid {
		s.leaves = append(s.leaves, levels{rep, n.def})
		n.typ = typeOf(e)
		n.write, n.bytes, err = writerOf(e)
		return err
	}
	n.shape = object
	for range e.NumChildren.V {
		child, err := s.read(rep, n.def)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	if n.leaf == len(s.leaves) {
		return fmt.Errorf("%w: column %q is a group of nothing", jsonrow.ErrUnsupported, e.Name)
	}
	return n.annotate(e)
}

// annotate makes a list or a map of a group that says it is one.
func (n *node) annotate(e *format.SchemaElement) error {
	switch e.LogicalType.Value.(type) {
	case *format.VariantType:
		return fmt.Errorf("%w: column %q is a VARIANT (write it as JSON)", jsonrow.ErrUnsupported, e.Name)
	case *format.ListType:
		n.asList()
	case *format.MapType:
		n.asMap()
	default:
		switch {
		case converted(e, deprecated.List):
			n.asList()
		case converted(e, deprecated.Map), converted(e, deprecated.MapKeyValue):
			n.asMap()
		}
	}
	return nil
}

func converted(e *format.SchemaElement, to deprecated.ConvertedType) bool {
	return e.ConvertedType.Valid && e.ConvertedType.V == to
}

// entries returns the repeated field that is the one child of a list or a map.
func (n *node) entries() (repeated, entry *node, ok bool) {
	if len(n.children) != 1 || !n.children[0].bare {
		return nil, nil, false
	}
	return n.children[0], n.children[0].children[0], true
}

// asList makes the entries of a LIST its elements. In files of today an entry is a
// group of the element alone; in old ones it is the element itself, as the rules
// for backward compatibility in the format's LogicalTypes.md tell.
func (n *node) asList() {
	repeated, entry, ok := n.entries()
	if !ok {
		return
	}
	wraps := entry.shape == object && len(entry.children) == 1 && !entry.children[0].bare &&
		entry.name != "array" && entry.name != n.name+"_tuple"
	if wraps {
		entry = entry.children[0]
	}
	n.shape, n.entryRep, n.entryDef, n.children = array, repeated.entryRep, repeated.entryDef, []*node{entry}
}

// asMap makes the entries of a MAP its pairs.
func (n *node) asMap() {
	repeated, pair, ok := n.entries()
	if ok && pair.shape == object && len(pair.children) == 2 {
		n.shape, n.entryRep, n.entryDef, n.children = dictionary, repeated.entryRep, repeated.entryDef, pair.children
	}
}

// AsText makes the bytes at these places texts.
func (f *File) AsText(at jsonrow.Paths) {
	for _, c := range f.columns {
		c.asText(nil, at)
	}
}

func (n *node) asText(above []string, at jsonrow.Paths) {
	path := append(above, n.name)
	if n.bytes && at.Has(path) {
		n.write = func(dst []byte, v parquet.Value) ([]byte, error) { return jsonrow.BytesAsText(dst, v.ByteArray()) }
	}
	if n.shape == object {
		for _, child := range n.children {
			child.asText(path, at)
		}
	}
}
