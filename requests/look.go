package requests

import (
	"context"
	"errors"
)

// ErrSince says that another request of the job was submitted, resumed or changed since the requests were looked
// at: it may do what is asked for.
var ErrSince = errors.New("another request of the job has come or was changed since")

// Look is all requests as they were when they were looked at, the newest first.
type Look []*Request

// Look reads on, and returns all requests for who decides by them what to submit.
func (q *Queue) Look(ctx context.Context) (*Look, error) {
	all, err := q.List(ctx)
	look := Look(all)
	return &look, err
}

// stands is ErrSince if a submission that was decided by the look may be decided otherwise by the state. A request of
// the same plan is not another: that is joined in any case. nil is of who does not go by any.
func (l *Look) stands(state *State, s Submission) error {
	if l == nil {
		return nil
	}
	for _, r := range state.requests {
		if r.Job == s.Job && r.Plan != s.Plan && !r.Ended() && !l.has(r) {
			return ErrSince
		}
	}
	return nil
}

// has tells whether a request that is under way was so, and as it is now, when it was looked at.
func (l *Look) has(r *Request) bool {
	for _, was := range *l {
		if was.Plan == r.Plan {
			return !was.Ended() && was.Entry == r.Entry && was.Changed == r.Changed
		}
	}
	return false
}
