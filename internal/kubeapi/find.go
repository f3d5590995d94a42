package kubeapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Where says which cluster is meant. The zero value is the usual one.
type Where struct {
	Kubeconfig string // a file; empty: as KUBECONFIG says, else the pod's own cluster, else ~/.kube/config
	Context    string // of the kubeconfig; empty: its current one
}

// serviceAccountDir is where a pod finds its credentials.
const serviceAccountDir = "/var/run/secrets/kubernetes.io/serviceaccount"

// Find returns a client of the cluster, without asking it anything. env looks
// up environment variables, as os.LookupEnv does.
func Find(where Where, env func(string) (string, bool)) (*Client, error) {
	return find(where, env, serviceAccountDir)
}

func find(where Where, env func(string) (string, bool), podDir string) (*Client, error) {
	list, _ := env("KUBECONFIG")
	host, inCluster := env("KUBERNETES_SERVICE_HOST")
	switch {
	case where.Kubeconfig != "":
		return fromKubeconfig([]string{where.Kubeconfig}, where.Context)
	case list != "":
		return fromKubeconfig(filepath.SplitList(list), where.Context)
	case inCluster && host != "" && where.Context == "":
		port, _ := env("KUBERNETES_SERVICE_PORT")
		return ofThePod(host, port, podDir)
	}
	home, _ := env("HOME")
	file := filepath.Join(home, ".kube", "config")
	if _, err := os.Stat(file); home == "" || err != nil {
		return nil, fmt.Errorf("no cluster is known: this is no pod of one (KUBERNETES_SERVICE_HOST is not set), KUBECONFIG is not set, and there is no %s", file)
	}
	return fromKubeconfig([]string{file}, where.Context)
}

func fromKubeconfig(files []string, context string) (*Client, error) {
	config, err := readKubeconfigs(files)
	if err != nil {
		return nil, err
	}
	p, c, u, err := config.find(context)
	if err != nil {
		return nil, err
	}
	server, err := serverURL(c.Server)
	if err != nil {
		return nil, err
	}
	creds, err := u.credentials(p.User)
	if err != nil {
		return nil, err
	}
	transport, err := c.transport(creds)
	if err != nil {
		return nil, fmt.Errorf("cluster %q of the kubeconfig: %w", p.Cluster, err)
	}
	return newClient(server, p.Namespace, creds, transport), nil
}

func serverURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("server %q of the kubeconfig: want https://host:port", text)
	}
	return u, nil
}

// ofThePod is the client of the cluster that this process is in.
func ofThePod(host, port, dir string) (*Client, error) {
	token := filepath.Join(dir, "token")
	if _, err := os.Stat(token); err != nil {
		return nil, fmt.Errorf("this is a pod without a token of its service account, which submitting needs (automountServiceAccountToken is off?): %w", err)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		port = "443"
	}
	namespace, err := os.ReadFile(filepath.Join(dir, "namespace"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	creds := credentials{token: tokenFile(token)}
	c := cluster{CAFile: filepath.Join(dir, "ca.crt")}
	transport, err := c.transport(creds)
	if err != nil {
		return nil, fmt.Errorf("the cluster of this pod: %w", err)
	}
	server := &url.URL{Scheme: "https", Host: host + ":" + port}
	return newClient(server, strings.TrimSpace(string(namespace)), creds, transport), nil
}

func newClient(server *url.URL, namespace string, creds credentials, transport *http.Transport) *Client {
	if namespace == "" {
		namespace = "default"
	}
	return &Client{
		Namespace: namespace,
		server:    server,
		creds:     creds,
		http:      &http.Client{Transport: transport, Timeout: 30 * time.Second, CheckRedirect: stay},
		now:       time.Now,
		pause:     pause,
	}
}

// stay follows no redirects, which the API has none of: they lead to the page of a proxy.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
