package kubeapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file of a fresh folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func vars(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

const two = `
apiVersion: v1
kind: Config
current-context: near
clusters:
- {name: near, cluster: {server: "https://near:6443"}}
- {name: far, cluster: {server: "https://far"}}
contexts:
- {name: near, context: {cluster: near, user: me, namespace: mine}}
- {name: far, context: {cluster: far, user: me}}
- {name: lost, context: {cluster: nowhere, user: me}}
- {name: nobody, context: {cluster: near, user: stranger}}
users:
- {name: me, user: {token: secret}}
`

func TestContextsOfAKubeconfig(t *testing.T) {
	file := write(t, "config", two)
	for _, c := range []struct{ context, server, namespace string }{
		{"", "https://near:6443", "mine"}, {"far", "https://far", "default"},
	} {
		client, err := Find(Where{Context: c.context}, vars("KUBECONFIG", file))
		if err != nil {
			t.Fatal(err)
		}
		if client.Server() != c.server || client.Namespace != c.namespace {
			t.Errorf("context %q: got %s and %s", c.context, client.Server(), client.Namespace)
		}
	}
}

func TestTheFirstFileOfAListCounts(t *testing.T) {
	other := strings.NewReplacer("near:6443", "other", "current-context: near", "current-context: far").Replace(two)
	list := write(t, "one", two) + string(filepath.ListSeparator) + "/no/such/file" + string(filepath.ListSeparator) + write(t, "two", other)
	client, err := Find(Where{}, vars("KUBECONFIG", list))
	if err != nil {
		t.Fatal(err)
	}
	if client.Server() != "https://near:6443" {
		t.Errorf("got %s", client.Server())
	}
}

// Whatever is wrong with where the cluster is, the error says what.
func TestNoCluster(t *testing.T) {
	user := func(text string) string { return strings.Replace(two, "token: secret", text, 1) }
	for name, c := range map[string]struct {
		text, context, want string
	}{
		"unknown context":   {two, "moon", `there is no context "moon" in the kubeconfig, but near, far, lost, nobody`},
		"unknown cluster":   {two, "lost", `context "lost" of the kubeconfig: there is no cluster "nowhere"`},
		"unknown user":      {two, "nobody", `there is no user "stranger" in the kubeconfig, but me`},
		"no context":        {strings.Replace(two, "current-context: near", "", 1), "", "no current-context: name one"},
		"no YAML":           {"{", "", "read the kubeconfig"},
		"server":            {strings.Replace(two, "https://near:6443", "near", 1), "", `server "near" of the kubeconfig: want https://host:port`},
		"as another":        {user("token: x, as: root"), "", `user "me" of the kubeconfig: it acts as another`},
		"old provider":      {user("auth-provider: {name: gcp}"), "", "use an exec plugin"},
		"no such cert":      {user("client-certificate: no.crt, client-key: no.key"), "", "client-certificate: open"},
		"cert is no base64": {user(`client-certificate-data: "%%"`), "", "client-certificate-data: illegal base64"},
		"plugin's version":  {user("exec: {apiVersion: v0, command: x}"), "", "want client.authentication.k8s.io/v1"},
		"plugin's command":  {user("exec: {apiVersion: client.authentication.k8s.io/v1}"), "", "names no command"},
		"no CA in PEM": {strings.Replace(two, `server: "https://near:6443"`, `server: "https://near:6443", certificate-authority-data: "eA=="`, 1), "",
			"certificate-authority holds no certificate in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Find(Where{Kubeconfig: write(t, "config", c.text), Context: c.context}, vars())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestNoKubeconfigAtAll(t *testing.T) {
	home := t.TempDir()
	_, err := Find(Where{}, vars("HOME", home))
	if err == nil || !strings.Contains(err.Error(), "no cluster is known") || !strings.Contains(err.Error(), home) {
		t.Errorf("got %v", err)
	}
	if _, err := Find(Where{}, vars("KUBECONFIG", "/no/such:/file")); err == nil || !strings.Contains(err.Error(), "none of /no/such, /file is there") {
		t.Errorf("got %v", err)
	}
}

func TestAPodWithoutATokenSaysSo(t *testing.T) {
	_, err := find(Where{}, vars("KUBERNETES_SERVICE_HOST", "10.0.0.1"), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "a pod without a token") {
		t.Errorf("got %v", err)
	}
}
