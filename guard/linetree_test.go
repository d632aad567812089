//go:build linux

package guard_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// lineTree is the workspace that lines run in, made anew for each.
type lineTree struct {
	t               *testing.T
	top, root, home string
	fd              int    // of inotify, -1 when nothing is watched
	ignored         uint32 // events that say nothing here
	contents        bool   // names may be seen, contents may not
}

// diffTree is what the workspace holds. A path that ends with "/" is a folder;
// what is after "->" is a link's target.
var diffTree = []string{
	own + "/design.md", own + "/notes.md", own + "/sub/a.txt", own + "/sub/b.txt",
	own + "/in -> sub", own + "/over -> ../U04", own + "/up -> ..",
	sib + "/design.md", sib + "/notes.md", sib + "/sub/a.txt", sib + "/" + canaryName + ".txt",
	"construction/units/U05/design.md",
	"docs/guide.md", "docs/api/index.md", "docs/over -> ../construction/units/U04", "src/main.go", "README.md",
}

func newLineTree(t *testing.T, in string) *lineTree {
	t.Helper()
	top, err := os.MkdirTemp(in, "conduct-lines-")
	require.NoError(t, err)
	top, err = filepath.EvalSymlinks(top)
	require.NoError(t, err)
	// Deep enough that no line climbs out.
	d := &lineTree{t: t, top: top, root: top + "/a/b/c/ws", home: top + "/a/b/c/home", fd: -1}
	t.Cleanup(func() {
		d.unwatch()
		require.NoError(t, os.RemoveAll(top))
	})
	d.build()
	return d
}

// build makes the tree as it was, and watches its siblings.
func (d *lineTree) build() {
	d.unwatch()
	for _, dir := range []string{d.root, d.home} {
		require.NoError(d.t, os.MkdirAll(dir, 0o755))
		entries, err := os.ReadDir(dir)
		require.NoError(d.t, err)
		for _, e := range entries {
			if e.Name() != ".conduct" {
				require.NoError(d.t, os.RemoveAll(filepath.Join(dir, e.Name())))
			}
		}
	}
	for _, f := range diffTree {
		name, to, link := strings.Cut(f, " -> ")
		p := d.root + "/" + name
		require.NoError(d.t, os.MkdirAll(filepath.Dir(p), 0o755))
		if link {
			require.NoError(d.t, os.Symlink(to, p))
			continue
		}
		text := "TODO of " + name + "\n"
		if strings.Contains(name, "U04") || strings.Contains(name, "U05") {
			text = "TODO " + canary + "\n"
		}
		require.NoError(d.t, os.WriteFile(p, []byte(text), 0o644))
	}
}

// watch has the kernel note each use of a sibling. What is only looked at, and not
// opened, it does not note.
func (d *lineTree) watch() {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(d.t, err)
	d.fd = fd
	units := d.root + "/construction/units"
	for _, dir := range []string{units + "/U04", units + "/U04/sub", units + "/U05"} {
		d.note(dir, unix.IN_ALL_EVENTS&^unix.IN_CLOSE)
		entries, err := os.ReadDir(dir)
		require.NoError(d.t, err)
		for _, e := range entries {
			if e.Type().IsRegular() {
				d.note(dir+"/"+e.Name(), unix.IN_ATTRIB) // a second name
			}
		}
	}
	for _, dir := range []string{units, filepath.Dir(units), d.root, d.root + "/.conduct"} {
		d.note(dir, unix.IN_MOVE_SELF|unix.IN_DELETE_SELF)
	}
	d.events() // our own
}

func (d *lineTree) note(path string, mask uint32) {
	_, err := unix.InotifyAddWatch(d.fd, path, mask)
	require.NoError(d.t, err)
}

func (d *lineTree) unwatch() {
	if d.fd >= 0 {
		require.NoError(d.t, unix.Close(d.fd))
		d.fd = -1
	}
}

// means says whether an event is one of those that must not be.
func (d *lineTree) means(mask uint32) bool {
	names := mask&unix.IN_ISDIR != 0 && mask&(unix.IN_OPEN|unix.IN_ACCESS) != 0
	return mask&^d.ignored&unix.IN_ALL_EVENTS != 0 && !(d.contents && names)
}

// events says what was noted since it was last asked, "" for nothing.
func (d *lineTree) events() string {
	var out strings.Builder
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(d.fd, buf)
		if errors.Is(err, unix.EAGAIN) {
			return out.String()
		}
		require.NoError(d.t, err)
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			mask, size := binary.NativeEndian.Uint32(rest[4:]), binary.NativeEndian.Uint32(rest[12:])
			name := rest[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+size]
			if mask&unix.IN_IGNORED == 0 && d.means(mask) {
				fmt.Fprintf(&out, "%#x %s; ", mask, bytes.TrimRight(name, "\x00"))
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}

// patience is how long a line may run.
const patience = 20 * time.Second

// run runs a program for a line, and says what of a sibling was touched or shown.
func (d *lineTree) run(cwd, line string, argv ...string) string {
	d.watch()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = cwd, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "TMPDIR=" + d.home, "LC_ALL=C", "PWD=" + cwd}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		require.NoError(d.t, err, line)
	}
	require.NoError(d.t, ctx.Err(), line)
	seen := d.events()
	for _, c := range []string{canary, canaryName} {
		if strings.Contains(out.String(), c) && (c == canary || !d.contents) {
			seen += "shows " + c
		}
	}
	return seen
}
