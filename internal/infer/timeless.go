package infer

import (
	"fmt"
	"strings"
)

// timeless says why nothing is proposed where no field may be the event time.
func (s *Sample) timeless(columns []column) error {
	as := s.lookedAt(columns)
	if times := s.timesApart(); times != "" {
		return fmt.Errorf("looked at as %s, %w, and is in all of the files, of one unit: %s: look at each kind with a DIR of its own (strandline init DIR --from FILE), or convert one", as, ErrNoEventTime, times)
	}
	for _, c := range columns {
		if f := c.field; f.strange != "" {
			return fmt.Errorf("looked at as %s, %w: %s does where it is %s, and does not where it is %s; %s", as, ErrNoEventTime, shown(c.path.String()), f.example, f.strange, timesRead)
		}
	}
	return fmt.Errorf("looked at as %s, %w: %s", as, ErrNoEventTime, timesRead)
}

// timesApart says what may be the event time of each file, looked at alone; "" where there is
// one file, or none has any.
func (s *Sample) timesApart() string {
	if len(s.sources) < 2 {
		return ""
	}
	var out []string
	some := false
	for _, from := range s.sources {
		alone, err := look([]string{from.path}, s.Header)
		if err != nil {
			continue // a file without records
		}
		columns, _ := alone.columns()
		if found := alone.eventTimes(columns); len(found) > 0 {
			some = true
			out = append(out, fmt.Sprintf("in %s it may be %s, as unit %s", from.path, shown(found[0].path.String()), found[0].field.times[0].unit))
		} else {
			out = append(out, fmt.Sprintf("in %s none may be it", from.path))
		}
	}
	if !some {
		return ""
	}
	return strings.Join(out, "; ")
}
