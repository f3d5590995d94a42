package manifests

import (
	"slices"
	"time"
)

// Effort is what computing one partition took: from the input's rows to the files that
// were brought up, as if one core had done nothing else.
type Effort struct {
	Rows         int64 `json:"rows"` // of the input
	Milliseconds int64 `json:"ms"`
}

// Efforts are those of the last results of a table, oldest first. They are for estimates
// alone: no digest is of them, and an older program keeps none.
type Efforts []Effort

// effortsKept is how many are: some, so that one that had to wait does not count for much,
// and few, so that they soon tell of new code or another machine.
const effortsKept = 64

// with returns the efforts and those of an edit.
func (e Efforts) with(edit *Edit) Efforts {
	if len(edit.Took) == 0 {
		return e
	}
	all := slices.Clip(e) // what others hold of it stays as it is
	for _, r := range edit.results() {
		if ms, known := edit.Took[r.Partition]; known {
			all = append(all, Effort{r.InputRows, ms})
		}
	}
	return slices.Clone(all[max(0, len(all)-effortsKept):])
}

// results are the receipts of the edit, and those that it holds.
func (e *Edit) results() []Receipt {
	all := slices.Clone(e.Receipts)
	for _, c := range e.Held {
		all = append(all, c.Receipt)
	}
	return all
}

// keepTook notes what the results of the edit took.
func (e *Edit) keepTook(took map[string]time.Duration) {
	for _, r := range e.results() {
		d, known := took[r.Partition]
		if !known {
			continue
		}
		if e.Took == nil {
			e.Took = map[string]int64{}
		}
		e.Took[r.Partition] = max(1, d.Milliseconds())
	}
}

// Estimate tells what a partition of that many rows would take, by the straight line that
// lies nearest to the efforts: so much for every partition, and so much for every row.
// Neither is less than nothing. Without efforts nothing is known.
func (e Efforts) Estimate() (of func(rows int64) time.Duration, known bool) {
	if len(e) == 0 {
		return nil, false
	}
	n := float64(len(e))
	var rows, ms, squares, products float64
	for _, one := range e {
		x, y := float64(one.Rows), float64(one.Milliseconds)
		rows, ms, squares, products = rows+x, ms+y, squares+x*x, products+x*y
	}
	each, row := ms/n, 0.0
	if spread := n*squares - rows*rows; spread > 0 {
		row = max(0, (n*products-rows*ms)/spread)
		each = (ms - row*rows) / n
	}
	if each < 0 { // the line through the origin
		each, row = 0, products/squares
	}
	return func(rows int64) time.Duration {
		return time.Duration((each + row*float64(rows)) * float64(time.Millisecond))
	}, true
}
