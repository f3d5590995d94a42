package main

import (
	"strings"
	"testing"
)

// What only shows when the program starts to serve is told as a mistake of the
// configuration, and nothing is served.
func TestWhatCanNotBeServedIsTold(t *testing.T) {
	p := newProof(t)
	p.write("short.txt", "secret\n")
	p.write("example.txt", "# of the manifests\nchange-me-16-or-more-characters\n")
	posted := func(serve, http string) string {
		return "serve: " + serve + "\n" + strings.Replace(proveYAML, "    columns:", "    http: "+http+"\n    columns:", 1)
	}
	for want, yaml := range map[string]string{
		"streams.sales.http.tokens: read the tokens in the environment variable SALES_NO_TOKEN: there is no token": posted("127.0.0.1:0", "{tokens: {env: SALES_NO_TOKEN}}"),
		"example.txt: line 2: a token that begins with change-me is that of an example":                            posted("127.0.0.1:0", "{tokens: {file: example.txt}}"),
		"short.txt: line 1: want a token of 16 characters or more":                                                 posted("127.0.0.1:0", "{tokens: {file: short.txt}}"),
		"missing.txt: no such file or directory":                                                                   posted("127.0.0.1:0", "{tokens: {file: missing.txt}}"),
		"serve.tls: read the certificate":                                                                          posted("{listen: 127.0.0.1:0, tls: {cert: no.pem, key: no.pem}}", "{}"),
		"serve: memory for posts is 1048576 bytes":                                                                 posted("{listen: 127.0.0.1:0, memory: 1MiB}", "{}"),
		"anybody who reaches 0.0.0.0:0 could post":                                                                 posted("0.0.0.0:0", "{}"),
	} {
		p.write("strandline.yaml", yaml)
		p.bad(exitUsage, want, "run")
	}
}
