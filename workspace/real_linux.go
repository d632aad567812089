package workspace

import (
	"path/filepath"
	"strconv"
	"syscall"
)

// oPath is O_PATH, which package syscall does not name: open(2).
const oPath = 0x200000

// realPath is the path of an existing file without links. The kernel knows it:
// three system calls instead of one for each component.
func realPath(path string) (string, error) {
	fd, err := again(func() (int, error) { return syscall.Open(path, oPath|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	// Most paths are short, and a larger array would make the stack grow.
	var buf [512]byte
	n, err := syscall.Readlink("/proc/self/fd/"+strconv.Itoa(fd), buf[:])
	if err != nil || n == len(buf) || n == 0 || buf[0] != '/' {
		return filepath.EvalSymlinks(path) // no /proc here, a longer path, or a place that has none
	}
	return string(buf[:n]), nil
}
