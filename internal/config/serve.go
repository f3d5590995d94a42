package config

import (
	"net"
	"net/netip"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// Serve is what "strandline run" serves over HTTP. What is zero is as ingest/post
// has it by default.
type Serve struct {
	Listen      string        // host:port; "" host: all of this machine's addresses
	TLS         *TLS          // nil: plain HTTP
	MaxBody     int64         // bytes, of one post as it is sent
	MaxPlain    int64         // bytes, of one post without its compression
	MaxLine     int64         // bytes, of one record
	Memory      int64         // bytes, of all posts that are under way
	Connections int           // at a time
	ReadTimeout time.Duration // for a whole request to come in
	Delay       time.Duration // how long a post may wait for others
}

// TLS is the files of a certificate.
type TLS struct{ Cert, Key string } // absolute

// HTTP says how a stream takes posts.
type HTTP struct {
	Tokens   []Tokens      // who may post; none: anybody who can connect
	Rate     int           // posts a second for each token; 0: any number
	KeepKeys time.Duration // how long idempotency keys are kept; 0: as landing does
}

// Tokens is where bearer tokens are: in an environment variable, or in a file.
type Tokens struct {
	Env  string
	File string // absolute
}

// Loopback tells whether only this machine can connect.
func (s Serve) Loopback() bool {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// serve reads where and how much is served; a text alone is where.
func (v value) serve() *Serve {
	s := &Serve{}
	if v.isText() {
		s.Listen = v.listen()
		return s
	}
	f := v.fieldsOr("host:port such as 127.0.0.1:8080", "listen", "tls", "max_body", "max_decompressed", "max_line", "memory", "connections", "read_timeout", "delay")
	if v, ok := f.need("listen", "the address to listen at, such as 127.0.0.1:8080"); ok {
		s.Listen = v.listen()
	}
	if v, ok := f.get("tls"); ok && !v.isNothing() {
		s.TLS = v.tls()
	}
	for key, to := range map[string]*int64{"max_body": &s.MaxBody, "max_decompressed": &s.MaxPlain, "max_line": &s.MaxLine, "memory": &s.Memory} {
		if v, ok := f.get(key); ok {
			*to, _ = v.bytes("a size such as 16MiB")
		}
	}
	if v, ok := f.get("connections"); ok {
		s.Connections = int(v.positive("connections"))
	}
	for key, to := range map[string]*time.Duration{"read_timeout": &s.ReadTimeout, "delay": &s.Delay} {
		if v, ok := f.get(key); ok {
			*to = v.moment()
		}
	}
	return s
}

// moment returns a duration of more than 0, and of a minute at most.
func (v value) moment() time.Duration {
	d, ok := v.duration()
	if ok && (d <= 0 || d > time.Minute) {
		v.problem("%v: want more than 0s, and 1m at most", d)
	}
	return d
}

func (v value) listen() string {
	text, ok := v.text()
	if !ok {
		return ""
	}
	_, port, err := net.SplitHostPort(text)
	if n, atoi := strconv.ParseUint(port, 10, 16); err != nil || atoi != nil || n == 0 && port != "0" {
		v.problem("%q: want host:port, such as 127.0.0.1:8080, or :8080 for all addresses of this machine", text)
	}
	return text
}

func (v value) tls() *TLS {
	t := &TLS{}
	f := v.fields("cert", "key")
	if v, ok := f.need("cert", "the file of the certificate, with those that lead to its root (PEM)"); ok {
		t.Cert, _ = v.folder()
	}
	if v, ok := f.need("key", "the file of the certificate's private key (PEM)"); ok {
		t.Key, _ = v.folder()
	}
	return t
}

// http reads how a stream takes posts. It must say who may, unless only this machine can.
func (v value) http(serve *Serve) *HTTP {
	h := &HTTP{}
	f := v.fields("tokens", "open", "rate", "keep_keys")
	tokens, closed := f.get("tokens")
	if closed {
		h.Tokens = tokens.tokensOf()
	}
	open := false
	if v, ok := f.get("open"); ok {
		if open, _ = v.boolean(); open && closed {
			v.problem("with tokens the stream is not open: leave out one of the two")
		}
	}
	if v, ok := f.get("rate"); ok {
		h.Rate = int(v.positive("posts a second"))
	}
	if v, ok := f.get("keep_keys"); ok {
		if h.KeepKeys, ok = v.duration(); ok && h.KeepKeys < time.Minute {
			v.problem("%v is too short for a client that posts again; want 1m or more", h.KeepKeys)
		}
	}
	switch {
	case serve == nil:
		v.problemAt(v.key, "nothing is served: add serve: 127.0.0.1:8080 at the top")
	case !closed && !open && serve.Listen != "" && !serve.Loopback():
		v.problemAt(v.key, "anybody who reaches %s could post: add tokens: {env: VARIABLE}, or open: true if that is meant", serve.Listen)
	}
	return h
}

func (v value) tokensOf() (all []Tokens) {
	if v.isEmpty(yaml.SequenceNode) {
		v.problem("names no tokens")
	}
	for _, item := range v.mapOrList("{env: VARIABLE} or {file: path}, or a list of such") {
		all = append(all, item.tokens())
	}
	return all
}

func (v value) tokens() Tokens {
	var t Tokens
	f := v.fields("env", "file")
	env, hasEnv := f.get("env")
	file, hasFile := f.get("file")
	if hasEnv == hasFile {
		v.problem("want one of env and file")
	}
	if hasEnv {
		t.Env, _ = env.text()
	}
	if hasFile {
		t.File, _ = file.folder()
	}
	return t
}
