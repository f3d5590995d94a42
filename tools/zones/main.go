// Zones renews the copy of the IANA time zone database that internal/zone embeds.
//
//	go run ./tools/zones WHEEL OUT
//
// WHEEL is a wheel of the Python package tzdata, which holds the compiled zones of
// a release. OUT gets them in order of name, and the release's version first.
package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

const (
	folder  = "tzdata/zoneinfo/"
	list    = "tzdata/zones" // the names of all zones, one a line, in order
	about   = "tzdata/__init__.py"
	version = "version" // the entry of OUT; no zone is called so
)

var release = regexp.MustCompile(`IANA_VERSION = "(\d{4}[a-z]+)"`)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/zones WHEEL OUT")
		os.Exit(2)
	}
	if err := renew(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "zones:", err)
		os.Exit(1)
	}
}

func renew(wheel, out string) error {
	from, err := zip.OpenReader(wheel)
	if err != nil {
		return fmt.Errorf("open %s: %w", wheel, err)
	}
	defer from.Close()
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	return errors.Join(copyZones(zip.NewWriter(file), from), file.Close())
}

func copyZones(to *zip.Writer, from *zip.ReadCloser) error {
	code, err := read(from, about)
	if err != nil {
		return err
	}
	found := release.FindSubmatch(code)
	if found == nil {
		return fmt.Errorf("%s names no version of the database", about)
	}
	names, err := read(from, list)
	if err != nil {
		return err
	}
	if err := add(to, version, found[1]); err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(names)) {
		rules, err := read(from, folder+name)
		if err != nil {
			return err
		}
		if err := add(to, name, rules); err != nil {
			return err
		}
	}
	return to.Close()
}

func read(from *zip.ReadCloser, name string) ([]byte, error) {
	file, err := from.Open(name)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	return content, errors.Join(err, file.Close())
}

func add(to *zip.Writer, name string, content []byte) error {
	w, err := to.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}
