package post

import (
	"crypto/tls"
	"fmt"
)

// Certificate is what a server shows who it is. It is read again when its files change.
type Certificate struct{ of *reloading[*tls.Certificate] }

// LoadCertificate reads a certificate, with those that lead to its root, and its
// private key, both as PEM. Trouble is told when they change to what can't be used; the
// certificate of before is shown on.
func LoadCertificate(certFile, keyFile string, trouble func(error)) (*Certificate, error) {
	of, err := reload(func(before *tls.Certificate) (*tls.Certificate, error) {
		cert, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return before, fmt.Errorf("read the certificate %s with the key %s: %w", certFile, keyFile, err)
		}
		return &cert, nil
	}, trouble, certFile, keyFile)
	if err != nil {
		return nil, err
	}
	return &Certificate{of}, nil
}

func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.of.get(), nil },
	}
}
