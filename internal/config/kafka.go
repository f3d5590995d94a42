package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Kafka are topics whose records are landed as they come.
type Kafka struct {
	Brokers []string // host:port
	Topics  []string
	Group   string // empty: one that no other lake has
	// Start is where to begin with topics that nothing has landed of: "earliest",
	// "latest", or an instant as RFC 3339 writes it.
	Start       string
	Uncommitted bool   // records of open and aborted transactions are read too
	Tombstones  string // "row", "reject" or "skip"
	TLS         *KafkaTLS
	SASL        *KafkaSASL
}

// KafkaTLS is how brokers show who they are, and this program to them. Its files are
// absolute; empty ones are left to the system, or not shown.
type KafkaTLS struct{ CA, Cert, Key string }

// KafkaSASL is who this program is to the brokers.
type KafkaSASL struct {
	Mechanism string // "PLAIN", "SCRAM-SHA-256" or "SCRAM-SHA-512"
	Username  string
	Password  string `json:"-"`
}

func (v value) kafka(format Format) *Kafka {
	k := &Kafka{Start: "earliest", Tombstones: "row"}
	f := v.fields("brokers", "topics", "group", "start", "isolation", "tombstones", "tls", "sasl")
	if format != "" && format.headed() {
		v.problemAt(v.key, "a Kafka record is one JSON object: want format: ndjson or json")
	}
	if v, ok := f.need("brokers", "one or more of the cluster's, such as kafka-1:9092"); ok {
		k.Brokers = v.texts(brokerPattern, "host:port, such as kafka-1:9092")
	}
	if v, ok := f.need("topics", "one or more names"); ok {
		k.Topics = v.texts(topicPattern, "the name of a topic: letters, digits, . _ and -")
	}
	if v, ok := f.get("group"); ok {
		k.Group = v.textIfAny()
	}
	if v, ok := f.get("start"); ok {
		k.Start = v.start(k.Start)
	}
	if v, ok := f.get("isolation"); ok {
		level, _ := v.oneOf("read_committed", "read_uncommitted")
		k.Uncommitted = level == "read_uncommitted"
	}
	if v, ok := f.get("tombstones"); ok {
		k.Tombstones, _ = v.oneOf("row", "reject", "skip")
	}
	if v, ok := f.get("tls"); ok {
		k.TLS = v.kafkaTLS()
	}
	if v, ok := f.get("sasl"); ok {
		k.SASL = v.kafkaSASL()
	}
	return k
}

// groupOfItsOwn has no two streams share a consumer group, which would give each of them
// a part of the records only.
func (e entry) groupOfItsOwn(s Stream, before []Stream) {
	for _, other := range before {
		if s.Kafka != nil && other.Kafka != nil && s.Kafka.Group != "" && s.Kafka.Group == other.Kafka.Group {
			e.problemAt(e.key, "reads Kafka in the group %q, as stream %s does: each would get a part of the records only. Give each its own, or name none", s.Kafka.Group, other.Name)
			return
		}
	}
}

var (
	brokerPattern = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[^\s:/,]+):[0-9]{1,5}$`)
	topicPattern  = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)
)

// texts reads one or more different texts that match a pattern.
func (v value) texts(pattern *regexp.Regexp, want string) []string {
	var out []string
	items := v.items("a list of texts", true)
	for _, item := range items {
		text, ok := item.text()
		switch {
		case !ok:
		case !pattern.MatchString(text):
			item.problem("%q: want %s", text, want)
		case slices.Contains(out, text):
			item.problem("%q is here twice", text)
		default:
			out = append(out, text)
		}
	}
	if v.isEmpty(yaml.SequenceNode) {
		v.problem("names none: want %s", want)
	}
	return out
}

func (v value) start(otherwise string) string {
	text, ok := v.node.Value, v.isScalar("!!timestamp") // as YAML takes an instant without quotes
	if !ok {
		text, ok = v.text()
	}
	if !ok {
		return otherwise
	}
	if text == "earliest" || text == "latest" {
		return text
	}
	if _, err := time.Parse(time.RFC3339Nano, text); err != nil {
		v.problem("%q: want earliest, latest, or an instant such as 2026-11-01T00:00:00Z", text)
	}
	return text
}

// kafkaTLS reads true, which trusts whom the system trusts, or files in PEM.
func (v value) kafkaTLS() *KafkaTLS {
	if v.isScalar("!!bool") || v.isText() {
		if on, ok := v.boolean(); !ok || !on {
			return nil
		}
		return &KafkaTLS{}
	}
	t := &KafkaTLS{}
	f := v.fieldsOr("true", "ca", "cert", "key")
	for key, into := range map[string]*string{"ca": &t.CA, "cert": &t.Cert, "key": &t.Key} {
		if v, ok := f.get(key); ok {
			*into, _ = v.folder()
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		v.problemAt(v.key, "cert and key belong together: give both, or neither")
	}
	return t
}

var fromEnvironment = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// kafkaSASL reads who to be. The password is never in the file.
func (v value) kafkaSASL() *KafkaSASL {
	s := &KafkaSASL{}
	f := v.fields("mechanism", "username", "password")
	if v, ok := f.need("mechanism", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"); ok {
		s.Mechanism, _ = v.oneOf("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
	}
	if v, ok := f.need("username", "who to be to the brokers"); ok {
		s.Username, _ = v.text()
	}
	if v, ok := f.need("password", "a variable of the environment, such as ${KAFKA_PASSWORD}"); ok {
		if raw, ok := v.rawText(); ok && !fromEnvironment.MatchString(strings.TrimSpace(raw)) {
			v.problem("a password does not belong in this file: name a variable of the environment, such as ${KAFKA_PASSWORD}")
			return s
		}
		s.Password, _ = v.text()
	}
	return s
}
