package window

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"strandline/internal/datafile"
	"strandline/internal/duck"
)

// Range wants every number of a column, but for NULL, to lie in [Min, Max], both
// included. Bounds are decimals and compared exactly; an empty one is none.
type Range struct {
	Column   string
	Min, Max string
}

var decimalPattern = regexp.MustCompile(`^[+-]?[0-9]{1,80}(\.[0-9]{1,80})?$`)

// ParseDecimal reads a bound, such as 10 or -0.25, for a Range.
func ParseDecimal(text string) (*big.Rat, error) {
	if !decimalPattern.MatchString(text) {
		return nil, fmt.Errorf("%q: want a decimal number such as 10 or -0.25", text)
	}
	n, _ := new(big.Rat).SetString(text)
	return n, nil
}

func (r Range) String() string { return "range of " + r.Column }

func (r Range) interval() string {
	switch {
	case r.Min == "":
		return "at most " + r.Max
	case r.Max == "":
		return "at least " + r.Min
	}
	return fmt.Sprintf("[%s, %s]", r.Min, r.Max)
}

func (r Range) fits(_ context.Context, made exam) error {
	_, err := r.outside(made)
	return err
}

func (r Range) broken(ctx context.Context, made exam) (string, error) {
	condition, err := r.outside(made)
	if err != nil {
		return "", err
	}
	shown, rows, err := made.rowsWhere(ctx, condition, r.Column)
	if err != nil || rows == 0 {
		return "", err
	}
	where := " outside "
	if r.Min == "" || r.Max == "" {
		where = ", want "
	}
	return counted(rows) + where + r.interval() + ", " + shown, nil
}

// outside is the SQL condition of a row that breaks the rule.
func (r Range) outside(made exam) (string, error) {
	column, err := made.column(r.Column)
	if err != nil {
		return "", err
	}
	name, conditions := duck.Ident(column.Name), []string(nil)
	for _, side := range []struct {
		bound, beyond string
		up            bool
	}{{r.Min, " < ", true}, {r.Max, " > ", false}} {
		if side.bound == "" {
			continue
		}
		value, err := bound(column, side.bound, side.up)
		if err != nil {
			return "", err
		}
		conditions = append(conditions, name+side.beyond+value)
	}
	if k := column.Type.Kind; k == datafile.Float || k == datafile.Double {
		conditions = append(conditions, "isnan("+name+")")
	}
	return strings.Join(conditions, " OR "), nil
}

// bound writes a bound so that comparing a column's values with it loses
// nothing. For exact types it is the nearest value that the column's scale has,
// upwards or downwards: as many values lie beyond it as beyond the bound.
func bound(column datafile.Column, text string, up bool) (string, error) {
	n, err := ParseDecimal(text)
	if err != nil {
		return "", err
	}
	switch column.Type.Kind {
	case datafile.Float, datafile.Double:
		return within(column.Type, text, n.Sign()), nil
	case datafile.TinyInt, datafile.SmallInt, datafile.Integer, datafile.BigInt,
		datafile.UTinyInt, datafile.USmallInt, datafile.UInteger, datafile.UBigInt, datafile.Decimal:
		return exactBound(column.Type, n, up), nil
	}
	return "", fmt.Errorf("column %s is a %s, want a column of numbers", column.Name, column.Type)
}

func exactBound(t datafile.Type, n *big.Rat, up bool) string {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
	scaled := new(big.Rat).Mul(n, new(big.Rat).SetInt(scale))
	whole, rest := new(big.Int), new(big.Int)
	whole.DivMod(scaled.Num(), scaled.Denom(), rest) // rounds downwards
	if up && rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return within(t, new(big.Rat).SetFrac(whole, scale).FloatString(t.Scale), whole.Sign())
}

// within is a number as a literal of a type or, where the type does not reach
// so far and so has all values on one side of it, as an infinity.
func within(t datafile.Type, number string, sign int) string {
	if _, err := datafile.ParseText(t, []byte(number)); err == nil {
		return literal(number, t)
	}
	if sign < 0 {
		return "'-infinity'::DOUBLE"
	}
	return "'infinity'::DOUBLE"
}
