package system

import "golang.org/x/sys/unix"

const ioctlGetTermios = unix.TIOCGETA

// fread says that what comes in is to be dropped (FREAD of sys/fcntl.h).
const fread = 1

func forget(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, fread) }
