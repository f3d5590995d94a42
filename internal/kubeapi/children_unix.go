//go:build unix

package kubeapi

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// withChildren has a process end together with what it started, when its context does.
func withChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
