package ingest

import (
	"errors"
	"fmt"
)

// CSV says how CSV is written. The zero value is RFC 4180 with a header and no
// word for NULL but the empty cell.
type CSV struct {
	Delimiter byte // between the cells of a record; 0 means a comma
	Quote     byte // around a cell, and doubled within one; 0 means "
	// Escape is the character that takes the meaning from the one after it inside
	// of quotes; 0 means that there is none, and quotes are doubled.
	Escape byte
	// Header are the names of the columns where the source does not begin with them.
	Header []string
	// Null is what an unquoted cell holds that is NULL in a column of any type.
	// Where it is not empty, the empty cell is the empty text in a VARCHAR or BLOB.
	Null string
	// Own says that the delimiter is that of some files alone, and not the stream's: it is kept with their
	// rejects, which are read again by it.
	Own bool
}

func (c CSV) withDefaults() CSV {
	if c.Delimiter == 0 {
		c.Delimiter = ','
	}
	if c.Quote == 0 {
		c.Quote = '"'
	}
	if c.Escape == c.Quote {
		c.Escape = 0 // a quote is escaped by another: it is doubled
	}
	return c
}

// validate tells what is wrong with the options.
func (c CSV) validate() error {
	c = c.withDefaults()
	for _, o := range []struct {
		name string
		is   byte
	}{{"delimiter", c.Delimiter}, {"quote", c.Quote}, {"escape", c.Escape}} {
		if o.is == '\n' || o.is == '\r' || o.is >= 0x80 {
			return fmt.Errorf("%s %q: want one ASCII character that is no line end", o.name, o.is)
		}
	}
	if c.Delimiter == c.Quote || c.Delimiter == c.Escape {
		return errors.New("the delimiter of CSV is also its quote or escape: want another character for each")
	}
	return nil
}
