//go:build !linux

package main

import "syscall"

// beNice gives this process a nice value of n, unless it has more.
func beNice(n int) error {
	was, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil || was >= n {
		return err
	}
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, n)
}
