package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a flag does not take is told with the flag, what was written, and what to write.
func TestAFlagThatDoesNotTakeAValueSaysWhatItTakes(t *testing.T) {
	for line, want := range map[string]string{
		"run --parallel x":                    `--parallel "x": want a whole number`,
		"run --parallel 99999999999999999999": `--parallel "99999999999999999999": the number is out of range`,
		"run --poll 1":                        `--poll: duration "1": want a number and a unit, such as 90s`,
		"rollback t --to abc":                 `--to "abc": want a whole number, 0 or more`,
		"verify t --seed -1":                  `--seed "-1": want a whole number, 0 or more`,
		"backfill t --stale=maybe":            `--stale "maybe": want true or false, or the flag alone`,
		"verify t --sample -1":                "--sample -1: want 1 or more, or 0 for all",
		"verify t --parallel 0":               "--parallel 0: want at least 1",
		"reconcile t --limit -1":              "--limit -1: want 1 or more, or 0 for none",
		"reconcile t --parallel 0":            "--parallel 0: want at least 1",
		"check-lake --parallel 0":             "--parallel 0: want at least 1",
	} {
		r := strandline(t, strings.Fields(line)...)
		if r.code != exitUsage || !strings.HasPrefix(r.err, "strandline: "+want) {
			t.Errorf("%s: exit %d, %s; want %s", line, r.code, r.err, want)
		}
	}
}

// No flag of any command answers in words of Go.
func TestNoFlagAnswersInWordsOfGo(t *testing.T) {
	a := &app{}
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			for _, value := range []string{"x", "1.5", "-9e99", "99999999999999999999"} {
				err := cmd.Flags().Set(f.Name, value)
				if err == nil {
					continue
				}
				if text := flagError(cmd, err).Error(); !strings.HasPrefix(text, "--"+f.Name) || strings.Contains(text, "strconv") || strings.Contains(text, "time: ") || strings.Contains(text, "invalid argument") {
					t.Errorf("%s --%s %s: %s", cmd.CommandPath(), f.Name, value, text)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(newRoot(a))
}
