//go:build unix

package workspace

import (
	"errors"
	"os"
	"syscall"
)

// readSmall reads a regular file of at most small bytes. It goes without
// package os, whose files join the poller: four more system calls. It never
// waits: a pipe under the name of a marker must not hold up the hook until its
// client lets the call through.
func readSmall(path string) ([]byte, error) {
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK | syscall.O_NOCTTY
	fd, err := again(func() (int, error) { return syscall.Open(path, flags, 0) })
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size > small {
		return nil, errNotFile
	}
	buf := make([]byte, st.Size+1)
	n := 0
	for n < len(buf) {
		m, err := again(func() (int, error) { return syscall.Read(fd, buf[n:]) })
		if err != nil {
			return nil, err
		}
		if m == 0 {
			return buf[:n], nil
		}
		n += m
	}
	return nil, errNotFile // it grew while it was read
}

// readNames reads up to limit names of a folder. It is errNotFolder when the
// folder above it is none.
func readNames(dir string, limit int) ([]string, error) {
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_DIRECTORY
	fd, err := again(func() (int, error) { return syscall.Open(dir, flags, 0) })
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, errNotFolder
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), dir)
	defer f.Close()
	names, err := f.Readdirnames(limit)
	if len(names) > 0 {
		err = nil
	}
	return names, err
}

// isLink says whether path is a symbolic link. It is errNotFolder when a
// component above is no folder.
func isLink(path string) (bool, error) {
	var st syscall.Stat_t
	_, err := again(func() (int, error) { return 0, syscall.Lstat(path, &st) })
	if errors.Is(err, syscall.ENOTDIR) {
		return false, errNotFolder
	}
	return err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFLNK, err
}

// again repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR {
			return n, err
		}
	}
}
