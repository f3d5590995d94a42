package landing

import (
	"errors"
	"fmt"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
)

// Filler gathers rows in blocks, apart from the intake that they are for, so that several
// goroutines can read one source. It is used by one of them at a time.
type Filler struct {
	columns []datafile.Column // of the segment file
	room    *blockRoom
	vectors []*datafile.Vector // of the rows that came since the last block
	hours   byHour             // of these
	filled  []*block

	landedAt datafile.Value
	source   datafile.Value // of the rows that were added last
	coming   string         // of those to come, where moved
	moved    bool
	position counter // of the rows in their source, after landedAt and source
	text     []byte  // ends with the canonical encoding of the row being added
}

func newFiller(declared []datafile.Column, source string, landedAt time.Time, room *blockRoom) *Filler {
	f := &Filler{columns: segmentColumns(declared), room: room, landedAt: parquet.Int64Value(landedAt.UnixMicro())}
	f.vectors = datafile.NewVectors(f.columns)
	f.come(source)
	return f
}

// from says what the source of the rows to come is.
func (f *Filler) from(source string) { f.coming, f.moved = source, true }

func (f *Filler) come(source string) {
	f.source, f.moved = parquet.ByteArrayValue([]byte(source)), false
	f.position.after(datafile.AppendRow(nil, f.columns[atLandedAt:atSourcePosition], []datafile.Value{f.landedAt, f.source}))
}

// rows is how many rows came since the last block.
func (f *Filler) rows() int { return f.hours.rows() }

// size is about how much memory these take, in bytes.
func (f *Filler) size() int64 { return sizeOf(f.vectors) }

// Add takes in a row, whose values are copied. A value that is not of its column's type is
// an error, after which the rows can't be landed.
func (f *Filler) Add(r Row) error {
	if err := f.begin(len(r.Values)); err != nil {
		return err
	}
	f.vectors[atEventTime].AppendInteger(r.EventTime)
	f.text = datafile.AppendInteger(f.text, r.EventTime)
	f.place(r.SourcePosition)
	if err := f.addDeclared(r.Values); err != nil {
		return err
	}
	return f.end(r.EventTime, r.Extra)
}

// AddPlain is Add of a row of plain values, the text of which has to stay as it is until End.
func (f *Filler) AddPlain(r *PlainRow) (err error) {
	if err := f.begin(len(r.Values)); err != nil {
		return err
	}
	if f.text, err = f.vectors[atEventTime].AppendPlain(f.text, &r.Time, r.Text); err != nil {
		return fmt.Errorf("the event time %w", err)
	}
	f.place(r.SourcePosition)
	vectors, text := f.vectors[atDeclared:], f.text
	for i := range r.Values {
		if text, err = vectors[i].AppendPlain(text, &r.Values[i], r.Text); err != nil {
			return fmt.Errorf("column %s %w", f.columns[atDeclared+i].Name, err)
		}
	}
	f.text = text
	return f.end(r.EventTime, r.Extra)
}

// begin begins a row of so many declared values.
func (f *Filler) begin(values int) error {
	if want := len(f.columns) - atDeclared - 1; values != want {
		return fmt.Errorf("it has %d values for %d declared columns", values, want)
	}
	if f.moved {
		if err := f.fill(atSource, f.source); err != nil {
			return err
		}
		f.come(f.coming)
	}
	f.text = f.hours.digests.Next()
	return nil
}

// place goes on with a row, whose event time is there, by where in its source it is.
func (f *Filler) place(position int64) {
	f.vectors[atSourcePosition].AppendInteger(position)
	f.text = f.position.appendTo(f.text, position)
}

// end ends a row, whose declared values are there.
func (f *Filler) end(eventTime int64, extra string) error {
	if err := f.addExtra(extra); err != nil {
		return err
	}
	f.hours.digests.Add(f.text)
	if f.hours.add(floorHour(eventTime)); f.rows() < datafile.BlockRows {
		return nil
	}
	return f.End()
}

func (f *Filler) addDeclared(values []datafile.Value) (err error) {
	vectors := f.vectors[atDeclared:]
	for i := range values {
		if f.text, err = vectors[i].AppendDigested(f.text, &values[i]); err != nil {
			return fmt.Errorf("column %s %w", f.columns[atDeclared+i].Name, err)
		}
	}
	return nil
}

// addExtra adds what few rows have. That others lack it is filled in later.
func (f *Filler) addExtra(text string) (err error) {
	if text == "" {
		f.text = datafile.AppendNull(f.text)
		return nil
	}
	if err := f.fill(f.atExtra(), datafile.Value{}); err != nil {
		return err
	}
	extra := parquet.ByteArrayValue([]byte(text))
	f.text, err = f.vectors[f.atExtra()].AppendDigested(f.text, &extra)
	return err
}

func (f *Filler) atExtra() int { return len(f.columns) - 1 }

// fill adds to a column what all rows have in it that are not there yet.
func (f *Filler) fill(column int, x datafile.Value) error {
	v := f.vectors[column]
	missing := f.rows() - v.Len()
	if missing == 0 {
		return nil
	}
	return errors.Join(v.Append(x), v.Repeat(missing-1))
}

// fillUp is fill of a column to which nothing is added afterwards.
func (f *Filler) fillUp(column int, x datafile.Value) error {
	if v := f.vectors[column]; v.Len() == 0 && f.rows() > 0 {
		return v.Fill(x, f.rows())
	}
	return f.fill(column, x)
}

// End has the rows that came since the last block become one, in the order of their hours. Whoever has
// the intake take them need not call it, but spares the intake's goroutine that work.
func (f *Filler) End() error {
	if f.rows() == 0 {
		return nil
	}
	for row := range f.rows() {
		f.vectors[atOffset].AppendInteger(int64(row))
	}
	err := errors.Join(f.fillUp(atLandedAt, f.landedAt), f.fillUp(atSource, f.source), f.fillUp(f.atExtra(), datafile.Value{}))
	pieces, order := f.hours.end()
	b := f.room.take(f.columns)
	b.pieces = append(b.pieces, pieces...)
	f.move(b.vectors, order)
	f.filled = append(f.filled, b)
	return err
}

// move moves the rows into vectors, in an order. What they were gathered in is in the
// processor's cache, and takes the next ones.
func (f *Filler) move(to []*datafile.Vector, order []int32) {
	for c, v := range f.vectors {
		if v.Differs() {
			to[c].TakeEach(v, order)
		} else {
			v.Keep()
			to[c], f.vectors[c] = v, to[c]
		}
		f.vectors[c].Reset()
	}
}
