package main

import (
	"context"
	"strings"
	"syscall"

	"strandline/internal/scratch"
	"strandline/requests"
)

// onMachine says of a slice that was not run to its end whether that is of this machine, and not of what it does.
func (l *lake) onMachine(ctx context.Context, result requests.Result) requests.Result {
	if result.Err != nil && !result.Never && !result.Damage && ctx.Err() == nil {
		result.Machine = lacksRoom(result.Err) || l.scratch.Try() != nil
	}
	return result
}

// lacksRoom tells whether an error says that a disk is full. The engine says it in words alone.
func lacksRoom(err error) bool {
	return isAny(err, syscall.ENOSPC, syscall.EDQUOT) || saysFull(err.Error())
}

func saysFull(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, syscall.ENOSPC.Error()) || strings.Contains(text, syscall.EDQUOT.Error())
}

const (
	makeRoom   = "; make room on that disk, or raise its quota"
	sweepsRoom = "; of a lake strandline sweep removes what nobody needs"
	otherRoom  = "; make room on that disk, or set TMPDIR, or engine.temp_dir, to a folder that has some"
)

// wantsRoom says what helps where a disk is full, unless the error says so itself.
func wantsRoom(err error) string {
	if !lacksRoom(err) || strings.Contains(err.Error(), " room") {
		return ""
	}
	if scratch.IsFull(err.Error()) {
		return otherRoom + ", and say it again"
	}
	return makeRoom + ", and say it again" + sweepsRoom
}

// withAdvice is what a process tells that goes on whatever it meets, with what helps where a disk is full.
func withAdvice(text string) string {
	if !saysFull(text) || strings.Contains(text, " room") {
		return text
	}
	if scratch.IsFull(text) {
		return text + otherRoom
	}
	return text + makeRoom + sweepsRoom
}
