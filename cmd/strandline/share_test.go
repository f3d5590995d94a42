package main

import (
	"strings"
	"testing"
)

func TestAShareIsReadFromFlagOrScheduler(t *testing.T) {
	for _, c := range []struct {
		text, env string
		want      share
		wrong     string
	}{
		{text: "0/1", want: share{0, 1}},
		{text: "3/12", env: "JOB_COMPLETION_INDEX=7", want: share{3, 12}},
		{text: "auto/12", env: "JOB_COMPLETION_INDEX=7", want: share{7, 12}},
		{text: "auto", env: "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=5", want: share{2, 5}},
		{text: "auto/5", env: "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=5", want: share{2, 5}},
		{text: "auto/5", env: "AWS_BATCH_JOB_ARRAY_INDEX=4", want: share{4, 5}},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", want: share{2, 4}},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=4", want: share{0, 4}},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=4 SLURM_ARRAY_TASK_COUNT=3", want: share{1, 3}},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=10 SLURM_ARRAY_TASK_STEP=4 SLURM_ARRAY_TASK_COUNT=3", want: share{1, 3}},

		{text: "auto/1", env: "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=1", want: share{0, 1}},

		{text: "auto", env: "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=1", wrong: "as 2/4"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=1", wrong: "alone it would do all"},
		{text: "auto/4", env: "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=1", wrong: "say which, as I/4"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=2", wrong: "SLURM_ARRAY_TASK_COUNT is not set"},
		{text: "auto", env: "AWS_BATCH_JOB_ARRAY_INDEX=2", wrong: "AWS_BATCH_JOB_ARRAY_SIZE is not set"},
		{text: "", wrong: "want I/N"},
		{text: "3", wrong: "want I/N"},
		{text: "a/3", wrong: "want I/N"},
		{text: "0/0", wrong: "want I/N"},
		{text: "1/99999999999999999999", wrong: "want I/N"},
		{text: "3/3", wrong: "at most 2"},
		{text: "-1/3", wrong: "counted from 0"},
		{text: "auto", wrong: "no scheduler has set"},
		{text: "auto/3", wrong: "JOB_COMPLETION_INDEX"},
		{text: "auto", env: "JOB_COMPLETION_INDEX=7", wrong: "does not set of how many: say it, as auto/N"},
		{text: "auto/7", env: "JOB_COMPLETION_INDEX=7", wrong: "at most 6"},
		{text: "auto/7", env: "JOB_COMPLETION_INDEX=x", wrong: "want a number"},
		{text: "auto/7", env: "JOB_COMPLETION_INDEX=1 SLURM_ARRAY_TASK_ID=1", wrong: "both"},
		{text: "auto/8", env: "AWS_BATCH_JOB_ARRAY_INDEX=2 AWS_BATCH_JOB_ARRAY_SIZE=5", wrong: "never be done"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3", wrong: "at most 2"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=3", wrong: "no step"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=3", wrong: "has gaps"},
		{text: "auto/3", env: "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 SLURM_ARRAY_TASK_COUNT=3", wrong: "has gaps"},
		{text: "auto", env: "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_STEP=0 SLURM_ARRAY_TASK_COUNT=3", wrong: "no step"},
	} {
		a := &app{env: func(name string) (string, bool) {
			for set := range strings.FieldsSeq(c.env) {
				if variable, value, _ := strings.Cut(set, "="); variable == name {
					return value, true
				}
			}
			return "", false
		}}
		got, err := a.parseShare(c.text)
		switch {
		case c.wrong == "" && (err != nil || got != c.want):
			t.Errorf("%q with %q: %v, %v; want %v", c.text, c.env, got, err, c.want)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q with %q: %v, %v; want an error with %q", c.text, c.env, got, err, c.wrong)
		}
	}
}
