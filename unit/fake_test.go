package unit_test

import (
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/seed6310be5c/conduct/unit"
)

// tree is a file system of a test: a path to what is there. A folder is "", a link
// begins with "->", anything else is a file.
type tree map[string]string

// fake makes a file system of a tree; parents need not be named.
type fake struct {
	nodes  map[string]string
	inodes map[string]uint64
	points map[string]bool
	table  []unit.Mount
	// fold makes names in another case the same.
	fold bool
	// shut are folders that may not be entered.
	shut map[string]bool
}

func newFake(t tree) *fake {
	f := &fake{nodes: map[string]string{"/": ""}, inodes: map[string]uint64{}, points: map[string]bool{}, shut: map[string]bool{}}
	for name, what := range t {
		for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
			if _, ok := t[dir]; !ok {
				f.nodes[dir] = ""
			}
		}
		f.nodes[name] = what
	}
	n := uint64(1)
	for name := range f.nodes {
		n++
		f.inodes[name] = n
	}
	return f
}

func (f *fake) find(name string) (string, bool) {
	if what, ok := f.nodes[name]; ok {
		return what, ok
	}
	if f.fold {
		for n, what := range f.nodes {
			if strings.EqualFold(n, name) {
				return what, true
			}
		}
	}
	return "", false
}

func (f *fake) inode(name string) uint64 {
	for n, i := range f.inodes {
		if n == name || f.fold && strings.EqualFold(n, name) {
			return i
		}
	}
	return 0
}

func (f *fake) Lstat(name string) (unit.Info, error) {
	bad := func(err error) (unit.Info, error) {
		return unit.Info{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		switch what, ok := f.find(dir); {
		case !ok:
			return bad(syscall.ENOENT)
		case what != "" && !strings.HasPrefix(what, "->"):
			return bad(syscall.ENOTDIR)
		case f.shut[dir]:
			return bad(syscall.EACCES)
		}
	}
	what, ok := f.find(name)
	if !ok {
		return bad(syscall.ENOENT)
	}
	info := unit.Info{Mode: 0o644, Dev: 1, Ino: f.inode(name), Links: 1, MountRoot: f.points[name]}
	switch {
	case what == "":
		info.Mode = fs.ModeDir | 0o755
	case strings.HasPrefix(what, "->"):
		info.Mode = fs.ModeSymlink | 0o777
	}
	return info, nil
}

func (f *fake) Readlink(name string) (string, error) {
	to, ok := strings.CutPrefix(f.nodes[name], "->")
	if !ok {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: syscall.EINVAL}
	}
	return to, nil
}

func (f *fake) ReadDir(name string, _ int) ([]unit.Dirent, error) {
	pl, err := unit.Resolve(f, name)
	if err != nil || !pl.Info.Mode.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	name = pl.Real.String()
	var out []unit.Dirent
	for n := range f.nodes {
		if n != "/" && path.Dir(n) == name {
			info, err := f.Lstat(n)
			if err != nil {
				return nil, err
			}
			out = append(out, unit.Dirent{Name: path.Base(n), Type: info.Mode.Type()})
		}
	}
	return out, nil
}

func (f *fake) ReadFile(name string, _ int) ([]byte, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (f *fake) Mounts() []unit.Mount { return f.table }

func split(p string) unit.Path { return unit.Split(p) }

func strs(ps []unit.Path) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.String())
	}
	return out
}
