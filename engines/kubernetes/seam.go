package kubernetes

import "strandline/plans"

type Ref struct {
	Plan   plans.ID
	Slices int
}
type SubmitOptions struct{ Parallel, MaxFailures int }
type State string

const (
	Running, Done, Failed, Paused, Cancelled, Absent State = "running", "done", "failed", "paused", "cancelled", "absent"
)

type Observation struct {
	State                     State
	Active, Succeeded, Failed int
	Message                   string
}
