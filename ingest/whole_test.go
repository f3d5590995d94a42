package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// A record that is too long lives on in its file alone, whoever finds that it has landed.
func TestAFileOfWhichTheLakeHasNotAllIsNotPutAway(t *testing.T) {
	whole := []byte(`{"time":1517365101235}` + "\n")
	cut := append(bytes.Clone(whole), `{"time":"`+strings.Repeat("x", 200_000)+`"}`+"\n"...)
	limit := Options{MaxRecord: 100_000}
	for name, c := range map[string]struct {
		content []byte
		want    []string
		told    int
	}{
		"whole": {whole, nil, 0}, "cut": {cut, []string{"a"}, 1}, "cut, compressed": {gzipped(cut), []string{"a"}, 1}, "whole, compressed": {gzipped(whole), nil, 0},
	} {
		dir, stream := t.TempDir(), openStream(t, quakeSpec())
		lander := StreamLander{Stream: stream, Options: limit, Landed: func(Outcome) error { return nil }}
		for process := range 3 {
			if process != 1 { // the last is to know it by its content alone
				writeFile(t, dir, "a", c.content)
			}
			synctest.Test(t, func(t *testing.T) {
				var reports []string
				w, err := NewWatcher(Folder{Dir: dir, AfterLanding: ActionDelete}, func(name string, err error) { reports = append(reports, fmt.Sprint(name, err)) })
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Once(t.Context(), lander); err != nil {
					t.Fatal(err)
				}
				wantNames(t, dir, c.want...)
				if len(reports) != c.told {
					t.Errorf("%s, process %d: told %q", name, process, reports)
				}
			})
		}
	}
}
