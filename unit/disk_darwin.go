package unit

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

func lstat(name string) (Info, error) {
	var st unix.Stat_t
	if err := unix.Lstat(name, &st); err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return Info{Mode: fileMode(uint32(st.Mode)), Dev: uint64(st.Dev), Ino: st.Ino, Links: uint64(st.Nlink)}, nil
}

// mounts knows nothing: this system has no bind mounts.
func mounts() []Mount { return nil }
