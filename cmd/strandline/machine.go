package main

import (
	"context"
	"strings"
	"syscall"

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
	return isAny(err, syscall.ENOSPC, syscall.EDQUOT) || strings.Contains(strings.ToLower(err.Error()), syscall.ENOSPC.Error())
}

// wantsRoom says what helps where a disk is full, unless the error says so itself.
func wantsRoom(err error) string {
	if !lacksRoom(err) || strings.Contains(err.Error(), " room") {
		return ""
	}
	return "; make room on that disk, or raise its quota, and say it again; of a lake strandline sweep removes what nobody needs"
}
