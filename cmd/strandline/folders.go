package main

import (
	"errors"
	"fmt"

	"strandline/ingest"
	"strandline/internal/config"
)

// errFolders says that folders of the configuration get in each other's way.
var errFolders = errors.New("folders that must lie apart")

// checkFolders is errFolders if a watched folder, or one that files are moved to, has to
// do with the lake, or with what other streams watch, by whatever links. What the
// configuration says of its paths as text has been checked before.
func checkFolders(cfg *config.Config) error {
	for i, s := range cfg.Streams {
		if s.Dir == nil {
			continue
		}
		if err := apartFromLake(cfg.Lake.Folder, s); err != nil {
			return err
		}
		for j, other := range cfg.Streams {
			if i == j || other.Dir == nil {
				continue
			}
			if err := apartFrom(s, other); err != nil {
				return err
			}
		}
	}
	return nil
}

func apartFromLake(lake string, s config.Stream) error {
	if lake == "" {
		return nil
	}
	for _, folder := range []string{s.Dir.Path, s.Dir.MoveTo} {
		if folder == "" {
			continue
		}
		if met, err := overlap(folder, lake); err != nil {
			return err
		} else if met {
			return fmt.Errorf("%w: %s of stream %s and the lake %s lie one in the other; want them side by side", errFolders, folder, s.Name, lake)
		}
	}
	return nil
}

// apartFrom tells whether a stream takes files away, or moves them to, where another
// watches.
func apartFrom(s, other config.Stream) error {
	if s.Dir.AfterLanding != "keep" {
		if met, err := overlap(s.Dir.Path, other.Dir.Path); err != nil {
			return err
		} else if met {
			return fmt.Errorf("%w: streams %s and %s watch %s and %s, of which one lies in the other, so files that %s has landed would go before %s has (after_landing: %s); give each a folder, or keep the files",
				errFolders, s.Name, other.Name, s.Dir.Path, other.Dir.Path, s.Name, other.Name, s.Dir.AfterLanding)
		}
	}
	if s.Dir.MoveTo == "" {
		return nil
	}
	if within, err := ingest.Lies(s.Dir.MoveTo, other.Dir.Path); err != nil {
		return err
	} else if within {
		return fmt.Errorf("%w: what stream %s has landed moves to %s, where stream %s would land it again; move it elsewhere", errFolders, s.Name, s.Dir.MoveTo, other.Name)
	}
	return nil
}

// overlap tells whether one of two folders lies in the other.
func overlap(a, b string) (bool, error) {
	if in, err := ingest.Lies(a, b); err != nil || in {
		return in, err
	}
	return ingest.Lies(b, a)
}
