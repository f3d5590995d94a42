package main

import (
	"context"
	"fmt"
	"strings"

	"strandline/plans"
	"strandline/requests"
	"strandline/runner"
)

// tellOfOtherCode tells of the requests that end since the table has other code now: which they are, what they
// asked for, and how much of that was left. That it can't be told stops nothing.
func (l *lake) tellOfOtherCode(ctx context.Context, task *runner.Task, tell func(format string, args ...any)) {
	table := "table " + task.Job().Name + " has the code of this configuration now"
	all, err := l.requests.List(ctx)
	if err != nil {
		tell("%s; what requests end as failed by that can't be told: %v", table, err)
	}
	var other []string
	for _, r := range all {
		if r.Job == task.Job().Name && !r.Ended() && r.Fingerprint != task.Fingerprint() {
			if left := l.leftOfRequest(ctx, r); left != "" {
				other = append(other, fmt.Sprintf("%s (%s of %s, %s, %s)", r.Plan.Short(), r.Driver, r.Job, r.Asked, left))
			}
		}
	}
	if len(other) > 0 {
		tell("%s, so %s of other code will end as failed: %s; submit again what is wanted still", table, count(len(other), "request"), strings.Join(other, ", "))
	}
}

// leftOfRequest says how much of a request is left; "" of one that is done, and only not entered as that. The table still has what its code has published.
func (l *lake) leftOfRequest(ctx context.Context, r *requests.Request) string {
	file, table, err := l.planAndTable(ctx, r)
	if err != nil {
		return "its " + count(r.Partitions, "partition") + ", of which it can't be told how many are left"
	}
	n := file.Progress(table).Count
	if n[plans.Done] == len(file.Tasks) {
		return ""
	}
	return fmt.Sprintf("%d of %s left", n[plans.Left]+n[plans.Untold], count(r.Partitions, "partition"))
}
