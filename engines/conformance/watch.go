package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Env names the variable that gives processes which work slices the folder of a Watch.
const Env = "STRANDLINE_CONFORMANCE"

// Watch is a folder through which a test sees who is at work, whatever processes they are,
// and holds them up. It goes by locks of files, which end with the process that has them.
type Watch string

const (
	gateFile   = "gate"
	logFile    = "log"
	activeDir  = "active"
	arrivalDir = "arrivals"
)

func newWatch(dir string) (Watch, error) {
	w := Watch(dir)
	err := errors.Join(os.MkdirAll(w.path(activeDir), 0o755), os.MkdirAll(w.path(arrivalDir), 0o755),
		os.WriteFile(w.path(gateFile), nil, 0o644), os.WriteFile(w.path(logFile), nil, 0o644))
	return w, err
}

func (w Watch) path(name ...string) string {
	return filepath.Join(append([]string{string(w)}, name...)...)
}

// Worker is who works a slice.
type Worker struct {
	Slice, Process int

	noted bool // that it has begun
}

// notedSuffix ends the names of those that are noted.
const notedSuffix = "-noted"

// Enter says that this process begins to work a slice, and waits while the test holds the
// gate. What it returns is called at the end; a process that dies need not.
func (w Watch) Enter(slice int) (leave func(), err error) {
	file, err := os.CreateTemp(w.path(arrivalDir), fmt.Sprintf("%d-%d-*", slice, os.Getpid()))
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file.Name())
	leave = func() {
		_ = os.Remove(w.path(activeDir, name))
		_ = file.Close()
	}
	rename := func(from, to string) error {
		name = filepath.Base(to)
		return os.Rename(from, to)
	}
	// Who is seen is locked already, and of two that come at once one sees the other.
	at := w.path(activeDir, name)
	for _, step := range []func() error{
		func() error { return lock(file, syscall.LOCK_EX) },
		func() error { return rename(file.Name(), at) },
		func() error { return w.begun(slice) },
		func() error { return rename(at, at+notedSuffix) },
		w.pass,
	} {
		if err := step(); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}

// begun notes how many are at work.
func (w Watch) begun(slice int) error {
	workers, err := w.Active()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(w.path(logFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(log, "%d %d\n", slice, len(workers))
	return errors.Join(err, log.Close())
}

// pass waits until the gate is open.
func (w Watch) pass() error {
	gate, err := os.Open(w.path(gateFile))
	if err != nil {
		return err
	}
	return errors.Join(lock(gate, syscall.LOCK_SH), gate.Close())
}

// hold closes the gate until open is called.
func (w Watch) hold() (open func(), err error) {
	gate, err := os.Open(w.path(gateFile))
	if err != nil {
		return nil, err
	}
	return func() { _ = gate.Close() }, lock(gate, syscall.LOCK_EX)
}

// Active lists who is at work.
func (w Watch) Active() (workers []Worker, err error) {
	files, err := os.ReadDir(w.path(activeDir))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		name, noted := strings.CutSuffix(f.Name(), notedSuffix)
		alive, err := locked(w.path(activeDir, f.Name()))
		if err == nil && !alive && !noted { // it may have been noted meanwhile
			alive, err = locked(w.path(activeDir, name+notedSuffix))
			noted = alive
		}
		if err != nil {
			return nil, err
		}
		parts := strings.Split(name, "-")
		if !alive || len(parts) != 3 {
			continue
		}
		slice, sliceErr := strconv.Atoi(parts[0])
		process, processErr := strconv.Atoi(parts[1])
		if err := errors.Join(sliceErr, processErr); err != nil {
			return nil, err
		}
		workers = append(workers, Worker{slice, process, noted})
	}
	return workers, nil
}

// record is what was begun, in order: which slices, and how many were at work then.
func (w Watch) record() (slices, atWork []int, err error) {
	text, err := os.ReadFile(w.path(logFile))
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(string(text)) {
		var slice, active int
		if _, err := fmt.Sscan(line, &slice, &active); err != nil {
			return nil, nil, fmt.Errorf("line %q of %s: %w", line, w.path(logFile), err)
		}
		slices, atWork = append(slices, slice), append(atWork, active)
	}
	return slices, atWork, nil
}

// locked tells whether somebody holds a file's lock. One that is gone has no holder.
func locked(path string) (bool, error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = lock(file, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, file.Close()
	}
	return false, errors.Join(err, file.Close())
}

func lock(file *os.File, how int) error {
	for {
		err := syscall.Flock(int(file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
