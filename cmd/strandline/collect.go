package main

import (
	"os"
	"runtime/debug"
)

// followingPercent is by how much the heap of a process that follows streams may grow before it is
// collected. Most of what such a process keeps are keys of posts, receipts and sums, without
// pointers, so that to collect more often costs it nothing that was measured: half of Go's usual
// 100 takes a sixth of its memory away (bench/README.md, "Posts").
const followingPercent = 50

// collectOften has this process collect as followingPercent says, unless its environment says otherwise.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(followingPercent)
	}
}
