package kafka

import (
	"crypto/tls"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Connection says how to reach a cluster.
type Connection struct {
	Brokers []string // host:port of one or more, which know the others
	TLS     *tls.Config
	SASL    SASL
}

// SASL is who this program is to the brokers. The zero value is nobody.
type SASL struct {
	Mechanism          string // PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	Username, Password string
}

// Mechanisms are those that SASL knows.
func Mechanisms() []string { return []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} }

// clientID is what brokers show in their logs and quotas.
const clientID = "strandline"

func (c Connection) options() ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.SeedBrokers(c.Brokers...), kgo.ClientID(clientID)}
	if c.TLS != nil {
		opts = append(opts, kgo.DialTLSConfig(c.TLS))
	}
	if c.SASL == (SASL{}) {
		return opts, nil
	}
	mechanism, err := c.SASL.mechanism()
	return append(opts, kgo.SASL(mechanism)), err
}

func (s SASL) mechanism() (sasl.Mechanism, error) {
	switch s.Mechanism {
	case "PLAIN":
		return plain.Auth{User: s.Username, Pass: s.Password}.AsMechanism(), nil
	case "SCRAM-SHA-256":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha256Mechanism(), nil
	case "SCRAM-SHA-512":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha512Mechanism(), nil
	}
	return nil, fmt.Errorf("SASL mechanism %q: use one of %v", s.Mechanism, Mechanisms())
}
