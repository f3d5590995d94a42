package infer

import (
	"fmt"

	"strandline/ingest"
)

// lacksHeader tells whether the first record of CSV seems to hold no names but values:
// the name of what looks like the event time is an instant itself.
func (s *Sample) lacksHeader() bool {
	if s.Format != ingest.FormatCSV {
		return false
	}
	columns, _ := s.columns()
	candidates := s.eventTimes(columns)
	if len(candidates) == 0 {
		return false
	}
	name := []byte(candidates[0].field.name)
	return candidates[0].field.times[0].fits('"', name, true)
}

// madeUp are names for columns that have none.
func (f *fields) madeUp() []string {
	names := make([]string, len(f.all))
	for i := range names {
		names[i] = fmt.Sprintf("column_%d", i+1)
	}
	return names
}
