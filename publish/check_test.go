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

func TestARowOfAJobWithoutWindowsHasATimeInItsPartition(t *testing.T) {
	day := window.GrainDay.Containing(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	columns := []datafile.Column{
		{Name: "k", Type: datafile.Type{Kind: datafile.BigInt}},
		{Name: "seen_at", Type: datafile.Type{Kind: datafile.TimestampTZ}},
	}
	for want, at := range map[string]datafile.Value{
		"":                             parquet.Int64Value(day.End.UnixMicro() - 1),
		"seen_at is NULL in row (k=1)": parquet.NullValue(),
		"row (k=1) has the seen_at 2026-03-02T00:00:00Z, outside partition 2026-03-01": parquet.Int64Value(day.End.UnixMicro()),
	} {
		check, err := newChecker(day, columns, []string{"k"}, "seen_at")
		if err != nil {
			t.Fatal(err)
		}
		var refused *CheckError
		switch err := check.row([]datafile.Value{parquet.Int64Value(1), at}); {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (!errors.As(err, &refused) || !strings.Contains(refused.Reason, want)):
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := newChecker(day, columns, []string{"k"}, "k"); err == nil || !strings.Contains(err.Error(), "must select k, a TIMESTAMP WITH TIME ZONE") {
		t.Errorf("got %v, want a time to be asked for", err)
	}
}
