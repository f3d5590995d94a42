package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"strandline/internal/metrics"
)

func TestAFullDiskIsToldWithWhatHelpsOnce(t *testing.T) {
	full := fmt.Errorf("write landing/sales/log/1.json: %w", syscall.ENOSPC)
	for _, c := range []struct {
		err  error
		want int
	}{{full, 1}, {syscall.EDQUOT, 1}, {withoutRoom(full), 0}, {notEntered("submit", full), 1}, {errors.New("none of that"), 0}} {
		var out strings.Builder
		report(t.Context(), &out, c.err)
		if n := strings.Count(out.String(), "make room on that disk"); n != c.want {
			t.Errorf("says %q, want %d times what helps", out.String(), c.want)
		}
	}
}

// What goes on whatever it meets says what helps at each such trouble, as a command does at its end.
func TestWhatGoesOnOnAFullDiskSaysWhatHelps(t *testing.T) {
	full := fmt.Errorf("write landing/sales/log/1.json: %w", syscall.ENOSPC)
	for _, c := range []struct {
		err  error
		want int
	}{{full, 1}, {syscall.EDQUOT, 1}, {errors.New("IO Error: No space left on device"), 1}, {withoutRoom(full), 0}, {errors.New("none of that"), 0}} {
		var out strings.Builder
		a := &app{err: &out}
		s, said := &streaming{app: a, metrics: metrics.New()}, newSaying(a)
		lines := []func(){
			func() { s.trouble("sweep", c.err) },
			func() { s.fault(sourceDir, "sales", c.err) },
			func() { s.note("slice 1 is left to others: %v", c.err) },
			func() { newNews(s.note).say("look after requests: %v", c.err) },
			func() { said.tell("slice 1 is left to others: %v", c.err) },
		}
		for _, say := range lines {
			say()
		}
		if n := strings.Count(out.String(), makeRoom+sweepsRoom); n != c.want*len(lines) || strings.Contains(out.String(), "say it again") {
			t.Errorf("says %s, want in each line %d times what helps", out.String(), c.want)
		}
	}
}

// No sweep of the lake makes room in a scratch folder.
func TestAFullScratchFolderIsToldAsThat(t *testing.T) {
	file := "/tmp/strandline-OYTEPT7DE353U/intake/a.parquet"
	for text, want := range map[string]bool{
		"write " + file + ": no space left on device":                                                       true,
		"write " + file + ": copy_file_range: disk quota exceeded":                                          true,
		`IO Error: Could not write file "` + file + `": No space left on device`:                            true,
		"upload " + file + ": nothing was written: write /lake/.tmp/A: no space left on device":             false,
		"upload " + file + ": nothing was written: link " + file + " /lake/.tmp/A: no space left on device": false,
		"write /lake/strandline-notes: no space left on device":                                             false,
	} {
		var out strings.Builder
		report(t.Context(), &out, errors.New(text))
		for _, says := range []string{out.String(), withAdvice(text)} {
			if strings.Contains(says, "engine.temp_dir") != want || strings.Contains(says, "strandline sweep") == want {
				t.Errorf("says %q, want that it tells of the scratch folder: %v", says, want)
			}
		}
	}
}
