package lookup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strandline/ingest"
	"strandline/internal/datafile"
	"strandline/internal/duck"
	"strandline/internal/lookup"
	"strandline/internal/objstore"
)

const airports = "iata,name,fee\nZRH,Zürich,12.50\nLHR,\"Heathrow, London\",7.125\n"

func airportSpec(t *testing.T, text string) lookup.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "airports.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var columns []datafile.Column
	for _, c := range [][2]string{{"iata", "VARCHAR"}, {"fee", "DECIMAL(9,3)"}, {"name", "VARCHAR"}} {
		typ, err := datafile.ParseType(c[1])
		if err != nil {
			t.Fatal(err)
		}
		columns = append(columns, datafile.Column{Name: c[0], Type: typ})
	}
	return lookup.Spec{Name: "airports", File: path, Options: ingest.Options{Format: ingest.FormatCSV}, Columns: columns}
}

// TestAContentOutlivesItsFile holds what the lake keeps against what the file held.
func TestAContentOutlivesItsFile(t *testing.T) {
	store, spec := objstore.NewMemory(), airportSpec(t, airports)
	content, err := spec.Read()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second does nothing
		if err := content.Keep(t.Context(), store); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(spec.File); err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the file is gone, and reading it says %v", err)
	}
	kept, err := lookup.Kept(t.Context(), store, content.Digest)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "airports.parquet")
	if err := spec.Write(kept, path); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, path), "position=0, iata=ZRH, fee=12.500, name=Zürich; position=1, iata=LHR, fee=7.125, name=Heathrow, London"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestOtherBytesUnderAContentsNameAreReplaced(t *testing.T) {
	store, spec := objstore.NewMemory(), airportSpec(t, airports)
	content, err := spec.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lookup.Kept(t.Context(), store, content.Digest); !errors.Is(err, objstore.ErrNotFound) {
		t.Fatalf("nothing is kept, and reading it says %v", err)
	}
	if err := store.Create(t.Context(), lookup.Key(content.Digest), []byte("iata\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := lookup.Kept(t.Context(), store, content.Digest); !errors.Is(err, lookup.ErrDamaged) {
		t.Fatalf("got %v, want ErrDamaged", err)
	}
	if err := content.Keep(t.Context(), store); err != nil {
		t.Fatal(err)
	}
	if kept, err := lookup.Kept(t.Context(), store, content.Digest); err != nil || kept.Digest != content.Digest {
		t.Fatalf("kept again, reading it says %v", err)
	}
}

func TestAFileThatIsNoTableOfTheColumnsSaysWhere(t *testing.T) {
	for text, want := range map[string]string{
		"iata,name,fee\nZRH,Zürich,12.50\nLHR,London,free\n": "line or row 3",
		"iata,name,fee\nZRH,Zürich,12.5004\n":                "line or row 2",
		"":                                                   "it is empty",
		"\n":                                                 "it is empty",
		"iata,name\nZRH,Zürich\n":                            `no column "fee"`,
		"iata,name,fee\nZRH,Zürich,12.50,and one column more\n": "line or row 2",
	} {
		spec := airportSpec(t, text)
		content, err := spec.Read()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "airports.parquet")
		if err := spec.Write(content, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want to be told of %s", text, err, want)
		}
	}
}

// rowsOf are a data file's rows as SQL reads them.
func rowsOf(t *testing.T, path string) string {
	t.Helper()
	engine, err := duck.Open(t.Context(), duck.Options{Scratch: t.TempDir(), Readable: []string{filepath.Dir(path)}})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	session, err := engine.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	rows, _, err := session.Peek(t.Context(), "SELECT position, iata, fee, name FROM "+duck.ReadParquet([]string{path})+" ORDER BY position", 10)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(rows, "; ")
}
