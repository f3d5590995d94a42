package landing

import (
	"fmt"
	"slices"
)

// checkRetried tells whether records are named once, by file and in order.
func checkRetried(retried []Retried) error {
	files := map[string]bool{}
	for _, r := range retried {
		if files[r.File] || len(r.Records) == 0 {
			return fmt.Errorf("rejects of file %s are landed again twice, or none of them", r.File)
		}
		files[r.File] = true
		next := int64(0)
		for i, span := range r.Records {
			if span.From < next || i > 0 && span.From == next || span.To <= span.From {
				return fmt.Errorf("rejects %v of file %s: want ascending ranges that are apart", r.Records, r.File)
			}
			next = span.To
		}
	}
	return nil
}

// followsRetried is ErrRetried if rejects are not pending.
func (s *State) followsRetried(retried []Retried) error {
	if len(retried) == 0 {
		return nil
	}
	most := s.rejectsIn()
	for _, r := range retried {
		n, there := most[r.File]
		if !there {
			return fmt.Errorf("%w: no file of rejects %s is there any more", ErrRetried, r.File)
		}
		if last := r.Records[len(r.Records)-1]; last.To > n {
			return fmt.Errorf("file %s is said to have %d rejects or more, and has %d at most", r.File, last.To, n)
		}
		for _, span := range r.Records {
			if s.retried[r.File].overlap(span) {
				return fmt.Errorf("%w: some of [%d, %d) of file %s have landed again", ErrRetried, span.From, span.To, r.File)
			}
		}
	}
	return nil
}

// rejectsIn tells for each file of rejects how many it has at most.
func (s *State) rejectsIn() map[string]int64 {
	most := map[string]int64{}
	for a := range s.withRejects() {
		for _, id := range a.RejectFiles {
			most[id] = a.Rejects
		}
	}
	return most
}

func (s *State) foldRetried(retried []Retried) {
	for _, r := range retried {
		s.retried[r.File] = s.retried[r.File].join(r.Records)
	}
}

// dropRetried forgets what was landed again of files that are not named any more.
func (s *State) dropRetried() {
	if len(s.retried) == 0 {
		return
	}
	named := s.rejectsIn()
	for id := range s.retried {
		if _, still := named[id]; !still {
			delete(s.retried, id)
		}
	}
}

// RetriedRejects counts the rejects that have landed again, without those that have
// expired.
func (s *State) RetriedRejects() (n int64) {
	for _, records := range s.retried {
		n += records.len()
	}
	return n
}

// PendingRejects counts the rejects that have neither landed again nor expired.
func (s *State) PendingRejects() int64 {
	_, ever := s.Arrived()
	return ever - s.ExpiredRejects() - s.RetriedRejects()
}

// spans are ascending ranges that are apart.
type spans []Span

func (s spans) len() (n int64) {
	for _, span := range s {
		n += span.To - span.From
	}
	return n
}

// end is after the last one.
func (s spans) end() int64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].To
}

// overlap tells whether one of a span is there.
func (s spans) overlap(span Span) bool {
	i, _ := slices.BinarySearchFunc(s, span.From, func(have Span, from int64) int {
		if have.To <= from {
			return -1
		}
		return 1
	})
	return i < len(s) && s[i].From < span.To
}

// has tells whether a record is there.
func (s spans) has(record int64) bool { return s.overlap(Span{record, record + 1}) }

// join returns s with others, none of which is there.
func (s spans) join(others []Span) (joined spans) {
	all := slices.Concat(s, others)
	slices.SortFunc(all, func(a, b Span) int { return int(min(1, max(-1, a.From-b.From))) })
	for _, span := range all {
		joined = joined.add(span)
	}
	return joined
}

// add adds a span after all others.
func (s spans) add(span Span) spans {
	if last := len(s) - 1; last >= 0 && s[last].To == span.From {
		s[last].To = span.To
		return s
	}
	return append(s, span)
}
