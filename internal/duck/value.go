package duck

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"strandline/internal/datafile"
	"strandline/internal/jsonvalue"
)

// valueFunction converts a value of an older file as landing would have: see
// conversion.
const valueFunction = "strandline_value"

// conversion is what an older file's column becomes.
type conversion struct {
	Column datafile.Column // as it is declared now
	From   string          // the file's column, for messages
	Paths  [][]string      // as of datafile.Origin
	Below  int64           // rows at this position and above it are not looked at
}

// canonical returns the value that source holds, in the text of the canonical
// encoding. It is an error where that is not exactly one of the column's type.
func (c *conversion) canonical(source []byte) (text []byte, found bool, err error) {
	if c.From == columnEventTime {
		return nil, false, errors.New(adviceInstant) // whose own column needs no conversion
	}
	if len(c.Paths) == 0 {
		value, err := c.parse(source)
		return c.encoded(value, err)
	}
	var first datafile.Value
	for _, path := range c.Paths {
		value, err := c.at(source, path)
		switch {
		case err != nil:
			return nil, false, err
		case first.IsNull():
			first = value
		case !value.IsNull() && datafile.Compare(c.Column.Type, first, value) != 0:
			one, _, _ := c.encoded(first, nil)
			other, _, _ := c.encoded(value, nil)
			return nil, false, fmt.Errorf("its fields hold %.60q and %.60q%s", one, other, adviceField)
		}
	}
	return c.encoded(first, nil)
}

func (c *conversion) at(source []byte, path []string) (datafile.Value, error) {
	value, err := jsonvalue.At(source, path)
	if err != nil || value == nil {
		return datafile.Value{}, err
	}
	text, null, err := jsonvalue.Text(c.Column.Type, value)
	switch {
	case err != nil:
		return datafile.Value{}, fmt.Errorf("%w%s", err, adviceType)
	case null:
		return datafile.Value{}, nil
	}
	return c.parse(text)
}

func (c *conversion) parse(text []byte) (datafile.Value, error) {
	if len(text) == 0 && !c.Column.Type.HasEmpty() {
		return datafile.Value{}, nil // an empty text is how CSV writes NULL in quotes
	}
	value, err := datafile.ParseBorrowed(c.Column.Type, text)
	if err != nil {
		err = fmt.Errorf("%w%s", err, adviceType)
	}
	return value, err
}

func (c *conversion) encoded(value datafile.Value, err error) ([]byte, bool, error) {
	if err != nil || value.IsNull() {
		return nil, false, err
	}
	_, text, _ := bytes.Cut(datafile.AppendCanonical(nil, c.Column.Type, value), []byte(":"))
	return text, true, nil
}

// sql is the conversion of the file's column, of the type from.
func (c *conversion) sql(from datafile.Type) (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	source := "CAST(" + Ident(c.From) + " AS VARCHAR)"
	if from.Kind == datafile.Blob {
		source = "lower(hex(" + Ident(c.From) + "))"
	}
	call := fmt.Sprintf("%s(%s, position, %s)", valueFunction, Literal(string(text)), source)
	switch t := c.Column.Type; t.Kind {
	case datafile.Date:
		return "DATE '1970-01-01' + CAST(" + call + " AS INTEGER)", nil
	case datafile.Timestamp:
		return "make_timestamp(CAST(" + call + " AS BIGINT))", nil
	case datafile.TimestampTZ:
		return "make_timestamptz(CAST(" + call + " AS BIGINT))", nil
	case datafile.Blob:
		return "unhex(" + call + ")", nil
	default:
		return "CAST(" + call + " AS " + t.String() + ")", nil
	}
}

// converter is the engine's valueFunction. It is called from several threads.
type converter struct{ known sync.Map } // conversions by their text

// register adds the function to the engine.
func (e *Engine) register(ctx context.Context) error {
	db := sql.OpenDB(openedConnector{e.connector})
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return duckdb.RegisterScalarUDF(conn, valueFunction, &converter{})
}

// openedConnector is a connector that outlives the database made of it.
type openedConnector struct{ driver.Connector }

// Config says what the function takes and returns.
func (f *converter) Config() duckdb.ScalarFuncConfig {
	varchar, err1 := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	bigint, err2 := duckdb.NewTypeInfo(duckdb.TYPE_BIGINT)
	if errors.Join(err1, err2) != nil {
		return duckdb.ScalarFuncConfig{} // which can't be registered, and says so
	}
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{varchar, bigint, varchar}, ResultTypeInfo: varchar}
}

// Executor returns what is called for each row.
func (f *converter) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: f.row}
}

func (f *converter) row(args []driver.Value) (any, error) {
	how, ok1 := args[0].(string)
	position, ok2 := args[1].(int64)
	source, ok3 := args[2].(string)
	if !ok1 || !ok2 || !ok3 {
		return nil, fmt.Errorf("%s takes a conversion, a position and a text, not %T, %T and %T", valueFunction, args[0], args[1], args[2])
	}
	c, err := f.conversion(how)
	if err != nil || position >= c.Below {
		return nil, err
	}
	text, found, err := c.canonical([]byte(source))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%sposition %d has no %s for column %s, in what its %s holds: %w", unread, position, c.Column.Type, c.Column.Name, c.From, err)
	case !found:
		return nil, nil
	}
	return string(text), nil
}

func (f *converter) conversion(text string) (*conversion, error) {
	if known, ok := f.known.Load(text); ok {
		return known.(*conversion), nil
	}
	c := new(conversion)
	if err := json.Unmarshal([]byte(text), c); err != nil {
		return nil, fmt.Errorf("%s: its first argument is no conversion: %w", valueFunction, err)
	}
	f.known.Store(text, c)
	return c, nil
}
