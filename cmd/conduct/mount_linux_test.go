package main_test

import "syscall"

// mount puts an empty file system in memory over a folder.
func mount(dir, options string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, options) }

// remount makes the file system of a folder read-only.
func remount(dir string) error {
	return syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
}
