package runner

import (
	"slices"
	"sync"

	"strandline/manifests"
	"strandline/window"
)

// lastSurvey remembers the last survey that lists nothing fresh: whoever looks again and
// again, as the stream does, finds the same one until a log goes on.
type lastSurvey struct {
	mu     sync.Mutex
	known  bool
	at     []uint64          // the entries of the logs of the inputs
	own    manifests.Version // of the job's own table
	survey window.Surveyed
}

// surveyed is the job's survey of its inputs and table as they are now. It is the caller's
// own.
func (t *Task) surveyed(now pinned, list window.Listing) (window.Surveyed, error) {
	if list.Fresh || len(list.Within) > 0 {
		return t.compiled.Survey(t.compiled.Fingerprint, now.heads, now.own, list)
	}
	if survey, known := t.last.of(now); known {
		return survey, nil
	}
	survey, err := t.compiled.Survey(t.compiled.Fingerprint, now.heads, now.own, list)
	if err == nil {
		t.last.remember(now, survey)
	}
	return survey, err
}

func (l *lastSurvey) of(now pinned) (survey window.Surveyed, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.known || l.own != now.own.Version || !slices.Equal(l.at, now.at) {
		return survey, false
	}
	return owned(l.survey), true
}

func (l *lastSurvey) remember(now pinned, survey window.Surveyed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known, l.at, l.own, l.survey = true, now.at, now.own.Version, owned(survey)
}

// owned is a survey whose statuses its owner may change, as closing does.
func owned(survey window.Surveyed) window.Surveyed {
	survey.Partitions = slices.Clone(survey.Partitions)
	return survey
}
