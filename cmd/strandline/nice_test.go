package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestNice has a process of its own lower its priority, since none can be raised again.
func TestNice(t *testing.T) {
	if os.Getenv("STRANDLINE_TEST_NICE") != "" {
		lowered, was := make(chan struct{}), make(chan int)
		const threads = 20
		look := func() {
			runtime.LockOSThread() // and not unlocked: the thread is kept for this alone
			<-lowered
			value, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
			if err != nil {
				t.Error(err)
			}
			was <- niceness(value)
		}
		for range threads {
			go look()
		}
		if err := beNice(7); err != nil {
			t.Fatal(err)
		}
		for range threads {
			go look()
		}
		close(lowered)
		for range 2 * threads {
			if value := <-was; value != 7 {
				t.Errorf("a thread has a nice value of %d", value)
			}
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^TestNice$")
	cmd.Env = append(os.Environ(), "STRANDLINE_TEST_NICE=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// niceness is what Getpriority tells, as nice counts.
func niceness(was int) int {
	if runtime.GOOS == "linux" {
		return 20 - was
	}
	return was
}

func TestWhatRecomputesBesideAStreamIsNice(t *testing.T) {
	for _, c := range []struct {
		args string
		want int
	}{
		{"worker --parallel 0", defaultNice},
		{"worker --parallel 0 --nice 19", 19},
		{"worker --parallel 0 --nice 0", 0},
		{"backfill j --parallel 0", defaultNice},
		{"replay j --parallel 0", defaultNice},
		{"verify j --parallel 0", defaultNice},
		{"reconcile j --parallel 0", defaultNice},
		{"run --parallel 0", 0},
		{"worker --nice 20", 0},
		{"worker --nice -1", 0},
	} {
		nice := 0
		a := &app{in: strings.NewReader(""), out: io.Discard, err: io.Discard, env: os.LookupEnv, nice: func(n int) error { nice = n; return nil }}
		if code := run(t.Context(), a, strings.Fields(c.args)); code != exitUsage || nice != c.want {
			t.Errorf("%s: exit code %d, nice %d, want %d", c.args, code, nice, c.want)
		}
	}
}

func TestAPriorityThatCantBeSetIsToldAlone(t *testing.T) {
	var notes bytes.Buffer
	a := &app{in: strings.NewReader(""), out: io.Discard, err: &notes, env: os.LookupEnv, nice: func(int) error { return syscall.EPERM }}
	run(t.Context(), a, []string{"worker", "--parallel", "0"})
	if !strings.Contains(notes.String(), "--nice 10 can't be set") || !strings.Contains(notes.String(), "--parallel 0: want at least 1") {
		t.Error(notes.String())
	}
}
