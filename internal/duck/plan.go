package duck

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// planned is what json_serialize_plan returns.
type planned struct {
	Error        bool            `json:"error"`
	ErrorMessage string          `json:"error_message"`
	Position     string          `json:"position"`
	Plans        json.RawMessage `json:"plans"`
}

// plan binds a statement and returns the plan that the engine makes of it
// before it optimises anything.
func (s *Session) plan(ctx context.Context, sql string) (node, error) {
	row, err := s.row(ctx, "SELECT json_serialize_plan(?::VARCHAR, optimize := false)::VARCHAR", driver.NamedValue{Ordinal: 1, Value: sql})
	if err != nil {
		return nil, fmt.Errorf("plan SQL: %w", err)
	}
	text, ok := row[0].(string)
	if !ok {
		return nil, fmt.Errorf("plan SQL: the engine returned %T instead of a plan", row[0])
	}
	var out planned
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fmt.Errorf("plan SQL: %w", err)
	}
	if out.Error {
		return nil, errors.New(pointAt(sql, out.ErrorMessage, out.Position))
	}
	d := json.NewDecoder(strings.NewReader(string(out.Plans)))
	d.UseNumber()
	var plans []map[string]any
	if err := d.Decode(&plans); err != nil || len(plans) != 1 {
		return nil, fmt.Errorf("plan SQL: want one plan, got %d (%w)", len(plans), err)
	}
	return plans[0], nil
}

// sub returns the object at key; empty where there is none.
func (n node) sub(key string) node {
	m, _ := n[key].(map[string]any)
	return m
}

// nodes returns the objects of the list at key.
func (n node) nodes(key string) []node {
	var out []node
	for _, item := range n.list(key) {
		if m, ok := item.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// number returns the digits of the number at key, which may be beyond int64.
func (n node) number(key string) string {
	number, _ := n[key].(json.Number)
	return number.String()
}

// index returns the number at key, or -1.
func (n node) index(key string) int { return placeOf(n[key]) }

func (n node) yes(key string) bool {
	b, _ := n[key].(bool)
	return b
}
