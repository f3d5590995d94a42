package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"strandline/manifests"
)

// arrayExample is one for a scheduler of arrays: the program and its arguments, and what
// the scheduler sets for the i-th of 4 processes.
type arrayExample struct {
	args []string
	set  func(i int) []string
}

func arrayExamples(t *testing.T) map[string]arrayExample {
	t.Helper()
	text, err := os.ReadFile("../../deploy/arrays/aws-batch.json")
	if err != nil {
		t.Fatal(err)
	}
	var batch struct {
		ContainerOverrides struct{ Command []string }
	}
	if err := json.Unmarshal(text, &batch); err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../deploy/arrays/slurm.sh")
	if err != nil {
		t.Fatal(err)
	}
	pod := objectsIn(t, "../../deploy/arrays/indexed-job.yaml")[0].Spec.Template.Spec.Containers[0].Args
	return map[string]arrayExample{
		"Kubernetes": {append([]string{"strandline"}, pod...), func(i int) []string {
			return []string{fmt.Sprint("JOB_COMPLETION_INDEX=", i)}
		}},
		"AWS Batch": {append([]string{"strandline"}, batch.ContainerOverrides.Command...), func(i int) []string {
			return []string{fmt.Sprint("AWS_BATCH_JOB_ARRAY_INDEX=", i), "AWS_BATCH_JOB_ARRAY_SIZE=4"}
		}},
		"Slurm": {[]string{"sh", script}, func(i int) []string {
			return []string{fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), "SLURM_ARRAY_TASK_MIN=0", "SLURM_ARRAY_TASK_MAX=3", "SLURM_ARRAY_TASK_STEP=1", "SLURM_ARRAY_TASK_COUNT=4"}
		}},
	}
}

// onPath is a folder of PATH in which the program is that of the test.
func onPath(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "strandline")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// nineDays is a proof with rows of nine days, for the job that the examples name.
func nineDays(t *testing.T) proof {
	t.Helper()
	p := proof{t, t.TempDir()}
	p.write("strandline.yaml", strings.ReplaceAll(proveYAML, "sales_hourly", "events_hourly"))
	var lines strings.Builder
	for day := 1; day <= 9; day++ {
		fmt.Fprintf(&lines, `{"at":"2026-03-%02dT10:00:00Z","shop":"x","cents":5}`+"\n", day)
	}
	p.write("a.ndjson", lines.String())
	p.good("land", "sales", p.path("a.ndjson"))
	return p
}

// ofArray runs one of an array, with what the scheduler sets.
func (p proof) ofArray(e arrayExample, path string, set ...string) error {
	args := slices.Clone(e.args)
	if args[0] == "strandline" {
		args[0] = filepath.Join(path, "strandline")
	}
	if at := slices.Index(args, "/etc/strandline/strandline.yaml"); at >= 0 {
		args[at] = p.path("strandline.yaml")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), asProgram+"=1", "PATH="+path+string(filepath.ListSeparator)+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, set...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", args, err, out)
	}
	return nil
}

// published lists the partitions that were, once for each time.
func (p proof) published(job string) (all []string) {
	p.t.Helper()
	for c, err := range manifests.Open(p.store(), job, manifests.Options{Writer: "test"}).Changes(p.t.Context()) {
		if err != nil {
			p.t.Fatal(err)
		}
		for _, r := range c.Receipts {
			all = append(all, r.Partition)
		}
	}
	slices.Sort(all)
	return all
}

// Processes that a scheduler starts at once publish every partition, each by one of them.
func TestArraysOfProcessesPublishEachPartitionOnce(t *testing.T) {
	path := onPath(t)
	for name, array := range arrayExamples(t) {
		p := nineDays(t)
		var group errgroup.Group
		for i := range 4 {
			group.Go(func() error { return p.ofArray(array, path, array.set(i)...) })
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		published := p.published("events_hourly")
		if want := "2026-03-01 2026-03-02 2026-03-03 2026-03-04 2026-03-05 2026-03-06 2026-03-07 2026-03-08 2026-03-09"; strings.Join(published, " ") != want {
			t.Errorf("%s: published were %v", name, published)
		}
	}
}

// One task of Slurm that is run again, as an array of its own, does its own partitions alone.
func TestATaskThatIsRunAgainDoesItsShardAlone(t *testing.T) {
	p, array := nineDays(t), arrayExamples(t)["Slurm"]
	if err := p.ofArray(array, onPath(t), "SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_TASK_MIN=2", "SLURM_ARRAY_TASK_MAX=2", "SLURM_ARRAY_TASK_STEP=1", "SLURM_ARRAY_TASK_COUNT=1"); err != nil {
		t.Fatal(err)
	}
	if n := len(p.published("events_hourly")); n < 1 || n > 3 {
		t.Errorf("it published %d partitions of 9, want those of one of 4 shards", n)
	}
}
