// Package bwrap confines commands with bubblewrap: in a mount namespace in which
// what is hidden has something empty mounted over it.
package bwrap

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed6310be5c/conduct/sandbox"
)

// Backend runs bubblewrap. Make it with New.
type Backend struct {
	bwrap, self string
	root        bool
	abi         int
	err         error
}

// programs are where bubblewrap may be. PATH is not asked: it is the agent's.
var programs = [...]string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap", "/bin/bwrap"}

// New finds bubblewrap. Self is the real path of the program that calls
// sandbox.Init. Where it is not installed, Confine and Probe say so.
func New(self string) *Backend {
	b := &Backend{self: self, root: os.Geteuid() == 0, abi: sandbox.LandlockABI()}
	for _, name := range programs {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			b.bwrap = name
			return b
		}
	}
	b.err = fmt.Errorf("%w: bwrap is not installed", sandbox.ErrUnavailable)
	return b
}

// Name implements sandbox.Backend.
func (b *Backend) Name() string { return "bwrap" }

// Key implements sandbox.Backend.
func (b *Backend) Key() string {
	if b.err != nil {
		return ""
	}
	return sandbox.FileKey(b.bwrap) + "\n" + sandbox.FileKey(b.self)
}

// keptCaps are what root keeps; none of them reaches around a mount.
var keptCaps = [...]string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID",
	"CAP_NET_BIND_SERVICE", "CAP_NET_RAW",
}

// settings reach the kernel itself, and root can write them whatever its
// capabilities. Bubblewrap covers the other such parts of a new /proc by itself.
const settings = "/proc/sys"

// abiScopes is the version of Landlock from which on abstract sockets can be closed.
const abiScopes = 6

// Confine implements sandbox.Backend.
func (b *Backend) Confine(argv []string, p sandbox.Policy) (sandbox.Plan, sandbox.Report, error) {
	report := sandbox.NewReport(b.Name())
	if b.err != nil {
		return sandbox.Plan{}, report, b.err
	}
	l, err := sandbox.Lay(argv, p, b.self)
	if err != nil {
		return sandbox.Plan{}, report, err
	}
	a := &args{temp: p.Temp}
	a.base(b.root, p.NoNetwork)
	a.places(l)
	plan := sandbox.Plan{
		Argv:   []string{b.bwrap, "--args", "5", "--", b.self, sandbox.InitArg},
		Inputs: append([][]byte{a.list.Bytes()}, a.data...),
		Setup:  sandbox.Setup{Argv: argv, Env: l.Env, Dir: p.Cwd, Scopes: true},
	}
	return plan, b.report(report, l, p), nil
}

func (b *Backend) report(r sandbox.Report, l *sandbox.Layout, p sandbox.Policy) sandbox.Report {
	r.Partial = append(r.Partial, l.Gaps...)
	if b.abi < abiScopes && !p.NoNetwork {
		r.Partial = append(r.Partial, sandbox.Gap{
			Property: sandbox.AbstractSocket,
			Why:      fmt.Sprintf("this kernel has Landlock version %d; %d can close them", b.abi, abiScopes),
		})
	}
	return r
}

// args are bubblewrap's arguments, in the order in which it carries them out.
type args struct {
	list bytes.Buffer
	data [][]byte
	temp string
}

// firstData is the descriptor of the first input after the arguments.
const firstData = 6

func (a *args) add(words ...string) {
	for _, w := range words {
		a.list.WriteString(w)
		a.list.WriteByte(0)
	}
}

// input adds an option that takes a descriptor with some text in it.
func (a *args) input(option, text, path string) {
	a.add(option, strconv.Itoa(firstData+len(a.data)), path)
	a.data = append(a.data, []byte(text))
}

func (a *args) base(root, noNetwork bool) {
	a.add("--unshare-pid", "--unshare-ipc", "--as-pid-1")
	if noNetwork {
		a.add("--unshare-net")
	}
	if root {
		a.add("--cap-drop", "ALL")
		for _, c := range keptCaps {
			a.add("--cap-add", c)
		}
	}
	a.add("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	a.add("--ro-bind", settings, settings)
}

// places mounts what the layout says, each folder before what is in it.
func (a *args) places(l *sandbox.Layout) {
	var masks []string
	for _, pl := range l.Places {
		if pl.Path == "/" {
			continue
		}
		switch {
		case pl.Kind == sandbox.GitIndex:
			a.input("--ro-bind-data", string(l.Indexes[pl.Path]), pl.Path)
		case pl.Access == sandbox.Write:
			a.add("--bind", pl.Path, pl.Path)
		case pl.Access == sandbox.Read:
			a.add("--ro-bind", pl.Path, pl.Path)
		case pl.Kind == sandbox.TempDir:
			a.add("--bind", a.temp, pl.Path)
		case pl.Kind == sandbox.GitFile:
			a.input("--ro-bind-data", "gitdir: "+gitHint+"\n", pl.Path)
		case pl.Kind == sandbox.File:
			a.add("--ro-bind", "/dev/null", pl.Path)
		default:
			a.add("--perms", "0755", "--tmpfs", pl.Path)
			masks = append(masks, pl.Path)
			if pl.Kind == sandbox.GitDir {
				a.emptyGit(pl.Path)
			}
		}
	}
	for _, path := range l.Sockets {
		a.add("--ro-bind", "/dev/null", path)
	}
	// A file made in a mask would be lost with it: better that it cannot be made.
	for _, path := range masks {
		a.add("--remount-ro", path)
	}
}

// gitHint is what git says about a linked worktree: "not a git repository: …".
const gitHint = "git is hidden in a confined command: run git on its own, as a command of its own"

// gitExtension says the same as the name of an extension that git does not know,
// which it quotes. Were there nothing at all, git would go on to a repository above.
const gitExtension = "git-is-hidden-in-a-confined-command--run-git-as-a-command-of-its-own"

// emptyGit makes a mask look like a repository of a format that git refuses.
func (a *args) emptyGit(path string) {
	a.add("--dir", filepath.Join(path, "objects"), "--dir", filepath.Join(path, "refs"))
	a.add("--symlink", "refs/heads/hidden", filepath.Join(path, "HEAD"))
	a.input("--file", "[core]\n\trepositoryformatversion = 1\n[extensions]\n\t"+gitExtension+" = true\n", filepath.Join(path, "config"))
}

// Denied implements sandbox.Backend. A read-only mount has words of its own; a
// hidden file is merely not there, which many commands say of their own accord.
func (b *Backend) Denied(stderr []byte, _ sandbox.Policy) bool {
	for _, words := range []string{"Read-only file system", "read-only file system", "EROFS", gitExtension, gitHint} {
		if bytes.Contains(stderr, []byte(words)) {
			return true
		}
	}
	return false
}
