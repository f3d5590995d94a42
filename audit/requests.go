package audit

import (
	"context"
	"errors"

	"strandline/internal/log"
	"strandline/plans"
	"strandline/requests"
)

// requests audits the log of requests, and the plans of those that are listed.
func (r *run) requests(ctx context.Context, room Room) error {
	named, err := requests.Examine(ctx, r.Store, func(f log.Finding) { r.tell(ofRequests(finding(room, f))) }, r.step)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range named {
		known[id.String()] = true
		if err := r.plan(ctx, room, id); err != nil {
			return err
		}
	}
	return list(ctx, r.Store, plans.Folder, func(o Object) {
		if o.Part != Data { // foreign, and told
			return
		}
		r.step(o.Key)
		if !known[o.ID] {
			r.tell(Fault{Name: UnnamedFile, Room: room, Key: o.Key, Seen: "a plan that no request which is listed is of"})
		}
	})
}

// ofRequests says of a fault of the log what helps without a copy, too.
func ofRequests(f Fault) Fault {
	f.complete()
	if f.Level == LevelFault && f.Name != Name(log.StrangeObject) && f.Name != Name(log.MissingTrim) {
		f.Do += "; " + requests.WithoutCopy
	}
	return f
}

// plan looks whether the plan of a request is there and is what its name says.
func (r *run) plan(ctx context.Context, room Room, id plans.ID) error {
	_, err := plans.Read(ctx, r.Store, id)
	name := unreadable
	switch {
	case err == nil || ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, plans.ErrNoPlan):
		name = MissingPlan
	case errors.Is(err, plans.ErrPlan):
		name = DamagedPlan
	}
	r.tell(Fault{Name: name, Room: room, Key: id.Key(), Seen: err.Error()})
	return nil
}
