package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// process is the one container of a pod.
type process struct {
	mu         sync.Mutex
	cmd        *exec.Cmd // nil until it was started
	terminated bool      // the pod is being deleted
	over       bool      // the process has ended

	begun time.Time
	ended chan error
}

func newProcess() *process { return &process{ended: make(chan error, 1)} }

// start starts the process, from a thread that lives as long as it: it ends
// with this program, however that ends.
func (p *process) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := p.begin(cmd)
		started <- err
		if err == nil {
			p.ended <- cmd.Wait()
		}
	}()
	return <-started
}

func (p *process) begin(cmd *exec.Cmd) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminated {
		return fmt.Errorf("the pod was deleted before it was started")
	}
	p.begun = time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	return nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// terminate asks the process to end, and makes it when the grace is over. It
// tells whether it has ended already.
func (p *process) terminate(grace time.Duration) (over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminated && !p.over && p.cmd != nil {
		p.signal(syscall.SIGTERM)
		time.AfterFunc(grace, p.kill)
	}
	p.terminated = true
	return p.over
}

func (p *process) isTerminated() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.terminated
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.signal(syscall.SIGKILL)
	}
}

// signal is for the whole group.
func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }

// leave says that the process is over, and tells whether it was terminated.
func (p *process) leave() (terminated bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	return p.terminated
}

// wait waits for the end, and tells it as a kubelet would.
func (p *process) wait() core.ContainerStateTerminated {
	<-p.ended
	end := core.ContainerStateTerminated{StartedAt: meta.NewTime(p.begun), FinishedAt: meta.Now(), Reason: "Completed"}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	end.ExitCode = int32(status.ExitStatus())
	if status.Signaled() {
		end.ExitCode, end.Signal = 128+int32(status.Signal()), 0
	}
	if end.ExitCode != 0 {
		end.Reason, end.Message = "Error", lastOf(p.cmd.Stdout.(*os.File).Name())
	}
	return end
}

// lastOf is the end of a log, which the policy FallbackToLogsOnError makes the
// message of a container that failed.
func lastOf(file string) string {
	const most = 2048
	data, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(data[max(0, len(data)-most):])
}
