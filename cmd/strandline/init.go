package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"strandline/internal/config"
)

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a strandline.yaml to start from",
		Long: `Write a commented strandline.yaml, valid as it stands, into DIR (made if
missing; default: the current folder). It declares a stream "events" and a job
"events_hourly"; change both to fit your data. A file that exists is never
overwritten.`,
		Example: `  strandline init
  strandline init tide && cd tide`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := a.configPath
			if len(args) > 0 {
				if cmd.Flags().Changed("config") {
					return misused(cmd, "name the file with -c or its folder DIR, not both")
				}
				path = filepath.Join(args[0], config.DefaultFile)
			}
			return a.init(cmd, path)
		},
	}
}

func (a *app) init(cmd *cobra.Command, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	err := createWhole(path, config.Template())
	if errors.Is(err, fs.ErrExist) {
		return misused(cmd, "%s is there already and stays as it is; edit it, or name another folder", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the folder of %s: %w", path, err)
	}
	return a.fact(map[string]string{"config": full}, initNext, path, here(path))
}

// initNext says what was done and what to do next.
const initNext = `wrote %s

Next, describe your own stream and job in it. Then%s
  strandline validate                      check it, and every job's SQL
  strandline land events FILE…             land what you have
  strandline plan events_hourly            see which partitions that makes stale
  strandline run                           publish them, and follow what lands
  strandline query "SELECT * FROM events_hourly"
`

// here returns where the next commands are to be run.
func here(path string) string {
	dir, name := filepath.Split(filepath.Clean(path))
	switch {
	case name != config.DefaultFile:
		return ", with -c " + path + ":"
	case dir != "":
		return ", in " + filepath.Clean(dir) + ":"
	}
	return ":"
}

// createWhole makes a file that did not exist. It is there whole or not at
// all, and of two that race one gets fs.ErrExist.
func createWhole(path string, data []byte) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".strandline-*.tmp")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(tmp.Name())) }()
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Link(tmp.Name(), path)
}
