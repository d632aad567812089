package main

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// machine says what the figures were measured on: nothing that names it.
func machine(dir string) (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", err
	}
	names := map[int64]string{
		unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs",
		unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
	}
	kind, ok := names[int64(st.Type)]
	if !ok {
		kind = fmt.Sprintf("file system %#x", st.Type)
	}
	return fmt.Sprintf("Linux %s, %s, %d cores, %s, %s", unix.ByteSliceToString(u.Release[:]), runtime.GOARCH,
		runtime.NumCPU(), kind, runtime.Version()), nil
}

// settle waits until what was written is on the disk.
func settle() { unix.Sync() }
