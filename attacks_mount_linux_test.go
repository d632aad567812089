package conduct_test

import "syscall"

// bind shows a folder in a second place.
func bind(from, to string) error { return syscall.Mount(from, to, "", syscall.MS_BIND, "") }

// unbind takes it away. Who walks through it at this moment, as a sandbox of another
// test that looks for sockets does, keeps it for himself only: otherwise it is busy.
func unbind(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
