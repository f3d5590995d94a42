package window

import (
	"context"
	"fmt"
)

// NoRow wants a SELECT to return no row. It sees the result, alone, under the
// name of the job's table.
type NoRow struct{ SQL string }

func (r NoRow) String() string { return "sql" }

func (r NoRow) fits(ctx context.Context, made exam) error {
	statement, err := made.engine.Parse(ctx, r.SQL)
	if err != nil {
		return err
	}
	if err := statement.CheckInputs([]string{made.job.Name}); err != nil {
		return err
	}
	return made.session.Bind(ctx, r.SQL)
}

func (r NoRow) broken(ctx context.Context, made exam) (string, error) {
	shown, rows, err := made.find(ctx, r.SQL)
	if err != nil || rows == 0 {
		return "", err
	}
	return fmt.Sprintf("the SQL returns %s, %s", counted(rows), shown), nil
}
