package window

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// RowCount bounds the rows of a partition: all of them, and how far they may be
// from those of the receipt that stood when the run was planned. nil is no
// bound; where there is no receipt, or it has no rows, any change is well.
type RowCount struct {
	Min, Max           *int64   // included
	MaxDrop, MaxGrowth *Percent // included
}

// Percent is a share in hundredths of a per cent.
type Percent int64

var percentPattern = regexp.MustCompile(`^([0-9]{1,9})(?:\.([0-9]{1,2}))?%$`)

// ParsePercent reads a share such as 50% or 12.5%, with at most two digits
// after the point.
func ParsePercent(s string) (Percent, error) {
	m := percentPattern.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q: want a share such as 50%% or 12.5%%", s)
	}
	n, err := strconv.ParseInt(m[1]+(m[2] + "00")[:2], 10, 64)
	return Percent(n), err
}

// String writes the share as ParsePercent reads it.
func (p Percent) String() string {
	text := fmt.Sprintf("%d.%02d", p/100, p%100)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "%"
}

func (r RowCount) String() string { return "rows" }

func (r RowCount) fits(context.Context, exam) error { return nil }

func (r RowCount) broken(_ context.Context, made exam) (string, error) {
	var problems []string
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if r.Min != nil && made.rows < *r.Min {
		add("want at least %d", *r.Min)
	}
	if r.Max != nil && made.rows > *r.Max {
		add("want at most %d", *r.Max)
	}
	if s := made.standing; s != nil && s.Rows > 0 {
		if drop := share(s.Rows-made.rows, s.Rows); r.MaxDrop != nil && drop > *r.MaxDrop {
			add("the receipt that stands has %d: a drop of %s, more than the %s allowed", s.Rows, drop, *r.MaxDrop)
		}
		if growth := share(made.rows-s.Rows, s.Rows); r.MaxGrowth != nil && growth > *r.MaxGrowth {
			add("the receipt that stands has %d: a growth of %s, more than the %s allowed", s.Rows, growth, *r.MaxGrowth)
		}
	}
	if len(problems) == 0 {
		return "", nil
	}
	return counted(made.rows) + ", " + strings.Join(problems, ", and "), nil
}

// share is part of whole, rounded up, so that more than a limit stays more. It
// is 0 where there is no part.
func share(part, whole int64) Percent {
	if part <= 0 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(part), big.NewInt(10_000))
	n.Add(n, big.NewInt(whole-1)).Div(n, big.NewInt(whole))
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return Percent(n.Int64())
}
