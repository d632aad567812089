package conduct_test

import "syscall"

// bind shows a folder in a second place.
func bind(from, to string) error { return syscall.Mount(from, to, "", syscall.MS_BIND, "") }
