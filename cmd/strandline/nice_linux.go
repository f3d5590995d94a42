package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// beNice gives all threads of this process a nice value of n, but for those that have
// more. Linux keeps one for each thread, which is that of the thread that starts it: so once no
// thread is found with less there won't be one.
func beNice(n int) error {
	for {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		changed := false
		for _, entry := range threads {
			thread, err := strconv.Atoi(entry.Name())
			if err != nil {
				return fmt.Errorf("a thread is called %q: %w", entry.Name(), err)
			}
			was, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread)
			if err == nil && was > 20-n { // the call tells 20 less the value
				changed = true
				err = syscall.Setpriority(syscall.PRIO_PROCESS, thread, n)
			}
			if err != nil && !errors.Is(err, syscall.ESRCH) { // it has ended
				return fmt.Errorf("thread %d: %w", thread, err)
			}
		}
		if !changed {
			return nil
		}
	}
}
