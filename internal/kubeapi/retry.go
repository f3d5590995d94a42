package kubeapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// waits are the times between tries: some eight seconds in all.
var waits = []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second}

// patience is how long after a request was begun a last try of it may begin, however slowly
// the cluster answers and however long it asks to be left alone.
const patience = time.Minute

// toldFrom is the shortest wait that a person would wonder about.
const toldFrom = time.Second

// waitFor waits after what a try met, and tells of it.
func (c *Client) waitFor(ctx context.Context, r Request, wait time.Duration, met error) error {
	if c.Tell != nil && wait >= toldFrom {
		if s, is := errors.AsType[*status](met); is {
			met = errors.New(s.Message) // the advice is for later
		}
		c.Tell("%v (trying again in %v)", c.wrap(r, met), wait)
	}
	return c.pause(ctx, wait)
}

// tooLong is what the last try met, where the next would come too late.
func tooLong(met error, wait time.Duration) error {
	return fmt.Errorf("%w (not tried again, since that would be in %v, and more than %v after the first try)", met, wait, patience)
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mostSeconds is the most that is told of a wait, which is more than anybody waits for.
const mostSeconds = 24 * 60 * 60

// waitOf is how long to wait after an answer, negative where it is the last word.
func waitOf(answer *http.Response) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode < 500 {
		return -1
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil { // none, or the date of a proxy's clock
		return 0
	}
	return time.Duration(min(max(0, seconds), mostSeconds)) * time.Second
}

// retryable tells errors that another try may not meet from those that it will.
func retryable(err error) (time.Duration, error) {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &certificate), errors.As(err, &unknown):
		return -1, fmt.Errorf("%w; look at the server and the certificate-authority of the kubeconfig: something else may have the address", err)
	case errors.As(err, &record):
		return -1, fmt.Errorf("%w; what has the address of the kubeconfig's server speaks no TLS", err)
	case errors.Is(err, context.Canceled):
		return -1, err
	}
	return 0, &unreachable{err}
}
