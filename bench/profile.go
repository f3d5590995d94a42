package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"
)

// profileFile is the profile that the program is built with: "go build" looks for it there.
var profileFile = filepath.Join("cmd", "strandline", "default.pgo")

// profiled are the cases that make that profile, and how often each is run: what the
// program spends the processor on, landing most of all.
var profiled = []struct {
	threads, times int
	args           []string
}{
	{1, 20, []string{"land", "1000000"}},
	{2, 2, []string{"post", "500000"}},
	{1, 3, []string{"recompute", "2000000", "day", tumbling}},
	{1, 10, []string{"plan"}},
	{2, 10, []string{"scale open", "100000"}},
	{2, 2, []string{"scale land", "100000"}},
	{2, 2, []string{"scale publish", "100000"}},
}

// profileAll renews the profile that the program is built with.
func (b bench) profileAll() error {
	for _, made := range [][]string{
		{"make events", "1000000"}, {"make events", "500000"}, {"make events", "2000000"},
		{"make lake", "2000000"}, {"make plan"}, {"make scale", "100000"},
	} {
		if _, err := b.child(2, made[0], made[1:]...); err != nil {
			return err
		}
	}
	b.profile = filepath.Join(b.dir, "case.prof")
	defer os.Remove(b.profile)
	var all []*profile.Profile
	for _, c := range profiled {
		for range c.times {
			if _, err := b.child(c.threads, c.args[0], c.args[1:]...); err != nil {
				return err
			}
			one, err := readProfile(b.profile)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
	}
	merged, err := profile.Merge(all)
	if err != nil {
		return fmt.Errorf("merge %d profiles: %w", len(all), err)
	}
	return writeProfile(profileFile, merged)
}

func readProfile(path string) (*profile.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p, err := profile.Parse(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read profile %s: %w", path, err)
	}
	// Of mappings and functions the compiler needs no files, which have the paths of the
	// machine that measured.
	for _, m := range p.Mapping {
		m.File, m.BuildID = "bench", ""
	}
	for _, f := range p.Function {
		f.Filename = ""
	}
	return p, nil
}

func writeProfile(path string, p *profile.Profile) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(p.Write(f), f.Close())
}
