package duck

import (
	"context"
	"errors"
	"fmt"
	"os"

	duckdb "github.com/duckdb/duckdb-go/v2"
)

// Session is one connection to the engine with its own TEMP views and tables,
// which die with it. It serves one goroutine at a time; several sessions run
// in parallel.
type Session struct {
	engine  *Engine
	conn    *duckdb.Conn
	results int // how many queries were run, to name their results
}

// Session opens a session. It costs some 0.05 ms.
func (e *Engine) Session(ctx context.Context) (*Session, error) {
	// The engine makes it but once, and something may have removed it since. Where that is of
	// no use, who comes to spill is told.
	_ = os.Mkdir(spillDir(e.scratch), 0o700)
	conn, err := e.connector.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("open SQL session: %w: %w", ErrEngine, err)
	}
	c, ok := conn.(*duckdb.Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("open SQL session: unexpected connection %T", conn), conn.Close())
	}
	return &Session{engine: e, conn: c}, nil
}

// Close ends the session and drops its TEMP views and tables.
func (s *Session) Close() error {
	if err := s.conn.Close(); err != nil {
		return fmt.Errorf("close SQL session: %w", err)
	}
	return nil
}

// Exec runs SQL of our own, never a person's. Cancelling ctx interrupts it.
func (s *Session) Exec(ctx context.Context, sql string) error {
	if _, err := s.conn.ExecContext(ctx, sql, nil); err != nil {
		return explain(ctx, err)
	}
	return nil
}

// statement prepares exactly one statement; it is an error if there are more,
// and then none is run.
func (s *Session) statement(ctx context.Context, sql string) (*duckdb.Stmt, error) {
	if ctx.Err() != nil {
		return nil, interrupted(ctx)
	}
	prepared, err := s.conn.Prepare(sql)
	if err != nil {
		return nil, explain(ctx, err)
	}
	stmt, ok := prepared.(*duckdb.Stmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("prepare SQL: unexpected statement %T", prepared), prepared.Close())
	}
	return stmt, nil
}

// execOne runs exactly one statement.
func (s *Session) execOne(ctx context.Context, sql string) error {
	stmt, err := s.statement(ctx, sql)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx, nil)
	return errors.Join(explain(ctx, err), stmt.Close())
}
