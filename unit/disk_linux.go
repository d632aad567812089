package unit

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

func lstat(name string) (Info, error) {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, name, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT,
		unix.STATX_TYPE|unix.STATX_MODE|unix.STATX_INO|unix.STATX_NLINK, &st)
	if err != nil {
		return Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return Info{
		Mode:      fileMode(uint32(st.Mode)),
		Dev:       unix.Mkdev(st.Dev_major, st.Dev_minor),
		Ino:       st.Ino,
		Links:     uint64(st.Nlink),
		MountRoot: st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0,
	}, nil
}

// mounts reads the mount table of this process.
func mounts() []Mount {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	var out []Mount
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		out = append(out, Mount{Dev: f[2], Root: unescape(f[3]), Point: unescape(f[4])})
	}
	return out
}

// unescape undoes the octal escapes that the mount table uses for white space
// and the backslash.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
