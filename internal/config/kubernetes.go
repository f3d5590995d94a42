package config

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"strandline/engines/kubernetes"
)

// kubernetes reads how slices run in a cluster. What Kubernetes writes itself,
// such as resources, is taken as it is: the cluster says what is wrong with it.
func (v value) kubernetes() *kubernetes.Config {
	k := &kubernetes.Config{ConfigMap: kubernetes.DefaultConfigMap, RunAsUser: kubernetes.DefaultRunAsUser, Backoff: kubernetes.DefaultBackoff, TTL: kubernetes.DefaultTTL}
	f := v.fields("context", "namespace", "image", "image_pull_policy", "run_as_user", "command", "config_map", "service_account", "env", "secrets",
		"resources", "slices", "backoff", "ttl", "pod", "container")
	if v, ok := f.need("image", "the image with the strandline program, such as registry.example.com/strandline:1.2"); ok {
		k.Image, _ = v.text()
	}
	if v, ok := f.get("image_pull_policy"); ok {
		k.ImagePullPolicy = v.pullPolicy()
	}
	if v, ok := f.get("run_as_user"); ok {
		k.RunAsUser = int64(v.positive("a user other than root"))
	}
	if v, ok := f.get("context"); ok {
		k.Context = v.textIfAny()
	}
	if v, ok := f.get("namespace"); ok {
		k.Namespace = v.namespace()
	}
	for key, to := range map[string]*string{"config_map": &k.ConfigMap, "service_account": &k.ServiceAccount} {
		if v, ok := f.get(key); ok {
			*to = v.objectName()
		}
	}
	f.worker(k)
	f.pods(k)
	if v, ok := f.get("slices"); ok {
		k.Slices = int(v.positive("slices"))
	}
	if v, ok := f.get("backoff"); ok {
		k.Backoff = v.tries()
	}
	if v, ok := f.get("ttl"); ok {
		k.TTL = v.stay()
	}
	return k
}

// worker reads what the program is started with.
func (f fields) worker(k *kubernetes.Config) {
	if v, ok := f.get("command"); ok {
		for _, item := range v.items("a list such as [/usr/bin/strandline]", true) {
			word, _ := item.text()
			k.Command = append(k.Command, word)
		}
	}
	if v, ok := f.get("env"); ok && !v.isNothing() {
		k.Env = map[string]string{}
		for _, e := range v.entries("a map of environment variables") {
			k.Env[e.name], _ = e.anyText()
		}
	}
	if v, ok := f.get("secrets"); ok {
		for _, item := range v.items("a list of secrets of the namespace", true) {
			k.Secrets = append(k.Secrets, item.objectName())
		}
	}
}

// theOwn are fields that are not for the file to say, by where they are.
var theOwn = map[string]map[string]string{
	"pod":       {"containers": "say what their one container has under container", "restartPolicy": "the Job needs Never"},
	"container": {"name": "it is ours", "image": "say image above", "imagePullPolicy": "say image_pull_policy above", "args": "they are those of a slice", "command": "say command above", "resources": "say resources above"},
}

// mounting are the fields that this program looks for itself, by where they are: of all others the
// cluster says when they are misspelled.
var mounting = map[string]string{"pod": "volumes", "container": "volumeMounts"}

// pods reads what is said as Kubernetes writes it.
func (f fields) pods(k *kubernetes.Config) {
	for key, to := range map[string]*map[string]any{"resources": &k.Resources, "pod": &k.Pod, "container": &k.Container} {
		v, ok := f.get(key)
		if !ok || v.isNothing() {
			continue
		}
		*to = map[string]any{}
		for _, e := range v.entries("a map, as Kubernetes has it") {
			if instead, is := theOwn[key][e.name]; is {
				e.problemAt(e.key, "can't be set here: %s", instead)
			}
			if meant := mounting[key]; e.name != meant && distance(strings.ToLower(e.name), strings.ToLower(meant)) <= 2 {
				e.problemAt(e.key, "%q is no field of a %s; did you mean %q?", e.name, key, meant)
			}
			(*to)[e.name] = e.plain()
		}
	}
}

// pullPolicy returns when nodes fetch the image.
func (v value) pullPolicy() string {
	policy, ok := v.text()
	if ok && !slices.Contains(pullPolicies, policy) {
		v.problem("%q: want one of %s", policy, strings.Join(pullPolicies, ", "))
	}
	return policy
}

var pullPolicies = []string{"Always", "IfNotPresent", "Never"}

// plain returns any value as JSON has it, with the ${VAR}s of texts replaced.
func (v value) plain() any {
	switch v.node.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for _, e := range v.entries("a map") {
			out[e.name] = e.plain()
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, item := range v.items("a list", false) {
			out = append(out, item.plain())
		}
		return out
	}
	if v.isText() {
		text, _ := v.anyText()
		return text
	}
	var out any
	if err := v.node.Decode(&out); err != nil {
		v.problem("%v", err)
	}
	if _, is := out.(time.Time); is {
		return v.node.Value
	}
	return out
}

var namespacePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// namespace returns the name of a namespace, which is shorter than that of other objects and has no dots.
func (v value) namespace() string {
	name, ok := v.text()
	if ok && !namespacePattern.MatchString(name) {
		v.problem("%q: want at most 63 of a–z, 0–9 and -, with a letter or digit first and last", name)
	}
	return name
}

var objectNamePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$`)

// objectName returns the name of an object of a cluster.
func (v value) objectName() string {
	name, ok := v.text()
	if ok && !objectNamePattern.MatchString(name) {
		v.problem("%q: want a–z, 0–9, - and ., with a letter or digit first and last", name)
	}
	return name
}

// tries returns how often something is tried again, 0 for never.
func (v value) tries() int {
	text, ok := v.measure("a number of further tries")
	n, err := strconv.ParseUint(text, 10, 31)
	if ok && err != nil {
		v.problem("%q: want a whole number of further tries, 0 for none", text)
	}
	return int(n)
}

// stay returns how long a Job that has ended stays. One that is gone tells nobody why it failed.
func (v value) stay() time.Duration {
	const most = 10 * 365 * 24 * time.Hour
	d, ok := v.duration()
	switch {
	case ok && d < kubernetes.MinTTL:
		v.problem("%v is too short: why a Job failed is lost with it, so it must stay until somebody has looked; want at least %v", d, kubernetes.MinTTL)
	case ok && d > most:
		v.problem("%v is longer than 10 years", d)
	}
	return d
}
