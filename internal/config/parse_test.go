package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strandline/internal/config"
)

func TestTemplateIsAValidConfiguration(t *testing.T) {
	c, err := config.Parse(config.Template(), "/srv/strandline.yaml", env)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Stream("events")
	if err != nil || len(c.JobsFrom("events")) != 1 || len(s.Spec.Columns) == 0 || c.Lake.String() != "/srv/lake" {
		t.Fatalf("template means %+v", c)
	}
	for line := range strings.Lines(string(config.Template())) {
		if len([]rune(line)) > 101 {
			t.Errorf("line of more than 100 characters: %s", line)
		}
	}
}

// The parts of the template that are commented out are what people uncomment.
func TestTemplateStaysValidUncommented(t *testing.T) {
	text := string(config.Template())
	for from, to := range map[string]string{
		"    # dir: {":                "    dir: {",
		"    # timezone: ":            "    timezone: ",
		"#   s3: {":                   "s3: {",
		"lake: ./lake":                "",
		"#   lake: s3://":             "lake: s3://",
		"event_time: {column: time, ": "event_time: {zone: \"+02:00\", column: time, ",
	} {
		if !strings.Contains(text, from) {
			t.Fatalf("template has no %q", from)
		}
		text = strings.Replace(text, from, to, 1)
	}
	before, checks, found := strings.Cut(text, "    # checks:\n")
	if !found {
		t.Fatal("template has no checks")
	}
	text = before + "    checks:\n" + strings.ReplaceAll("\n"+checks, "\n    # ", "\n    ")
	c, err := config.Parse([]byte(text), "/srv/strandline.yaml", env)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Jobs[0].Checks) != 6 {
		t.Errorf("uncommented checks are %+v, want 6", c.Jobs[0].Checks)
	}
	if !c.Lake.InS3() || c.Lake.String() != "s3://my-bucket/some/prefix" || !c.S3.PathStyle || c.Streams[0].Dir == nil {
		t.Fatalf("uncommented template means %+v", c)
	}
}

func TestUndeclaredNamesAreAnsweredWithTheNearest(t *testing.T) {
	c, err := config.Parse(config.Template(), "strandline.yaml", env)
	if err != nil {
		t.Fatal(err)
	}
	for want, ask := range map[string]func() error{
		`strandline.yaml: no stream "event" is declared; did you mean "events"?`:            func() error { _, err := c.Stream("event"); return err },
		`strandline.yaml: no stream "ships" is declared (the only stream is events)`:        func() error { _, err := c.Stream("ships"); return err },
		`strandline.yaml: no job "event_hourly" is declared; did you mean "events_hourly"?`: func() error { _, err := c.Job("event_hourly"); return err },
	} {
		if err := ask(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := c.Job("events_hourly"); err != nil {
		t.Error(err)
	}
}

func TestMissingFileSaysHowToGetOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strandline.yaml")
	_, err := config.Load(path, env)
	var p *config.Problem
	if !errors.As(err, &p) || !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{path, "strandline init", "-c"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestUnreadableFileIsAProblem(t *testing.T) {
	_, err := config.Load(t.TempDir(), env)
	var p *config.Problem
	if !errors.As(err, &p) {
		t.Fatalf("got %v", err)
	}
}

func TestRelativeFoldersStartFromTheFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "etc"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	text := "lake: ../lake\nstreams:\n  e: {format: csv, event_time: {column: t, unit: s}, columns: {a: INT}, dir: in}\n"
	if err := os.WriteFile("etc/my.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load("etc/my.yaml", env)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if c.Lake.Folder != filepath.Join(here, "lake") || c.Streams[0].Dir.Path != filepath.Join(here, "etc", "in") {
		t.Errorf("lake %s, dir %s; want them under %s", c.Lake.Folder, c.Streams[0].Dir.Path, here)
	}
}

func TestHugeFilesAreRefused(t *testing.T) {
	text := "lake: ./lake\n#" + strings.Repeat("x", 1<<20)
	if _, err := config.Parse([]byte(text), "f.yaml", env); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:1:1: ") {
		t.Fatalf("got %v", err)
	}
}

func TestBrokenYAMLInLongFilesStillHasALine(t *testing.T) {
	text := "lake: ./lake\n" + strings.Repeat("# more\n", 600) + "a: b: c\n"
	if _, err := config.Parse([]byte(text), "f.yaml", env); err == nil || !strings.HasPrefix(err.Error(), "f.yaml:602:") {
		t.Fatalf("got %v", err)
	}
}

// Whatever a variable holds, it is a text and never a part of the file.
func TestVariablesCannotChangeTheShapeOfTheFile(t *testing.T) {
	text := "lake: ./lake\nstreams:\n  e: {format: csv, event_time: {column: \"a${V}b$$\", unit: s}, columns: {a: INT}}\n"
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.StringMatching(`[ -~äß€]{1,20}`).Draw(t, "variable")
		c, err := config.Parse([]byte(text), "f.yaml", func(string) (string, bool) { return v, true })
		if err != nil {
			t.Fatal(err)
		}
		if got, want := c.Streams[0].Spec.EventTime.Column, "a"+v+"b$"; got != want {
			t.Fatalf("column %q, want %q", got, want)
		}
	})
}

// One damaged line anywhere in a good file is an error with its place, or it
// is still a whole configuration.
func TestDamagedFilesHaveProblemsWithPlaces(t *testing.T) {
	good, err := os.ReadFile("testdata/good/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.SplitAfter(string(good), "\n")
		at := rapid.IntRange(0, len(lines)-1).Draw(rt, "line")
		damage := rapid.SampledFrom([]string{"", "\t: x\n", "x\n", "  - 1\n", "  x: {a\n", "'\n", "? [a]\n", "a\x00b\n", "\xff\n", "<<: *a\n", "    key: [1, {a: b}]\n"})
		lines[at] = damage.Draw(rt, "damage")
		c, err := config.Parse([]byte(strings.Join(lines, "")), "f.yaml", env)
		if (c == nil) == (err == nil) {
			rt.Fatalf("configuration %v with error %v", c, err)
		}
		if err != nil {
			checkPlaces(t, "f.yaml", err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add(config.Template())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse(data, "f.yaml", env)
		if (c == nil) == (err == nil) {
			t.Fatalf("configuration %v with error %v", c, err)
		}
		if err != nil {
			checkPlaces(t, "f.yaml", err)
		}
	})
}
