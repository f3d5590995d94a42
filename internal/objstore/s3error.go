package objstore

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// explain turns an SDK error into one that names the object, says what to do
// where that is known, and wraps ErrNotFound for an absent object. An absent
// bucket is not an absent object: taking it for one would read as an empty lake.
func (s *S3) explain(act, key string, err error) error {
	return s.s3Bucket.explain(act, s.prefixed(key), err)
}

// url names an object by its whole key.
func (b s3Bucket) url(key string) string { return "s3://" + b.bucket + "/" + key }

// explain is S3.explain of a whole key.
func (b s3Bucket) explain(act, key string, err error) error {
	code, name := codeOf(err), b.url(key)
	if code == "NoSuchKey" || code == "NotFound" {
		return fmt.Errorf("%s %s: %w", act, name, ErrNotFound)
	}
	if advice := adviceFor(code, statusOf(err)); advice != "" {
		return fmt.Errorf("%s %s: %s: %w", act, name, b.where, &explained{advice + " (" + cmp.Or(code, "HTTP 403") + ")", err})
	}
	var dial *net.OpError
	if code == "" && errors.As(err, &dial) && dial.Op == "dial" {
		return fmt.Errorf("%s %s: %s: %w", act, name, b.where, &explained{"nothing answers there; is the server running, and the endpoint right? (" + dial.Err.Error() + ")", err})
	}
	return fmt.Errorf("%s %s, %s: %w", act, name, b.where, err)
}

// explained is an SDK error in words of ours: the SDK's tell the request's ids
// and the same thing several times.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

func adviceFor(code string, status int) string {
	switch code {
	case "NoSuchBucket":
		return "the bucket does not exist; create it, or correct its name or the endpoint"
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken":
		return "the credentials are not accepted; check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "IllegalLocationConstraintException":
		return "the bucket is in another region; set s3.region"
	case "RequestTimeTooSkewed":
		return "this machine's clock differs from the server's; set the clock"
	case "InvalidObjectState":
		return "the object is archived; restore it first"
	case "NotImplemented":
		return "the server does not know this request; Strandline needs If-None-Match on PUT"
	}
	if status == http.StatusForbidden {
		return "access is denied; the credentials need to get, put, delete and list objects in it"
	}
	return ""
}

// refusals are the codes with which a server says that it did not even begin to do what
// it was asked, nor will until somebody does something. Any other answer may come of a
// request that was done, or is under way.
var refusals = []string{
	"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "RequestTimeTooSkewed",
	"NoSuchBucket", "InvalidBucketName", "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
	"MethodNotAllowed", "NotImplemented", "EntityTooLarge", "KeyTooLongError", "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded",
}

// refused gives the error of a Create the class ErrNotWritten if it is a refusal.
func refused(err error) error {
	if slices.Contains(refusals, codeOf(err)) {
		return fmt.Errorf("%w: %w", ErrNotWritten, err)
	}
	return err
}

// codeOf returns the S3 error code, or "" if the server did not answer.
func codeOf(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// statusOf returns the HTTP status, or 0 if the server did not answer.
func statusOf(err error) int {
	var response *smithyhttp.ResponseError
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}
