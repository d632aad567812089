//go:build linux

package guard_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/unit"
)

// How many command lines are tried and from which seed, where they are set.
const (
	linesVariable = "CONDUCT_SHELL_LINES"
	seedVariable  = "CONDUCT_SHELL_SEED"
)

// TestCommandLinesAgainstTheShell holds the guard's reading of command lines
// against a real bash: random lines from a grammar are judged, and then run in a
// small workspace whose siblings the kernel watches. A line that passes may touch
// nothing of a sibling. A refusal is false when the line touches nothing, has no
// path that leads to a sibling, and is no riddle to the guard: of all lines, at
// most one in fifty.
func TestCommandLinesAgainstTheShell(t *testing.T) {
	n, seed := number(t, linesVariable, cases), number(t, seedVariable, int(time.Now().UnixNano()&0xffffffff))
	t.Logf("%s=%d %s=%d", seedVariable, seed, linesVariable, n)
	d := newDiff(t)
	var touching, passing, opaque, idle int
	var refused []string
	for i := range n {
		g := &lineGrammar{Rand: rand.New(rand.NewPCG(uint64(seed), uint64(i))), top: d.w.root}
		cwd := g.pick(d.w.root+"/"+own, d.w.root+"/"+own, d.w.root+"/"+own, d.w.root, d.w.root+"/docs", d.w.root+"/"+own+"/sub")
		line := g.line(cwd, 2)
		d.build()
		call := d.w.shell(line)
		call.Cwd = cwd
		out := guard.Decide(d.w.input(call))
		touched := d.run(cwd, line)
		where := fmt.Sprintf("case %d in %s (%s):\n%s\n%s", i, strings.TrimPrefix(cwd, d.w.root), out.Code, line, touched)
		if touched != "" {
			touching++
		}
		switch {
		case out.Allowed():
			passing++
			require.Empty(t, touched, "an allowed line touched a sibling: %s\n%s=%d", where, seedVariable, seed)
		case out.Code == guard.OpaqueCommand:
			opaque++
		case touched == "" && g.meant:
			idle++
		case touched == "":
			refused = append(refused, where)
		}
	}
	t.Logf("%d lines: %d touch a sibling, %d pass, %d are opaque, %d are refused for a part that did not run, %d falsely",
		n, touching, passing, opaque, idle, len(refused))
	for _, r := range refused[:min(len(refused), 20)] {
		t.Log(r)
	}
	require.LessOrEqual(t, len(refused)*50, n, "refused falsely")
	require.GreaterOrEqual(t, touching*100, n*20, "too few lines touch a sibling to say anything")
	require.GreaterOrEqual(t, passing*100, n*30, "a guard that blocks everything would pass")
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	v := os.Getenv(variable)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	require.NoError(t, err, variable)
	return n
}

// diff is the workspace that lines run in, made anew for each.
type diff struct {
	t   *testing.T
	w   *world
	top string
	fd  int // of inotify, -1 when nothing is watched
}

// diffTree is what the workspace holds. A path that ends with "/" is a folder;
// what is after "->" is a link's target.
var diffTree = []string{
	".conduct/workspace.json",
	own + "/design.md", own + "/notes.md", own + "/sub/a.txt", own + "/sub/b.txt",
	own + "/in -> sub", own + "/over -> ../U04", own + "/up -> ..",
	sib + "/design.md", sib + "/notes.md", sib + "/sub/a.txt", sib + "/" + canaryName + ".txt",
	"construction/units/U05/design.md",
	"docs/guide.md", "docs/api/index.md", "docs/over -> ../construction/units/U04", "src/main.go", "README.md",
}

func newDiff(t *testing.T) *diff {
	t.Helper()
	top, err := os.MkdirTemp(memory(t), "conduct-lines-")
	require.NoError(t, err)
	top, err = filepath.EvalSymlinks(top)
	require.NoError(t, err)
	w := newWorld(t, "construction/units/{unit}", nil, nil)
	// Deep enough that no line climbs out.
	d := &diff{t: t, w: w, top: top, fd: -1}
	w.root, w.home = top+"/a/b/c/ws", top+"/a/b/c/home"
	require.NoError(t, os.MkdirAll(w.home, 0o755))
	t.Cleanup(func() {
		d.unwatch()
		require.NoError(t, os.RemoveAll(top))
	})
	d.build()
	w.set.Root = unit.Split(w.root)
	w.roots = unit.Roots{w.set.Root}
	got := w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueBlock })
	require.NoError(t, w.book.Bind(dispatch.AgentKey("test", "a1", ""), 0, got.ID, 0))
	return d
}

// build makes the tree as it was, and watches its siblings.
func (d *diff) build() {
	d.unwatch()
	require.NoError(d.t, os.RemoveAll(d.top+"/a"))
	require.NoError(d.t, os.MkdirAll(d.w.home, 0o755))
	for _, f := range diffTree {
		name, to, link := strings.Cut(f, " -> ")
		p := d.w.root + "/" + name
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
func (d *diff) watch() {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	require.NoError(d.t, err)
	d.fd = fd
	units := d.w.root + "/construction/units"
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
	for _, dir := range []string{units, filepath.Dir(units), d.w.root, d.w.root + "/.conduct"} {
		d.note(dir, unix.IN_MOVE_SELF|unix.IN_DELETE_SELF)
	}
	d.events() // our own
}

func (d *diff) note(path string, mask uint32) {
	_, err := unix.InotifyAddWatch(d.fd, path, mask)
	require.NoError(d.t, err)
}

func (d *diff) unwatch() {
	if d.fd >= 0 {
		require.NoError(d.t, unix.Close(d.fd))
		d.fd = -1
	}
}

// events says what was noted since it was last asked, "" for nothing.
func (d *diff) events() string {
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
			if mask&unix.IN_IGNORED == 0 {
				fmt.Fprintf(&out, "%#x %s; ", mask, bytes.TrimRight(name, "\x00"))
			}
			rest = rest[unix.SizeofInotifyEvent+size:]
		}
	}
}

// patience is how long a line may run.
const patience = 20 * time.Second

// run runs a line and says what of a sibling it touched or showed.
func (d *diff) run(cwd, line string) string {
	d.watch()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir, cmd.WaitDelay = cwd, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.w.home, "TMPDIR=" + d.w.home, "LC_ALL=C", "PWD=" + cwd}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		require.NoError(d.t, err, line)
	}
	require.NoError(d.t, ctx.Err(), line)
	seen := d.events()
	for _, c := range []string{canary, canaryName} {
		if strings.Contains(out.String(), c) {
			seen += "shows " + c
		}
	}
	return seen
}
