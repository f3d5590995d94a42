package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestTheProgramTellsWhatItWasBuiltOf(t *testing.T) {
	of := func(module string, settings ...debug.BuildSetting) func() (*debug.BuildInfo, bool) {
		return func() (*debug.BuildInfo, bool) {
			return &debug.BuildInfo{Main: debug.Module{Version: module}, Settings: settings}, true
		}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}
	for want, got := range map[string]string{
		"v1":                       builtOf("v1", of("v2", revision)),
		"v2":                       builtOf("", of("v2", revision)),
		"revision abc":             builtOf("", of("(devel)", revision)),
		"revision abc and changes": builtOf("", of("(devel)", revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"})),
		"of an unknown revision":   builtOf("", of("(devel)")) + strings.TrimPrefix(builtOf("", func() (*debug.BuildInfo, bool) { return nil, false }), "of an unknown revision"),
	} {
		if got != want {
			t.Errorf("it tells %q, want %q", got, want)
		}
	}
	if got := strandline(t, "--version"); got.code != exitDone || !strings.HasPrefix(got.out, "strandline ") || !strings.Contains(got.out, runtime.Version()) {
		t.Errorf("--version: %+v", got)
	}
}
