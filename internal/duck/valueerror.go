package duck

import (
	"strings"

	"strandline/internal/datafile"
)

// ValueError is what an error is when a row that landed under an older declaration has
// a value that a column of its input, as it is declared now, does not hold.
type ValueError struct{ message string }

// Error tells the position, the column and the value.
func (e *ValueError) Error() string { return e.message }

// unread begins the message of a ValueError on its way through the engine.
const unread = "strandline_unread: "

// asValueError finds a ValueError in what the engine says, nil if it is none.
func asValueError(message string) error {
	if _, rest, ok := strings.Cut(message, unread); ok {
		return &ValueError{rest}
	}
	return nil
}

// Advice of what to do about it.
const (
	adviceType    = "; declare a type that takes it, such as VARCHAR, or take the column out of the job"
	adviceField   = "; declare one of them as a column of its own"
	adviceInstant = "of the event time's field only the instant is kept; declare the column as TIMESTAMP WITH TIME ZONE, or leave it out, and read event_time"
)

// differ is an SQL condition and the error of a row of which two fields of a column
// differ.
func differ(c datafile.Column, values string) (condition, message string) {
	shown := func(value string) string {
		return "'\"' || left(CAST(" + value + "(" + values + ") AS VARCHAR), 60) || '\"'"
	}
	return "least(" + values + ") <> greatest(" + values + ")",
		"error(" + Literal(unread+"position ") + " || position || " + Literal(" has no one value for column "+c.Name+": its fields hold ") +
			" || " + shown("least") + " || ' and ' || " + shown("greatest") + " || " + Literal(adviceField) + ")"
}
