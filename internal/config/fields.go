package config

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fields is a map whose keys are known.
type fields struct {
	value
	of    map[string]value
	meant map[string]bool // keys that an unknown one was probably to be
}

// fields reads a map that may have only these keys.
func (v value) fields(keys ...string) fields { return v.fieldsOr("", keys...) }

// fieldsOr is fields where something shorter is taken too, which the caller has looked for.
func (v value) fieldsOr(short string, keys ...string) fields {
	f := fields{v, map[string]value{}, map[string]bool{}}
	want := "a map with the keys " + strings.Join(keys, ", ")
	if short != "" {
		want = short + ", or " + want
	}
	for _, e := range v.entries(want) {
		if slices.Contains(keys, e.name) {
			f.of[e.name] = e.value
			continue
		}
		f.meant[Nearest(e.name, keys)] = true
		v.unknown(e, keys)
	}
	return f
}

// get returns the value of a key that may be missing.
func (f fields) get(key string) (value, bool) {
	v, ok := f.of[key]
	return v, ok
}

// has tells whether a key is there.
func (f fields) has(key string) bool {
	_, ok := f.of[key]
	return ok
}

// need returns the value of a key and adds a problem where it is missing; what
// says what belongs there. A misspelled key, or a map that is none, has its
// problem already.
func (f fields) need(key, what string) (value, bool) {
	v, ok := f.of[key]
	if !ok && !f.meant[key] && f.node.Kind == yaml.MappingNode {
		f.problemAt(f.key, "%s is missing: %s", key, what)
	}
	return v, ok
}

// unknown adds the problem of a key that has no meaning.
func (v value) unknown(e entry, keys []string) {
	where := "at the top"
	if v.path != "" {
		where = "in " + v.path
	}
	if advice := credentialAdvice(e.name, keys, v.path); advice != "" {
		v.add(e.key.Line, e.key.Column, "key %q %s: credentials do not belong in this file; %s", e.name, where, advice)
		return
	}
	v.add(e.key.Line, e.key.Column, "unknown key %q %s%s", e.name, where, nearestOr("key", e.name, keys))
}

// credentialAdvice says how a credential is given that was written as a key beside these; "" where it
// is none, or another key is near.
func credentialAdvice(key string, keys []string, path string) string {
	switch {
	case !isCredential(key):
	case path == "" || slices.Contains(keys, "endpoint"):
		return "give them by the AWS environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the machine's role)"
	case Nearest(key, keys) != "":
	case slices.Contains(keys, "tokens"):
		return "tokens: {env: VARIABLE} or {file: path} says where those are with which to post"
	case slices.Contains(keys, "listen"):
		return "a stream says where those are with which to post, as http: {tokens: {env: VARIABLE}}"
	case slices.Contains(keys, "sasl"):
		return "sasl: {mechanism: …, username: …, password: ${VARIABLE}} names a variable of the environment"
	}
	return ""
}

var credentialWords = []string{"accesskey", "secret", "sessiontoken", "password", "credential", "awsprofile"}

func isCredential(key string) bool {
	bare := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(key))
	return bare == "profile" || bare == "token" ||
		slices.ContainsFunc(credentialWords, func(w string) bool { return strings.Contains(bare, w) })
}
