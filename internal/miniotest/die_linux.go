package miniotest

import (
	"os/exec"
	"syscall"
)

// die makes the server a process group of its own that ends with the thread
// that starts it, and so with this process, however that ends.
func die(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
