package prefix

import (
	"errors"
	"testing"
)

// The same trouble is told once, whatever names were drawn for each try.
func TestTheSameTroubleOfAPrefixIsToldOnce(t *testing.T) {
	told := 0
	w := &Watcher{to: Target{Report: func(string, error) { told++ }}}
	for _, drawn := range []string{"ABCDEFGHJKLM2", "ABCDEFGHJKLM3"} {
		w.tellOnce(&w.told, "s3://bucket/in/", errors.New("write /tmp/strandline-"+drawn+"/landing/a: no space left on device"))
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if w.tellOnce(&w.told, "s3://bucket/in/", errors.New("permission denied")); told != 2 {
		t.Error("other trouble was not told")
	}
}

// That trouble with the prefix has passed is told once.
func TestTheEndOfTheTroubleOfAPrefixIsTold(t *testing.T) {
	over := 0
	w := &Watcher{to: Target{Report: func(string, error) {}, Over: func() { over++ }}}
	w.tellOver()
	w.tellOnce(&w.told, "s3://bucket/in/", errors.New("connection refused"))
	w.tellOver()
	w.tellOver()
	if over != 1 {
		t.Errorf("told %d times", over)
	}
}
