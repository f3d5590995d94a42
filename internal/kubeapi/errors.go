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
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func (s *status) Error() string { return s.Message }

// Is knows an answer by its reason; who answers 5xx is as good as away.
func (s *status) Is(target error) bool {
	switch target {
	case ErrNotFound:
		return s.Code == http.StatusNotFound
	case ErrExists:
		return s.Reason == "AlreadyExists"
	case ErrConflict:
		return s.Reason == "Conflict"
	case ErrForbidden:
		return s.Code == http.StatusForbidden || s.Code == http.StatusUnauthorized
	case ErrInvalid:
		return s.Code == http.StatusUnprocessableEntity || s.Code == http.StatusBadRequest
	case ErrUnreachable:
		return s.Code >= 500 || s.Code == http.StatusTooManyRequests
	}
	return false
}

func statusOf(answer *http.Response, data []byte) error {
	var s status
	if json.Unmarshal(data, &s) != nil || s.Message == "" {
		// Not the API itself, but something on the way.
		s.Message = fmt.Sprintf("the answer is %s: %.300s", answer.Status, strings.TrimSpace(string(data)))
	}
	s.Code = answer.StatusCode
	if s.Code == http.StatusUnauthorized {
		s.Message = "the cluster does not know the credentials (" + s.Message + ")"
	}
	return &s
}

func isUnauthorized(err error) bool {
	s, ok := errors.AsType[*status](err)
	return ok && s.Code == http.StatusUnauthorized
}
