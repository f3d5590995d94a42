package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// phase is what a part of a case took: wall and processor time, both of the
// whole process.
type phase struct{ Wall, CPU time.Duration }

// measure runs do and tells what it took.
func measure(do func() error) (phase, error) {
	runtime.GC() // what was left by preparation is not do's
	cpu, wall := processorTime(), time.Now()
	err := do()
	return phase{Wall: time.Since(wall), CPU: processorTime() - cpu}, err
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bytesRead is how many bytes the process has asked files for, cached ones too;
// 0 where the system doesn't tell.
func bytesRead() (n int64) {
	text, err := os.ReadFile("/proc/self/io")
	if err == nil {
		_, _ = fmt.Sscanf(string(text), "rchar: %d", &n)
	}
	return n
}

// maxrssUnit is what Rusage.Maxrss counts in, in bytes.
var maxrssUnit = func() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}()

func runProcess(path string, args []string, env ...string) (out []byte, state *os.ProcessState, err error) {
	var text bytes.Buffer
	state, err = runInto(&text, path, args, env...)
	return text.Bytes(), state, err
}

func runInto(out io.Writer, path string, args []string, env ...string) (*os.ProcessState, error) {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	err := cmd.Run()
	return cmd.ProcessState, err
}

// startProfile profiles the processor until stop; nothing where path is empty.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() error { pprof.StopCPUProfile(); return f.Close() }, nil
}

// table prints aligned rows as they are complete.
type table struct{ w *tabwriter.Writer }

func newTable(title string, head ...string) table {
	fmt.Printf("\n%s\n\n", title)
	t := table{tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)}
	t.row(head...)
	t.row(strings.Split(strings.Repeat("---,", len(head)-1)+"---", ",")...)
	return t
}

func (t table) row(cells ...string) { fmt.Fprintf(t.w, "| %s\t|\n", strings.Join(cells, "\t| ")) }

func (t table) end() error { return t.w.Flush() }

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

func mib(bytes int64) string { return fmt.Sprintf("%.0f", float64(bytes)/(1<<20)) }

// times tells how many times b a is.
func times(a, b time.Duration) string { return fmt.Sprintf("%.2f", a.Seconds()/b.Seconds()) }
