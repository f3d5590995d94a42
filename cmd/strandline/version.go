package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker: see the Makefile.
var version string

// versionText says what the program was built of, in one line. Without a version of the
// linker's it is what Go knows: that of the module, or the revision of the sources.
func versionText() string {
	return fmt.Sprintf("%s, %s, %s/%s", builtOf(version, debug.ReadBuildInfo), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func builtOf(version string, read func() (*debug.BuildInfo, bool)) string {
	info, known := read()
	switch {
	case version != "":
		return version
	case !known:
		return "of an unknown revision"
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	revision := set["vcs.revision"]
	if revision == "" {
		return "of an unknown revision"
	}
	if set["vcs.modified"] == "true" {
		return "revision " + revision + " and changes"
	}
	return "revision " + revision
}
