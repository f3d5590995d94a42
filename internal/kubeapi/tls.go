package kubeapi

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// transport carries requests to the cluster, as its certificates say.
func (c cluster) transport(creds credentials) (*http.Transport, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.Insecure, ServerName: c.TLSServerName}
	authority, err := dataOrFile("certificate-authority", c.CAData, c.CAFile)
	if err != nil {
		return nil, err
	}
	if authority != nil {
		if c.Insecure {
			return nil, errors.New("insecure-skip-tls-verify goes with no certificate-authority")
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(authority) {
			return nil, errors.New("certificate-authority holds no certificate in PEM")
		}
	}
	if creds.cert != nil {
		config.GetClientCertificate = func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) { return creds.cert(asked.Context()) }
	}
	proxy := http.ProxyFromEnvironment
	if c.ProxyURL != "" {
		u, err := url.Parse(c.ProxyURL)
		if err != nil {
			return nil, fmt.Errorf("proxy-url: %w", err)
		}
		proxy = http.ProxyURL(u)
	}
	return &http.Transport{
		TLSClientConfig: config, Proxy: proxy, ForceAttemptHTTP2: true,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 30 * time.Second,
	}, nil
}

// dataOrFile returns what is written in the kubeconfig itself, else what its
// file holds, else nil.
func dataOrFile(field, data, file string) ([]byte, error) {
	if data != "" {
		decoded, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, fmt.Errorf("%s-data: %w", field, err)
		}
		return decoded, nil
	}
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return content, nil
}
