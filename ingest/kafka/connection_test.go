package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"strandline/ingest/kafka"
	"strandline/internal/objstore"
)

// certified returns what a server at 127.0.0.1 shows, and what trusts it.
func certified(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, &tls.Config{RootCAs: pool}
}

func TestBrokersAreReachedByTLSAndEachMechanism(t *testing.T) {
	server, client := certified(t)
	w := &world{t: t, store: objstore.NewMemory()}
	var err error
	w.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.TLS(server), kfake.EnableSASL(),
		kfake.Superuser("PLAIN", "u", "p"), kfake.Superuser("SCRAM-SHA-256", "u", "p"), kfake.Superuser("SCRAM-SHA-512", "u", "p"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cluster.Close)
	w.client = w.dial(kgo.DialTLSConfig(client), kgo.SASL(plain.Auth{User: "u", Pass: "p"}.AsMechanism()))
	for i, mechanism := range kafka.Mechanisms() {
		w.send(numbered(0, i, i+1)...)
		err := w.source(w.store, func(o *kafka.Options) {
			o.TLS, o.SASL = client, kafka.SASL{Mechanism: mechanism, Username: "u", Password: "p"}
		}).Once(w.context())
		if err != nil {
			t.Errorf("%s: %v", mechanism, err)
		}
	}
	w.check()
	err = w.source(w.store, func(o *kafka.Options) {
		o.TLS, o.SASL = client, kafka.SASL{Mechanism: "PLAIN", Username: "u", Password: "other"}
	}).Once(w.context())
	if err == nil {
		t.Error("another password is as good")
	}
}
