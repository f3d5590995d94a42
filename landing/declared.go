package landing

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/packed"
)

// ErrTypeChanged says that a column is declared as a type that does not hold what
// has landed in it.
var ErrTypeChanged = errors.New("a column's type can only be widened")

// DeclaredAs tells whether two segments landed as the same columns of the same fields.
func (s *Segment) DeclaredAs(other Segment) bool { return s.declaration().same(other.declaration()) }

// widens is ErrTypeChanged unless each declared column holds what has landed under
// its name. Rows that have expired bind nobody.
func (s *Stream) widens(state *State) error {
	var wrong []error
	for _, c := range s.spec.Columns {
		for landed := range state.columns {
			if landed.Name != c.Name || landed.Type.Widens(c.Type) {
				continue
			}
			wrong = append(wrong, fmt.Errorf("column %s is %s in rows that have landed, and %s in the configuration: %w; declare it as %[2]s%[6]s, or under another name as {type: %[3]s, path: %[5]s}, which reads landed rows value by value",
				c.Name, landed.Type, c.Type, ErrTypeChanged, s.spec.FieldsOf(c.Name)[0], orBoth(landed.Type, c.Type)))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.SortFunc(wrong, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return fmt.Errorf("stream %s: %w", s.spec.Stream, errors.Join(wrong...))
}

// orBoth names the type that a column may have instead, if a third one holds what landed and
// what is declared.
func orBoth(landed, declared datafile.Type) string {
	both, is := landed.Join(declared)
	if !is || both == landed {
		return ""
	}
	return fmt.Sprintf(", or as %s, which holds both", both)
}

// declaration is what many segments have in common.
type declaration struct {
	columns []datafile.Column
	fields  map[string][]Path
}

func (s *Segment) declaration() declaration { return declaration{s.Columns, s.Fields} }

func (d declaration) same(other declaration) bool {
	return slices.Equal(d.columns, other.columns) && maps.EqualFunc(d.fields, other.fields, samePaths)
}

func samePaths(a, b []Path) bool {
	return slices.EqualFunc(a, b, func(x, y Path) bool { return slices.Equal(x, y) })
}

// storedColumn is a column of a declaration, as checkpoints hold it.
type storedColumn struct {
	datafile.Column
	Fields []Path `json:"fields,omitempty"`
}

// word writes a declaration for a checkpoint.
func (d declaration) word() (string, error) {
	columns := make([]storedColumn, len(d.columns))
	for i, c := range d.columns {
		columns[i] = storedColumn{c, d.fields[c.Name]}
	}
	return packed.JSONWord(columns)
}

// declarationOf reads what word writes.
func declarationOf(word string) (d declaration, err error) {
	columns, err := packed.OfJSON[[]storedColumn](word)
	for _, c := range columns {
		d.columns = append(d.columns, c.Column)
		if c.Fields != nil && d.fields == nil {
			d.fields = map[string][]Path{}
		}
		if c.Fields != nil {
			d.fields[c.Name] = c.Fields
		}
	}
	return d, err
}
