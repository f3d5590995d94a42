package publish

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"strandline/internal/datafile"
	"strandline/window"
)

// rowsOf checks rows of these keys, in this order, and returns the first error.
func rowsOf(t *testing.T, keys ...string) error {
	t.Helper()
	day := window.GrainDay.Containing(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	columns := []datafile.Column{
		{Name: window.ColumnWindowStart, Type: datafile.Type{Kind: datafile.TimestampTZ}},
		{Name: "k", Type: datafile.Type{Kind: datafile.Varchar}},
	}
	check, err := newChecker(day, columns, []string{window.ColumnWindowStart, "k"}, window.ColumnWindowStart)
	if err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 8)
	for _, k := range keys {
		// Values are valid during the call only.
		value := parquet.ByteArrayValue(buffer[:copy(buffer, k)])
		if err := check.row([]datafile.Value{parquet.Int64Value(day.Start.UnixMicro()), value}); err != nil {
			return err
		}
	}
	return nil
}

func TestRowsInOrderOfTheKeyPass(t *testing.T) {
	if err := rowsOf(t, "a", "aa", "b", "é"); err != nil {
		t.Error(err)
	}
}

func TestAKeyThatIsThereTwiceIsRefused(t *testing.T) {
	var check *CheckError
	if err := rowsOf(t, "a", "b", "b"); !errors.As(err, &check) || !strings.Contains(check.Reason, "k=b) is there more than once") {
		t.Error(err)
	}
}

// It would hide a key that is there twice. It is no fault of the job.
func TestRowsOutOfOrderAreNotPublished(t *testing.T) {
	var check *CheckError
	if err := rowsOf(t, "a", "c", "b", "c"); err == nil || errors.As(err, &check) || !strings.Contains(err.Error(), "k=b") {
		t.Error(err)
	}
}
