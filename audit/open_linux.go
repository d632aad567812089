package audit

import (
	"os"

	"golang.org/x/sys/unix"
)

// open opens a segment that exists for reading and appending. Openat2 keeps to
// the folder and follows no link, as the os.Root does, in one system call
// instead of the root's ten; where it is missing or forbidden the root does it.
func (l *Log) open(name string) (*os.File, error) {
	if l.fd != none {
		fd, err := unix.Openat2(l.fd, name, &unix.OpenHow{
			Flags:   unix.O_RDWR | unix.O_APPEND | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
		})
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
	}
	return l.root.OpenFile(name, os.O_RDWR|os.O_APPEND, 0)
}
