package main_test

import "syscall"

// mount puts an empty file system in memory over a folder.
func mount(dir, options string) error { return syscall.Mount("tmpfs", dir, "tmpfs", 0, options) }

// remount makes the file system of a folder read-only.
func remount(dir string) error {
	return syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
}

// unmount takes it away. Who walks through it at this moment, as a sandbox of another
// test that looks for sockets does, keeps it for himself only: otherwise it is busy.
func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
