package log

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"
)

// question is a call: to append value as the entry after number after, or,
// without a value, to read all.
type question struct {
	value string
	after uint64
}

// answer is what the caller was told.
type answer struct {
	outcome outcome
	at      uint64 // the entry's number, if it won
	list    string // the values that were read
}

type outcome int

const (
	won outcome = iota
	lost
	unknown
)

// logModel is a log as its users may take it to be: a list that grows by one
// value at a time. Its state is the values, with a blank between two.
func logModel() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{""} },
		Step: func(state, input, output any) []any {
			return step(state.(string), input.(question), output.(answer))
		},
		DescribeOperation: func(input, output any) string {
			return describe(input.(question), output.(answer))
		},
	}
	return model.ToModel()
}

func step(state string, q question, a answer) []any {
	if q.value == "" {
		return only(state, a.list == state)
	}
	length := uint64(len(strings.Fields(state)))
	grown := strings.TrimSpace(state + " " + q.value)
	switch {
	case a.outcome == won:
		return only(grown, length == q.after && a.at == length+1)
	case a.outcome == lost:
		return only(state, length > q.after)
	case length == q.after: // it may have been appended, or not yet or never
		return []any{state, grown}
	}
	return []any{state}
}

func only(state string, possible bool) []any {
	if !possible {
		return nil
	}
	return []any{state}
}

func describe(q question, a answer) string {
	if q.value == "" {
		return "read: " + a.list
	}
	return fmt.Sprintf("append %s after %d: %s", q.value, q.after, [...]string{"won", "lost", "unknown"}[a.outcome])
}
