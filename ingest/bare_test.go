package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// Whoever has opened a file and not written it yet has its file left where it is, and all
// that comes later lands.
func TestAFileWithoutRecordsIsLeftToItsWriter(t *testing.T) {
	var container bytes.Buffer
	w, err := ocf.NewWriter(&container, avro.MustParse(`{"type": "record", "name": "r", "fields": [{"name": "time", "type": "long"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // a bytes.Buffer takes everything
	for name, c := range map[string]struct {
		format  Format
		content string
		stays   bool
	}{
		"empty": {FormatNDJSON, "", true}, "blank": {FormatNDJSON, "\n \n", true}, "a mark": {FormatNDJSON, bom, true}, "snappy of nothing": {FormatNDJSON, snappyMagic, true},
		"header": {FormatCSV, "time\n", true}, "JSON of nothing": {FormatJSON, "", true}, "blank JSON": {FormatJSON, bom + " \n", true}, "Avro of nothing": {FormatAvro, container.String(), true},
		"gzip of nothing": {FormatNDJSON, string(gzipped(nil)), false}, "zstd of nothing": {FormatNDJSON, string(zstded([]byte("\n"))), false}, "an array of nothing": {FormatJSON, "[]", false},
		"a record": {FormatNDJSON, "{\"time\":1517365101235}\n", false}, "a reject": {FormatNDJSON, "x\n", false}, "a reject of CSV": {FormatCSV, "time\nx\n", false},
	} {
		dir, stream := t.TempDir(), openStream(t, quakeSpec())
		lander := StreamLander{Stream: stream, Options: Options{Format: c.format, Optional: []string{"id", "mag", "net", "place"}}, Landed: func(Outcome) error { return nil }}
		path := writeFile(t, dir, "a", []byte(c.content))
		once := func() {
			w, err := NewWatcher(Folder{Dir: dir, AfterLanding: ActionDelete, Settle: time.Millisecond}, func(_ string, err error) { t.Error(name, err) })
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Once(t.Context(), lander); err != nil {
				t.Fatal(err)
			}
		}
		why, err := lander.Stays(t.Context(), File{Path: path, Name: "a"})
		if err != nil || (why != nil) != c.stays {
			t.Errorf("%s: stays for %v, %v", name, why, err)
		}
		for process := range 2 { // the second one knows it by its version
			once()
			if _, err := os.Stat(path); c.stays != (err == nil) {
				t.Errorf("%s, process %d: is there: %v", name, process, err)
			}
		}
		if !c.stays || c.format != FormatNDJSON || strings.HasPrefix(c.content, snappyMagic) {
			continue
		}
		if err := os.WriteFile(path, []byte(c.content+"{\"time\":1517365101235}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		once()
		if found, _ := filepath.Glob(filepath.Join(dir, "*")); len(found) > 0 || stream.Next() != 1 {
			t.Errorf("%s: once it has a record: %q is there, %d rows landed", name, found, stream.Next())
		}
	}
}

// The bytes that tell a form may come one by one, too.
func TestWhatIsLessThanTheBeginningOfAFormIsCut(t *testing.T) {
	for _, format := range Formats {
		magics := compressedMagics
		if _, typed := typedFormats[format]; !typed {
			magics = slices.Concat(compressedMagics, textMagics)
		}
		for _, magic := range magics {
			for n := 1; n < len(magic); n++ {
				d, err := NewDecoder(nastySpec(), Options{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				sink := &collect{}
				_, _, err = d.drain(strings.NewReader(magic[:n]), sink)
				if !errors.Is(err, ErrTruncated) || len(sink.rejects) > 0 {
					t.Errorf("%s, %q: got %v, %s", format, magic[:n], err, fmt.Sprint(sink.rejects))
				}
			}
		}
	}
}
