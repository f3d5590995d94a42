//go:build !linux

package miniotest

import "os/exec"

// die leaves the server in this process's group, so that an interrupt from the
// terminal reaches both.
func die(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
