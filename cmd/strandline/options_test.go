package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// pairing is how the options of a command go together, two at a time.
type pairing struct {
	args []string
	// sample has each option with a value, and what it is never without.
	sample map[string]string
	// base is what there must be one of, else the first is added.
	base []string
	// refused lists what each option does not go with.
	refused map[string]string
}

const (
	ranges = "from to last partition "
	states = "stale missing failed "
)

var driven = map[string]string{
	"dry-run": "", "parallel": "3", "nice": "5", "order": "oldest", "atomic": "", "max-failures": "2", "write-plan": "",
}

var ofRange = map[string]string{
	"from": "2026-03-01", "to": "2026-03-04", "widen": "", "last": "7d", "partition": "2026-03-01", "recompute": "", "stale": "", "missing": "", "failed": "",
}

var submitted = map[string]string{
	"dry-run": "", "parallel": "3", "order": "random", "atomic": "", "max-failures": "2", "slices": "3", "priority": "low",
}

var rowsAsked = map[string]string{
	"from-position": "1", "to-position": "9 --from-position 1", "stream": "sales", "arrival": "a", "kafka": "t/0:1-2", "key": "k",
	"landed-from": "2026-03-01T12:00:00Z", "landed-to": "2026-03-02T12:00:00Z",
}

func with(all ...map[string]string) map[string]string {
	sum := map[string]string{}
	for _, m := range all {
		maps.Copy(sum, m)
	}
	return sum
}

var rangeRefused = map[string]string{
	"last": "from to widen partition", "partition": "from to last widen", "recompute": states, "widen": states + "rebuild",
}

var rowsRefused = map[string]string{
	"from-position": "arrival kafka key landed-from landed-to", "to-position": "arrival kafka key landed-from landed-to",
	"arrival": "kafka key landed-from landed-to", "kafka": "key",
}

var pairings = []pairing{
	{
		args: []string{"backfill", "sales_hourly"}, base: strings.Fields("from to last partition stale missing failed rebuild"),
		sample: with(ofRange, driven, map[string]string{"rebuild": "", "shard": "0/2", "on": "kubernetes", "slices": "3 --on kubernetes", "detach": " --on kubernetes"}),
		refused: with(rangeRefused, map[string]string{
			"rebuild":    ranges + states + "recompute shard write-plan on slices detach",
			"write-plan": "dry-run parallel max-failures on slices detach",
			"atomic":     "shard slices",
			"shard":      "on slices detach",
		}),
	},
	{
		args: []string{"backfill", "submit", "sales_hourly"}, base: strings.Fields("from to last partition stale missing failed"),
		sample: with(ofRange, submitted), refused: with(rangeRefused, map[string]string{"atomic": "slices"}),
	},
	{
		args: []string{"replay", "sales_hourly"}, base: strings.Fields("from-position to-position arrival kafka key landed-from landed-to"),
		sample: with(rowsAsked, driven), refused: with(rowsRefused, map[string]string{"write-plan": "dry-run parallel max-failures"}),
	},
	{
		args: []string{"replay", "submit", "sales_hourly"}, base: strings.Fields("from-position to-position arrival kafka key landed-from landed-to"),
		sample: with(rowsAsked, submitted), refused: with(rowsRefused, map[string]string{"atomic": "slices"}),
	},
	{
		args:   []string{"worker"},
		sample: map[string]string{"once": "", "parallel": "3", "nice": "5", "poll": "5s", "lease": "100ms"},
	},
	{
		args:   []string{"verify", "sales_hourly"},
		sample: map[string]string{"from": "2026-03-01 --to 2026-03-02", "to": "2026-03-02 --from 2026-03-01", "sample": "2", "seed": "7", "parallel": "2", "nice": "5"},
	},
}

// Two options of a command go together, or are refused before anything is opened.
func TestEveryPairOfOptionsGoesTogetherOrIsRefused(t *testing.T) {
	dir := proof{t, t.TempDir()}
	dir.write("lake", "a file can't be opened as a lake: so far comes who is not refused")
	dir.write("strandline.yaml", proveYAML)
	for _, p := range pairings {
		options := p.options(t)
		for i, a := range options {
			for _, b := range options[i+1:] {
				args := slices.Concat(p.args, p.of(a, b))
				r := dir.run(args...)
				if want := p.refuses(a, b); (r.code == exitUsage) != want || !want && !strings.Contains(r.err, "open lake") {
					t.Errorf("%s: refused is %v, want %v: exit %d\n%s", strings.Join(args, " "), r.code == exitUsage, want, r.code, r.err)
				}
			}
		}
	}
}

// options are those of the command, each of which must have a sample.
func (p pairing) options(t *testing.T) (names []string) {
	cmd, _, err := newRoot(&app{}).Find(p.args)
	if err != nil {
		t.Fatal(err)
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if _, known := p.sample[f.Name]; !known {
			t.Errorf("%s: --%s is in no pair: say what it goes with", cmd.CommandPath(), f.Name)
			return
		}
		names = append(names, f.Name)
	})
	if len(names) != len(p.sample) {
		t.Errorf("%s has %v, and samples are of %v", cmd.CommandPath(), names, slices.Sorted(maps.Keys(p.sample)))
	}
	return names
}

// of is a command line with two options, and with what it has to have.
func (p pairing) of(options ...string) (args []string) {
	based := len(p.base) == 0
	for _, name := range options {
		args = append(args, strings.Fields("--"+name+" "+p.sample[name])...)
		based = based || slices.Contains(p.base, name)
	}
	if !based {
		args = append(args, "--"+p.base[0], p.sample[p.base[0]])
	}
	return args
}

func (p pairing) refuses(a, b string) bool {
	return slices.Contains(strings.Fields(p.refused[a]), b) || slices.Contains(strings.Fields(p.refused[b]), a)
}

// A variable that is not set must not ask for all there is.
func TestAnEmptyOptionIsRefused(t *testing.T) {
	dir := proof{t, t.TempDir()}
	dir.write("lake", "")
	dir.write("strandline.yaml", proveYAML)
	for _, args := range [][]string{
		{"backfill", "sales_hourly", "--from", ""},
		{"backfill", "sales_hourly", "--from", "2026-03-01", "--shard", ""},
		{"backfill", "sales_hourly", "--from", "2026-03-01", "--on", ""},
		{"replay", "sales_hourly", "--key", ""},
		{"replay", "sales_hourly", "--kafka", ""},
		{"replay", "sales_hourly", "--arrival", ""},
		{"replay", "sales_hourly", "--landed-from", ""},
		{"replay", "submit", "sales_hourly", "--landed-to", ""},
		{"replay", "sales_hourly", "--from-position", "0", "--stream", ""},
		{"verify", "sales_hourly", "--from", "", "--to", ""},
		{"reconcile", "sales_hourly", "--from", "", "--to", ""},
	} {
		dir.bad(exitUsage, "", args...)
	}
}
