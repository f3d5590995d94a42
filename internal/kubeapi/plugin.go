package kubeapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"
)

// plugin is a program that tells credentials, as clusters of cloud providers
// have it: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
type plugin struct {
	APIVersion string `yaml:"apiVersion"`
	Command    string `yaml:"command"`
	Args       []string
	Env        []struct {
		Name  string
		Value string
	}
	Hint string `yaml:"installHint"`
}

// pluginVersions are the forms of its answer that are understood.
var pluginVersions = []string{"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}

// told is what a plugin prints.
type told struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Status     *struct {
		Token   string     `json:"token"`
		Cert    string     `json:"clientCertificateData"`
		Key     string     `json:"clientKeyData"`
		Expires *time.Time `json:"expirationTimestamp"`
	} `json:"status"`
}

// remembered is a plugin with its latest answer.
type remembered struct {
	plugin
	mu     sync.Mutex
	latest *told
}

func (p plugin) credentials() (credentials, error) {
	known := false
	for _, version := range pluginVersions {
		known = known || p.APIVersion == version
	}
	switch {
	case !known:
		return credentials{}, fmt.Errorf("exec: apiVersion %q: want %s", p.APIVersion, pluginVersions[0])
	case p.Command == "":
		return credentials{}, errors.New("exec: it names no command")
	}
	r := &remembered{plugin: p}
	return credentials{token: r.token, cert: r.cert, renew: r.forget}, nil
}

func (r *remembered) token(ctx context.Context) (string, error) {
	answer, err := r.answer(ctx)
	if err != nil {
		return "", err
	}
	return answer.Status.Token, nil
}

func (r *remembered) cert(ctx context.Context) (*tls.Certificate, error) {
	answer, err := r.answer(ctx)
	if err != nil || answer.Status.Cert == "" {
		return &tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair([]byte(answer.Status.Cert), []byte(answer.Status.Key))
	if err != nil {
		return nil, fmt.Errorf("the certificate that %s told: %w", r.Command, err)
	}
	return &pair, nil
}

func (r *remembered) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest = nil
}

// margin is how long before their end credentials are renewed.
const margin = 10 * time.Second

// answer is the latest answer, or a new one where that has expired.
func (r *remembered) answer(ctx context.Context) (*told, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest != nil && (r.latest.Status.Expires == nil || time.Now().Add(margin).Before(*r.latest.Status.Expires)) {
		return r.latest, nil
	}
	answer, err := r.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask %s for credentials: %w", r.Command, err)
	}
	r.latest = answer
	return answer, nil
}
