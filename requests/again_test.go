package requests

import (
	"context"
	"testing"

	"strandline/internal/log"
	"strandline/internal/objstore"
	"strandline/plans"
)

// What was done may be left again, since a table can go back. What is left of a request is begun
// anew, and nothing else.
func TestARequestThatHasEndedGoesOnWithWhatIsLeftOfIt(t *testing.T) {
	for name, test := range map[string]struct {
		run, want string
		left      []int
		cancelled bool
	}{
		"done, and all is there":      {run: "ddd", want: "ddd"},
		"done, and some is gone":      {run: "ddd", left: []int{1}, want: "d.d"},
		"done, and all is gone":       {run: "ddd", left: []int{0, 1, 2}, want: "..."},
		"failed in part":              {run: "dfd", want: "d.d"},
		"failed, and more is gone":    {run: "dfd", left: []int{2}, want: "d.."},
		"cancelled, and some is gone": {run: "dd.", left: []int{0}, cancelled: true, want: ".d."},
		"under way":                   {run: "dd.", left: []int{0}, want: "dd."},
	} {
		t.Run(name, func(t *testing.T) {
			q, s := ranAs(t, test.run)
			if test.cancelled {
				if err := q.Cancel(t.Context(), s.Plan, "ann@desk", Outcome{}); err != nil {
					t.Fatal(err)
				}
			}
			s.Left = test.left
			if _, _, err := q.Submit(t.Context(), s, nil, nil); err != nil {
				t.Fatal(err)
			}
			r, err := q.Find(t.Context(), s.Plan.String())
			if err != nil || string(r.Run) != test.want || r.Left != nil {
				t.Errorf("its slices are %s, want %s, and it keeps %v: %v", r.Run, test.want, r.Left, err)
			}
		})
	}
}

// ranAs is a queue with a request whose slices were run so.
func ranAs(t *testing.T, run string) (*Queue, Submission) {
	t.Helper()
	s := simSubmission(simPlan(0), 3, 3)
	q := Open(objstore.NewMemory(), log.Options{})
	if _, _, err := q.Submit(t.Context(), s, nil, nil); err != nil {
		t.Fatal(err)
	}
	said := turn{Worker: "one", LeaseMS: 1000, Claimed: []part{{s.Plan, 0}, {s.Plan, 1}, {s.Plan, 2}}}
	says := func() {
		if _, err := q.commit(t.Context(), func(*State) (*change, error) { return &change{Turn: &said}, nil }); err != nil {
			t.Fatal(err)
		}
	}
	says()
	said.Claimed = nil
	for slice, mark := range run {
		h := held{part{s.Plan, slice}, 2}
		switch mark {
		case runWell:
			said.Finished = append(said.Finished, finished{held: h})
		case runBadly:
			said.Finished = append(said.Finished, finished{held: h, toll: toll{Failed: 1}})
		default:
			said.Released = append(said.Released, released{held: h})
		}
	}
	says()
	return q, s
}

// So it is when it is resumed, also of one that is paused or under way.
func TestARequestThatIsResumedGoesOnWithWhatIsLeftOfIt(t *testing.T) {
	for name, test := range map[string]struct {
		run, want string
		left      []int
		first     func(q *Queue, ctx context.Context, id plans.ID, by string) error
		refused   bool
	}{
		"paused":                      {run: "dd.", want: "dd.", first: (*Queue).Pause},
		"paused, and some is gone":    {run: "df.", left: []int{0, 1, 2}, want: ".f.", first: (*Queue).Pause},
		"cancelled, and some is gone": {run: "dd.", left: []int{1}, want: "d..", first: cancelled},
		"under way, and some is gone": {run: "dd.", left: []int{0}, want: ".d."},
		"under way":                   {run: "dd.", want: "dd."},
		"failed in part":              {run: "dfd", left: []int{0}, want: "..d"},
		"done, and all is there":      {run: "ddd", want: "ddd", refused: true},
		"done, and some is gone":      {run: "ddd", left: []int{2}, want: "dd."},
		"of a slice that is none":     {run: "dd.", left: []int{3}, want: "dd.", first: (*Queue).Pause, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			q, s := ranAs(t, test.run)
			if test.first != nil {
				if err := test.first(q, t.Context(), s.Plan, ""); err != nil {
					t.Fatal(err)
				}
			}
			if err := q.Resume(t.Context(), s.Plan, test.left, nil, ""); (err != nil) != test.refused {
				t.Errorf("resumed: %v", err)
			}
			r, err := q.Find(t.Context(), s.Plan.String())
			if err != nil || string(r.Run) != test.want || r.Left != nil {
				t.Errorf("its slices are %s, want %s, and it keeps %v: %v", r.Run, test.want, r.Left, err)
			}
		})
	}
}

// cancelled is Cancel of what nobody is to be told of.
func cancelled(q *Queue, ctx context.Context, id plans.ID, by string) error {
	return q.Cancel(ctx, id, by, Outcome{})
}
