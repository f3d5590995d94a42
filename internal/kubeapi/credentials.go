package kubeapi

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
)

// credentials are how requests are signed. Any of them may be nil.
type credentials struct {
	token func(context.Context) (string, error) // for "Authorization: Bearer"
	cert  func(context.Context) (*tls.Certificate, error)
	basic string // for "Authorization: Basic"
	renew func() // forgets what the server did not take
}

// authorization is the header's value, or nothing.
func (c credentials) authorization(ctx context.Context) (string, error) {
	switch {
	case c.token != nil:
		token, err := c.token(ctx)
		if err != nil || token == "" {
			return "", err
		}
		return "Bearer " + token, nil
	case c.basic != "":
		return "Basic " + c.basic, nil
	}
	return "", nil
}

func (u user) credentials(name string) (creds credentials, err error) {
	switch {
	case u.As != "":
		err = errors.New("it acts as another (as), which is not known here")
	case u.Provider != nil:
		err = errors.New("its auth-provider is no longer known to Kubernetes either: use an exec plugin")
	case u.TokenFile != "":
		creds.token = tokenFile(u.TokenFile)
	case u.Token != "":
		creds.token = func(context.Context) (string, error) { return u.Token, nil }
	case u.Name != "":
		creds.basic = base64.StdEncoding.EncodeToString([]byte(u.Name + ":" + u.Password))
	case u.Exec != nil:
		creds, err = u.Exec.credentials()
	}
	if err == nil && (u.CertData != "" || u.CertFile != "") {
		creds.cert, err = u.certificate()
	}
	if err != nil {
		return creds, fmt.Errorf("user %q of the kubeconfig: %w", name, err)
	}
	return creds, nil
}

// tokenFile reads a token whenever it is needed: it is changed before it expires.
func tokenFile(file string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read the token: %w", err)
		}
		return strings.TrimSpace(string(data)), nil
	}
}

// certificate reads the pair whenever a connection is made: files are changed
// before it expires.
func (u user) certificate() (func(context.Context) (*tls.Certificate, error), error) {
	read := func(context.Context) (*tls.Certificate, error) {
		cert, err := dataOrFile("client-certificate", u.CertData, u.CertFile)
		if err != nil {
			return nil, err
		}
		key, err := dataOrFile("client-key", u.KeyData, u.KeyFile)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("client-certificate and client-key: %w", err)
		}
		return &pair, nil
	}
	_, err := read(context.Background())
	return read, err
}
