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

// arrayExamples are those for schedulers of arrays: the command line of each, and what
// the scheduler sets for the i-th of 4 processes.
func arrayExamples(t *testing.T) map[string]struct {
	args []string
	set  func(i int) []string
} {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("../../deploy/arrays", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var batch struct {
		ContainerOverrides struct{ Command []string }
	}
	if err := json.Unmarshal([]byte(read("aws-batch.json")), &batch); err != nil {
		t.Fatal(err)
	}
	_, slurm, _ := strings.Cut(read("slurm.sh"), "\nexec strandline ")
	return map[string]struct {
		args []string
		set  func(i int) []string
	}{
		"Kubernetes": {objectsIn(t, "../../deploy/arrays/indexed-job.yaml")[0].Spec.Template.Spec.Containers[0].Args, func(i int) []string {
			return []string{fmt.Sprint("JOB_COMPLETION_INDEX=", i)}
		}},
		"AWS Batch": {batch.ContainerOverrides.Command, func(i int) []string {
			return []string{fmt.Sprint("AWS_BATCH_JOB_ARRAY_INDEX=", i), "AWS_BATCH_JOB_ARRAY_SIZE=4"}
		}},
		"Slurm": {strings.Fields(slurm), func(i int) []string {
			return []string{fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), "SLURM_ARRAY_TASK_MIN=0", "SLURM_ARRAY_TASK_MAX=3", "SLURM_ARRAY_TASK_STEP=1", "SLURM_ARRAY_TASK_COUNT=4"}
		}},
	}
}

// Processes that a scheduler starts at once publish every partition, each by one of them.
func TestArraysOfProcessesPublishEachPartitionOnce(t *testing.T) {
	for name, array := range arrayExamples(t) {
		p := proof{t, t.TempDir()}
		p.write("strandline.yaml", strings.ReplaceAll(proveYAML, "sales_hourly", "events_hourly"))
		var lines strings.Builder
		for day := 1; day <= 9; day++ {
			fmt.Fprintf(&lines, `{"at":"2026-03-%02dT10:00:00Z","shop":"x","cents":5}`+"\n", day)
		}
		p.write("a.ndjson", lines.String())
		p.good("land", "sales", p.path("a.ndjson"))
		var group errgroup.Group
		for i := range 4 {
			group.Go(func() error {
				args := slices.Clone(array.args)
				if at := slices.Index(args, "/etc/strandline/strandline.yaml"); at >= 0 {
					args[at] = p.path("strandline.yaml")
				}
				cmd := exec.Command(os.Args[0], args...)
				cmd.Dir, cmd.Env = p.dir, append(os.Environ(), append(array.set(i), asProgram+"=1")...)
				if out, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("%w: %s", err, out)
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var published []string
		for c, err := range manifests.Open(p.store(), "events_hourly", manifests.Options{Writer: "test"}).Changes(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range c.Receipts {
				published = append(published, r.Partition)
			}
		}
		slices.Sort(published)
		if want := "2026-03-01 2026-03-02 2026-03-03 2026-03-04 2026-03-05 2026-03-06 2026-03-07 2026-03-08 2026-03-09"; strings.Join(published, " ") != want {
			t.Errorf("%s: published were %v", name, published)
		}
	}
}
