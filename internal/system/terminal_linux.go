package system

import "golang.org/x/sys/unix"

const ioctlGetTermios = unix.TCGETS

func forget(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
