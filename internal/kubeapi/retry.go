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

// longest is the longest wait that a cluster may ask for.
const longest = 30 * time.Second

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

// waitOf is how long to wait after an answer, negative where it is the last word.
func waitOf(answer *http.Response) time.Duration {
	if answer.StatusCode != http.StatusTooManyRequests && answer.StatusCode < 500 {
		return -1
	}
	seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, longest)
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
