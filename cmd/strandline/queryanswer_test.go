package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"strandline/internal/duck"
	"strandline/internal/localfile"
	"strandline/internal/objstore"
	"strandline/internal/objstore/storetest"
	"strandline/manifests"
)

// answerWhile asks for the rows of sales_hourly while something happens to the lake right after the
// n-th of its files was found.
func (p proof) answerWhile(at versions, n int, happens func(key string)) (string, error) {
	p.t.Helper()
	l, err := (&app{configPath: p.path("strandline.yaml"), env: os.LookupEnv}).readLake(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	defer l.Close()
	engine, err := l.sql(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	l.files = localfile.New(storetest.Finding{Folder: l.store.(*objstore.Folder), After: func(key string) {
		if n--; n == 0 {
			happens(key)
		}
	}}, p.t.TempDir(), localfile.DefaultMaxBytes)
	var out strings.Builder
	err = l.answer(p.t.Context(), engine, asked{
		sql: "SELECT * FROM sales_hourly ORDER BY ALL", tables: []string{"sales_hourly"}, at: at, format: duck.FormatTable,
	}, &out)
	return out.String(), err
}

// replaced publishes the first partition anew and removes its file of the version before.
func (p proof) replaced(string) {
	p.t.Helper()
	p.write("strandline.yaml", "retention: {versions: 1}\n"+proveYAML)
	p.write("c.ndjson", `{"at":"2026-03-01T10:00:00Z","shop":"z","cents":5}
`)
	p.good("land", "sales", p.path("c.ndjson"))
	p.good("run", "--once")
	p.good("sweep", "--grace", "0s")
}

func TestAQueryWhoseVersionIsSweptIsAskedOfTheNextOne(t *testing.T) {
	for n := range 2 { // the second time when the first path is handed out already
		p := newProof(t)
		got, err := p.answerWhile(versions{}, n+1, p.replaced)
		if err != nil {
			t.Fatal(err)
		}
		if want := p.good("query", "SELECT * FROM sales_hourly ORDER BY ALL"); got != want || !strings.Contains(got, "z") {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAQueryOfAVersionThatIsSweptSaysThatItExpired(t *testing.T) {
	p := newProof(t)
	version := manifests.Version(2) // the first edit registers the table
	if got, err := p.answerWhile(versions{all: &version}, 1, p.replaced); !errors.Is(err, manifests.ErrExpired) || got != "" {
		t.Errorf("got %q, %v; want ErrExpired", got, err)
	}
}

func TestAQueryOfALostFileNamesIt(t *testing.T) {
	p := newProof(t)
	var lost string
	got, err := p.answerWhile(versions{}, 1, func(key string) {
		lost = key
		if err := os.Remove(p.path("lake/" + key)); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, objstore.ErrNotFound) || !strings.Contains(err.Error(), lost) || got != "" {
		t.Errorf("got %q, %v; want that %s is not there", got, err, lost)
	}
}
