//go:build !linux

package conduct_test

import "syscall"

// bind shows a folder in a second place, which this system cannot.
func bind(string, string) error { return syscall.EPERM }

// unbind undoes what cannot be done.
func unbind(string) error { return syscall.EPERM }
