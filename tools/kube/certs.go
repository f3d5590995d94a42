package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"time"
)

// makeCerts writes a new authority, and what it signs for the server and the
// admin, unless an earlier start did.
func makeCerts(f files) error {
	if _, err := os.Stat(f.adminKey()); err == nil {
		return nil
	}
	authority := &x509.Certificate{
		Subject: pkix.Name{CommonName: "kube"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := sign(authority, &caKey.PublicKey, authority, caKey, f.ca()); err != nil {
		return err
	}
	server := &x509.Certificate{
		Subject: pkix.Name{CommonName: "kube-apiserver"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames: []string{"localhost", "kubernetes.default.svc"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	admin := &x509.Certificate{
		Subject: pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	return errors.Join(
		issue(server, authority, caKey, f.serverCert(), f.serverKey()),
		issue(admin, authority, caKey, f.adminCert(), f.adminKey()))
}

func issue(cert, authority *x509.Certificate, caKey *ecdsa.PrivateKey, certFile, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	if err := sign(cert, &key.PublicKey, authority, caKey, certFile); err != nil {
		return err
	}
	return writePEM(keyFile, "EC PRIVATE KEY", der)
}

func sign(cert *x509.Certificate, key *ecdsa.PublicKey, authority *x509.Certificate, caKey *ecdsa.PrivateKey, file string) error {
	cert.SerialNumber = big.NewInt(time.Now().UnixNano())
	cert.NotBefore, cert.NotAfter = time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0)
	der, err := x509.CreateCertificate(rand.Reader, cert, authority, key, caKey)
	if err != nil {
		return err
	}
	return writePEM(file, "CERTIFICATE", der)
}

func writePEM(file, kind string, der []byte) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
