package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"strandline/internal/config"
	"strandline/internal/infer"
)

func newInit(a *app) *cobra.Command {
	var from []string
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a strandline.yaml to start from",
		Long: `Write a commented strandline.yaml, valid as it stands, into DIR (made if
missing; default: the current folder). It declares a stream "events" and a job
"events_hourly"; change both to fit your data. A file that exists is never
overwritten: for one more stream write another into a folder of its own, and copy
the stream and the job from there.

With --from FILE, which may be given several times for files that one stream is
to land, the stream is declared from a look at their first 50,000 records: format,
columns with their types (those of its schema, where it has one), and which field is
the event time. The file's comments say what is in doubt. Read them before anything
lands; nothing is guessed later.`,
		Example: `  strandline init
  strandline init tide && cd tide
  strandline init --from orders.ndjson.gz`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := a.configPath
			if len(args) > 0 {
				if cmd.Flags().Changed("config") {
					return misused(cmd, "name the file with -c or its folder DIR, not both")
				}
				path = filepath.Join(args[0], config.DefaultFile)
			}
			if len(from) > 0 {
				return a.initFrom(cmd, path, from)
			}
			return a.init(cmd, path, "describe your own stream and job in it", "events", "events_hourly", config.Template())
		},
	}
	cmd.Flags().StringArrayVar(&from, "from", nil, "declare the stream from a look at `FILE`")
	return cmd
}

// initFrom declares a stream from a look at files, and holds the declaration against
// what every command will demand of it.
func (a *app) initFrom(cmd *cobra.Command, path string, files []string) error {
	sample, err := infer.Files(files)
	if err != nil {
		return err
	}
	stream := infer.StreamName(files[0])
	text, err := sample.Declaration(stream)
	if errors.Is(err, infer.ErrNoEventTime) {
		return misused(cmd, "%s: %v", strings.Join(files, ", "), err)
	}
	if err != nil {
		return err
	}
	if _, err := config.Parse([]byte(text), path, os.LookupEnv); err != nil {
		return fmt.Errorf("declare what is in %s: what was inferred can't be declared; write the declaration by hand: %w", files[0], err)
	}
	return a.init(cmd, path, "read its comments, which say what is in doubt, and mend what is not so", stream, stream+"_daily", []byte(text))
}

// init writes the configuration of a stream and a job, and says what is to be done with it.
func (a *app) init(cmd *cobra.Command, path, todo, stream, job string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	err := createWhole(path, text)
	if errors.Is(err, fs.ErrExist) {
		return misused(cmd, "%s is there already and stays as it is; edit it, or name another folder. For one more stream, strandline init DIR --from FILE writes it to another folder, to copy its stream and job from", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find the folder of %s: %w", path, err)
	}
	return a.fact(map[string]string{"config": full}, initNext, path, todo, here(path), nextSteps(stream, job))
}

// initNext says what was done and what to do next.
const initNext = `wrote %s

Next, %s. Then%s
%s`

// nextSteps are commands, and beside each what it does, in a column.
func nextSteps(stream, job string) string {
	steps := []struct{ command, does string }{
		{"validate", "check it, and every job's SQL"},
		{"land " + stream + " FILE…", "land what you have"},
		{"plan " + job, "see which partitions that makes stale"},
		{"run", "publish them, and follow what lands"},
		{fmt.Sprintf("query %q", "SELECT * FROM "+job), "look at what is published"},
	}
	width := 0
	for _, s := range steps {
		width = max(width, utf8.RuneCountInString(s.command))
	}
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "  strandline %-*s  %s\n", width, s.command, s.does)
	}
	return b.String()
}

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
