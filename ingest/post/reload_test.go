package post

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"strandline/internal/digest"
	"strandline/internal/objstore"
)

// put writes a file whose time is unlike that of any before.
func put(t *testing.T, path, text string, minute int) {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestTokensAreReadAgainWhenTheirFileChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	told := 0
	has := func(all *Tokens, token string) bool { return all.has(digest.OfBytes([]byte(token))) }
	put(t, path, "# of the shop\ntoken-of-the-shop\n\n  token-of-the-yard  \n", 0)
	var all Tokens
	if err := all.AddFile(path, func(error) { told++ }); err != nil {
		t.Fatal(err)
	}
	if !has(&all, "token-of-the-shop") || !has(&all, "token-of-the-yard") || has(&all, "# of the shop") || has(&all, "") {
		t.Error("the tokens of the file are not those that are let in")
	}
	put(t, path, "token-of-the-port\n", 1)
	if has(&all, "token-of-the-shop") || !has(&all, "token-of-the-port") {
		t.Error("the file changed, and its tokens did not")
	}
	for minute, bad := range []string{"short\n", "", "token with spaces in it\n", "gone"} {
		put(t, path, "token-of-the-port\n", 10+minute)
		before := has(&all, "token-of-the-port")
		told = 0
		put(t, path, bad, 20+minute)
		if bad == "gone" {
			_ = os.Remove(path)
		}
		if first, again := has(&all, "token-of-the-port"), has(&all, "token-of-the-port"); !before || first || again || told != 1 {
			t.Errorf("%q: it was told %d times; the token of before was let in: %v, and then %v, %v", bad, told, before, first, again)
		}
	}
	put(t, path, "token-of-the-shop\n", 30)
	put(t, path+".new", "token-of-the-port\n", 30) // of the same size and time
	has(&all, "token-of-the-shop")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if has(&all, "token-of-the-shop") || !has(&all, "token-of-the-port") {
		t.Error("a token that was taken back by a file of the same size and time is let in")
	}
	if err := all.AddFile(path+".missing", nil); err == nil {
		t.Error("a file that is missing at the start is no error")
	}
}

// A server shows its newest certificate, also one that came while it ran.
func TestACertificateIsReadAgainWhenItsFilesChange(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	write := func(minute int) *x509.Certificate {
		made, certPEM, keyPEM := newCertificate(t, int64(minute))
		put(t, cert, certPEM, minute)
		put(t, key, keyPEM, minute)
		return made
	}
	first := write(1)
	certificate, err := LoadCertificate(cert, key, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, objstore.NewMemory(), func(o *Options) { o.TLS = certificate })
	shows := func(want *x509.Certificate) {
		t.Helper()
		roots := x509.NewCertPool()
		roots.AddCert(want)
		conn, err := tls.Dial("tcp", s.address, &tls.Config{RootCAs: roots, ServerName: "localhost"})
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}
	shows(first)
	shows(write(2))
	if status := s.raw("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); status != 400 {
		t.Errorf("without TLS it answered %d", status)
	}
}

func newCertificate(t *testing.T, serial int64) (made *x509.Certificate, certPEM, keyPEM string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if made, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return made, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}
