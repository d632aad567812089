//go:build !linux

package main_test

import "syscall"

// mount puts an empty file system in memory over a folder, which this system cannot.
func mount(string, string) error { return syscall.EPERM }

// remount makes the file system of a folder read-only, which this system cannot.
func remount(string) error { return syscall.EPERM }

// unmount undoes what cannot be done.
func unmount(string) error { return syscall.EPERM }
