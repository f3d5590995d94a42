package sweep

import (
	"context"
	"errors"
	"fmt"

	"strandline/manifests"
	"strandline/plans"
	"strandline/requests"
)

// wanted are the oldest versions of tables, by name, that plans of requests read which have not ended.
type wanted map[string]manifests.Version

// readByRequests reads them once, when a table is met of which versions may expire.
func (s *sweeper) readByRequests(ctx context.Context) (wanted, error) {
	if s.wanted != nil {
		return s.wanted, nil
	}
	all, err := requests.Open(s.store, s.options.Log).List(ctx)
	if err != nil {
		return nil, fmt.Errorf("look which versions requests read: %w", err)
	}
	read := wanted{}
	for _, r := range all {
		if r.Ended() {
			continue
		}
		file, err := plans.Read(ctx, s.store, r.Plan)
		if errors.Is(err, plans.ErrNoPlan) || errors.Is(err, plans.ErrPlan) {
			continue // nobody can carry it out
		}
		if err != nil {
			return nil, fmt.Errorf("look which versions request %s reads: %w", r.Plan.Short(), err)
		}
		read.add(file.Read)
	}
	s.wanted = read
	return read, nil
}

func (w wanted) add(read manifests.Positions) {
	for name, at := range read {
		table, is := manifests.InputTable(name)
		if !is || at < 1 {
			continue
		}
		if oldest, known := w[table]; !known || manifests.Version(at) < oldest {
			w[table] = manifests.Version(at)
		}
	}
}
