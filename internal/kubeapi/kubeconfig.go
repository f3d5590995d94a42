package kubeapi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kubeconfig is what a file, or a list of files, tells of clusters and users.
type kubeconfig struct {
	Current  string           `yaml:"current-context"`
	Clusters []named[cluster] `yaml:"clusters"`
	Users    []named[user]    `yaml:"users"`
	Contexts []named[place]   `yaml:"contexts"`
}

type named[T any] struct {
	Name    string `yaml:"name"`
	Cluster T      `yaml:"cluster"`
	User    T      `yaml:"user"`
	Context T      `yaml:"context"`
}

type cluster struct {
	Server        string `yaml:"server"`
	CAFile        string `yaml:"certificate-authority"`
	CAData        string `yaml:"certificate-authority-data"` // base64 of PEM, which comes before the file
	Insecure      bool   `yaml:"insecure-skip-tls-verify"`
	TLSServerName string `yaml:"tls-server-name"`
	ProxyURL      string `yaml:"proxy-url"`
}

type user struct {
	CertFile  string     `yaml:"client-certificate"`
	CertData  string     `yaml:"client-certificate-data"`
	KeyFile   string     `yaml:"client-key"`
	KeyData   string     `yaml:"client-key-data"`
	Token     string     `yaml:"token"`
	TokenFile string     `yaml:"tokenFile"` // comes before the token
	Name      string     `yaml:"username"`
	Password  string     `yaml:"password"`
	Exec      *plugin    `yaml:"exec"`
	Provider  *yaml.Node `yaml:"auth-provider"`
	As        string     `yaml:"as"`
}

// place is a context: where, and as whom.
type place struct {
	Cluster   string `yaml:"cluster"`
	User      string `yaml:"user"`
	Namespace string `yaml:"namespace"`
}

// readKubeconfigs reads a list of files as one. Of what several files tell by
// the same name, the first counts. Files of a list that are not there are left out,
// as kubectl does, so long as there is one.
func readKubeconfigs(files []string) (all kubeconfig, err error) {
	found := false
	for _, file := range files {
		one, err := readKubeconfig(file)
		if errors.Is(err, fs.ErrNotExist) && len(files) > 1 {
			continue
		}
		if err != nil {
			return all, err
		}
		found = true
		all.add(one)
	}
	if !found {
		return all, fmt.Errorf("none of %s is there", strings.Join(files, ", "))
	}
	return all, nil
}

func readKubeconfig(file string) (one kubeconfig, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return one, fmt.Errorf("read the kubeconfig: %w", err)
	}
	if err := yaml.Unmarshal(data, &one); err != nil {
		return one, fmt.Errorf("read the kubeconfig %s: %w", file, err)
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return one, err
	}
	for i := range one.Clusters {
		one.Clusters[i].Cluster.CAFile = beside(dir, one.Clusters[i].Cluster.CAFile)
	}
	for i := range one.Users {
		u := &one.Users[i].User
		u.CertFile, u.KeyFile, u.TokenFile = beside(dir, u.CertFile), beside(dir, u.KeyFile), beside(dir, u.TokenFile)
		if u.Exec != nil && strings.ContainsRune(u.Exec.Command, filepath.Separator) {
			u.Exec.Command = beside(dir, u.Exec.Command)
		}
	}
	return one, nil
}

// beside is where a path of a file in dir leads.
func beside(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

func (k *kubeconfig) add(more kubeconfig) {
	if k.Current == "" {
		k.Current = more.Current
	}
	k.Clusters = append(k.Clusters, more.Clusters...)
	k.Users = append(k.Users, more.Users...)
	k.Contexts = append(k.Contexts, more.Contexts...)
}

// find returns what a context tells; "" is the current one.
func (k *kubeconfig) find(context string) (p place, c cluster, u user, err error) {
	if context == "" {
		context = k.Current
	}
	if context == "" {
		return p, c, u, errors.New("the kubeconfig has no current-context: name one (kubectl config get-contexts lists them)")
	}
	if p, err = pick("context", k.Contexts, context, func(n named[place]) place { return n.Context }); err != nil {
		return p, c, u, err
	}
	if c, err = pick("cluster", k.Clusters, p.Cluster, func(n named[cluster]) cluster { return n.Cluster }); err != nil {
		return p, c, u, fmt.Errorf("context %q of the kubeconfig: %w", context, err)
	}
	if p.User == "" {
		return p, c, u, nil
	}
	if u, err = pick("user", k.Users, p.User, func(n named[user]) user { return n.User }); err != nil {
		return p, c, u, fmt.Errorf("context %q of the kubeconfig: %w", context, err)
	}
	return p, c, u, nil
}

func pick[T any](kind string, all []named[T], name string, of func(named[T]) T) (found T, err error) {
	var names []string
	for _, one := range all {
		if one.Name == name {
			return of(one), nil
		}
		names = append(names, one.Name)
	}
	return found, fmt.Errorf("there is no %s %q in the kubeconfig, but %s", kind, name, orNone(names))
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none at all"
	}
	return strings.Join(names, ", ")
}
