package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The user that the broker knows.
const user, password = "tide", "sesame"

// broker is a Kafka of one node.
type broker struct {
	dir, libs    string
	plain, authd string // host:port without, and with TLS and SASL
	process      *exec.Cmd
	ended        chan struct{} // closed when the process has ended
}

func newBroker(dir, libs string) (*broker, error) {
	b := &broker{dir: dir, libs: libs}
	var ports [3]string
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports[i] = l.Addr().String()
	}
	b.plain, b.authd = ports[0], ports[1]
	if err := b.certify(); err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[3]s
listeners=PLAINTEXT://%[1]s,AUTHD://%[2]s,CONTROLLER://%[3]s
advertised.listeners=PLAINTEXT://%[1]s,AUTHD://%[2]s
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,AUTHD:SASL_SSL,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=%[4]s/log
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
listener.name.authd.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
listener.name.authd.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_%[5]s="%[6]s";
listener.name.authd.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.authd.ssl.keystore.type=PEM
listener.name.authd.ssl.keystore.location=%[4]s/broker.pem
`, ports[0], ports[1], ports[2], dir, user, password)
	if err := os.WriteFile(filepath.Join(dir, "server.properties"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	return b, b.java("kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", filepath.Join(dir, "server.properties"),
		"--add-scram", fmt.Sprintf("SCRAM-SHA-512=[name=%s,password=%s]", user, password)).Run()
}

func (b *broker) java(args ...string) *exec.Cmd {
	cmd := exec.Command("java", append([]string{"-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", b.libs + "/*"}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// start runs the broker, and returns once it answers.
func (b *broker) start(ctx context.Context) error {
	b.process = b.java("kafka.Kafka", filepath.Join(b.dir, "server.properties"))
	if err := b.process.Start(); err != nil {
		return err
	}
	b.ended = make(chan struct{})
	go func(process *exec.Cmd, ended chan struct{}) {
		_ = process.Wait() // how it ended makes no difference
		close(ended)
	}(b.process, b.ended)
	client, err := kgo.NewClient(kgo.SeedBrokers(b.plain))
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		if _, err := kadm.NewClient(client).BrokerMetadata(ctx); err == nil {
			return nil
		}
		select {
		case <-b.ended:
			return errors.New("the broker ended when it was started; what it says of that is above")
		case <-ctx.Done():
			return fmt.Errorf("wait for the broker: %w", ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// kill ends the broker as a power cut does.
func (b *broker) kill() {
	_ = b.process.Process.Kill() // it may have ended by itself
	<-b.ended
}

// certify makes the certificate that the broker shows, and that vouches for itself.
func (b *broker) certify() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	if err := os.WriteFile(b.ca(), public, 0o600); err != nil {
		return err
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), public...)
	return os.WriteFile(filepath.Join(b.dir, "broker.pem"), both, 0o600)
}

func (b *broker) ca() string { return filepath.Join(b.dir, "ca.pem") }
