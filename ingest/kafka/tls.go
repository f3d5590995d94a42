package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// LoadTLS reads files in PEM: who vouches for the brokers, and what this program shows
// them. Without ca those vouch whom the system trusts; without cert and key it shows nothing.
func LoadTLS(ca, cert, key string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fmt.Errorf("read who vouches for the brokers: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read who vouches for the brokers: %s has no certificate in PEM", ca)
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("read the certificate %s and its key %s: %w", cert, key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
