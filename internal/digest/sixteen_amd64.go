//go:build amd64 && !purego

package digest

import "golang.org/x/sys/cpu"

// hasSixteen tells whether the processor has what digestSixteen needs.
var hasSixteen = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW

// digestSixteen goes on with the state of s by so many blocks, at least one, of each of its
// texts. text is the first byte of what they are in; from is moved to their ends.
//
//go:noescape
func digestSixteen(s *sixteen, text *byte, blocks uint32)
