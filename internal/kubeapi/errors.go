package kubeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// What an *Error may hold.
var (
	ErrNotFound    = errors.New("there is no such object")
	ErrExists      = errors.New("it exists already")
	ErrConflict    = errors.New("it was changed meanwhile")
	ErrForbidden   = errors.New("not allowed")
	ErrInvalid     = errors.New("not valid")
	ErrUnreachable = errors.New("the cluster can't be reached")
	ErrAnswer      = errors.New("not the answer of a Kubernetes API")
)

// Error is why a request was not carried out.
type Error struct {
	Request Request
	Server  string // the cluster's address
	Err     error
}

func (e *Error) Error() string { return fmt.Sprintf("%s at %s: %v", e.Request, e.Server, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

func (c *Client) wrap(r Request, err error) error {
	return &Error{Request: r, Server: c.Server(), Err: err}
}

// unreachable is an error of the way to the cluster.
type unreachable struct{ err error }

func (u *unreachable) Error() string        { return fmt.Sprintf("%v: %v", ErrUnreachable, u.err) }
func (u *unreachable) Unwrap() error        { return u.err }
func (u *unreachable) Is(target error) bool { return target == ErrUnreachable }

// status is how the API answers what it does not do.
type status struct {
	Kind    string `json:"kind"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	advice  string // what to do about it; may be ""
}

func (s *status) Error() string { return s.Message + s.advice }

// Is knows an answer by its reason; who answers 5xx is as good as away. What does not come
// from the API itself says nothing of objects and rights.
func (s *status) Is(target error) bool {
	ofAPI := s.Kind == kindStatus
	switch target {
	case ErrNotFound:
		return ofAPI && s.Code == http.StatusNotFound
	case ErrExists:
		return ofAPI && s.Reason == "AlreadyExists"
	case ErrConflict:
		return ofAPI && s.Reason == "Conflict"
	case ErrForbidden:
		return ofAPI && (s.Code == http.StatusForbidden || s.Code == http.StatusUnauthorized)
	case ErrInvalid:
		return ofAPI && (s.Code == http.StatusUnprocessableEntity || s.Code == http.StatusBadRequest)
	case ErrUnreachable:
		return isBusy(s.Code)
	case ErrAnswer:
		return !ofAPI && !isBusy(s.Code)
	}
	return false
}

// isBusy tells the codes that another try may not meet.
func isBusy(code int) bool { return code >= 500 || code == http.StatusTooManyRequests }

func statusOf(answer *http.Response, data []byte) error {
	var s status
	if json.Unmarshal(data, &s) != nil || s.Kind != kindStatus {
		s = status{Message: fmt.Sprintf("the answer is %s, %s", answer.Status, excerpt(answer, data))}
	} else if s.Message == "" || isBusy(answer.StatusCode) {
		s.Message = strings.TrimSuffix(fmt.Sprintf("the answer is %s: %s", answer.Status, s.Message), ": ")
	}
	s.Code = answer.StatusCode
	switch {
	case s.Code == http.StatusUnauthorized:
		s.Message = "the cluster does not know the credentials (" + s.Message + ")"
	case s.Code == http.StatusTooManyRequests:
		s.advice = "; it takes no more requests for now: try again in a minute"
	case s.Code >= 500:
		s.advice = "; the cluster, or what is on the way to it, is in trouble: try again when it is well"
	}
	return &s
}

func isUnauthorized(err error) bool {
	s, ok := errors.AsType[*status](err)
	return ok && s.Code == http.StatusUnauthorized
}
