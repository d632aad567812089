//go:build !linux

package main

import "syscall"

// maxRSS is in bytes.
func maxRSS(u *syscall.Rusage) int64 { return u.Maxrss }
