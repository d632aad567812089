package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Access is what a command may do with a place.
type Access uint8

// The kinds of access, each including those before it.
const (
	None Access = iota
	Read
	Write
)

// Kind says what lies at a place.
type Kind uint8

// The kinds of places.
const (
	Folder   Kind = iota
	File          // anything else
	TempDir       // where programs keep temporary files: the private folder is seen there
	GitDir        // a .git folder: hidden, with a hint in its stead
	GitFile       // a .git file of a linked worktree
	GitIndex      // an index of git: Layout.Indexes has what is to be seen in its stead
)

// Place is a path and what may be done at and below it. Of several places, the
// innermost decides.
type Place struct {
	Path   string
	Access Access
	Kind   Kind
}

// Layout is a policy, looked up on the disk: the places that the backends turn
// into mounts, rules or a profile.
type Layout struct {
	// Places are sorted, so that a folder comes before what is in it. The first
	// is "/", for reading.
	Places []Place
	// Sockets are path sockets of others that are reachable in Places.
	Sockets []string
	// Env is the command's environment: without what would lead outside, with the
	// private temp folder, and with caches that do not exist moved there.
	Env []string
	// Git says that a repository is hidden.
	Git bool
	// Indexes are the indexes of git that fit what is hidden, by path.
	Indexes map[string][]byte
	// Gaps are what does not hold whatever the backend.
	Gaps []Gap
	// SkippedFiles is how many plain files beside the units are left out, since
	// there are more than maxPlainFiles.
	SkippedFiles int

	at      map[string]Place
	gitOpen bool
}

// maxPlainFiles bounds the files in a folder of units that are bound back one
// by one: bubblewrap's time grows with the square of their number.
const maxPlainFiles = 256

// maxSockets bounds the sockets that are covered one by one.
const maxSockets = 64

// Lay looks a policy up on the disk for a command. Self is our own program, which
// the command must be able to run and not to change.
func Lay(argv []string, p Policy, self string) (*Layout, error) {
	if err := p.check(argv); err != nil {
		return nil, err
	}
	l := &Layout{at: map[string]Place{}, Env: scrub(p.Env)}
	l.put("/", Read)
	for _, dir := range tempPlaces() {
		l.at[dir] = Place{dir, None, TempDir}
	}
	l.put("/run", None)
	for _, path := range runPlaces() {
		l.put(path, Read)
	}
	l.workspace(p)
	l.caches(p.Temp)
	if err := l.units(p); err != nil {
		return nil, err
	}
	if !p.Git {
		if err := l.git(p); err != nil {
			return nil, err
		}
	}
	if !l.put(p.Temp, Write) {
		return nil, fmt.Errorf("%w: the temp folder %q does not exist", ErrPolicy, p.Temp)
	}
	l.protect(p)
	l.put(self, Read)
	if err := l.aliases(p); err != nil {
		return nil, err
	}
	if p.Git {
		// Only now is it known what is hidden.
		if err := l.git(p); err != nil {
			return nil, err
		}
	}
	l.pinAncestors()
	l.sockets(p)
	l.sort()
	if err := l.cwd(p.Cwd); err != nil {
		return nil, err
	}
	l.environ(p.Temp)
	return l, nil
}

// put sets the access of a path that exists; another is nobody's to reach.
func (l *Layout) put(path string, a Access) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return false
	}
	k := File
	if info.IsDir() {
		k = Folder
	}
	l.at[path] = Place{path, a, k}
	return true
}

func (l *Layout) workspace(p Policy) {
	a := Write
	if p.ReadOnly || p.SharedRead {
		a = Read
	}
	for _, root := range append([]string{p.Root}, p.Roots...) {
		l.put(root, a)
	}
}

func (l *Layout) units(p Policy) error {
	own := Write
	if p.ReadOnly {
		own = Read
	}
	for _, dir := range p.Parents {
		if !underAny(dir, p.Own) && l.put(dir, None) {
			if err := l.plainFiles(dir); err != nil {
				return err
			}
		}
	}
	for _, path := range p.Hidden {
		if !underAny(path, p.Own) {
			l.put(path, None)
		}
	}
	for _, path := range p.Reads {
		l.put(path, Read)
	}
	for _, path := range p.Own {
		if !l.put(path, own) && l.access(path) == None {
			return fmt.Errorf("%w: the own unit %q does not exist; what is written there would be lost", ErrPolicy, path)
		}
	}
	for _, path := range p.Writes {
		l.put(path, Write)
	}
	for _, path := range p.Records {
		l.put(path, None)
	}
	return nil
}

// plainFiles puts back the files of a folder of units, which are in no unit.
func (l *Layout) plainFiles(dir string) error {
	entries, err := readDir(dir)
	if err != nil {
		return fmt.Errorf("list units in %q: %w", dir, err)
	}
	a := l.access(filepath.Dir(dir))
	n := 0
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if n++; n > maxPlainFiles {
			l.SkippedFiles++
			continue
		}
		l.put(filepath.Join(dir, e.Name()), a)
	}
	return nil
}

// readDir lists a folder unsorted: there may be thousands of siblings.
func readDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	return entries, errors.Join(err, f.Close())
}

func (l *Layout) protect(p Policy) {
	for _, path := range p.Protected {
		if l.access(path) == Write {
			l.put(path, Read)
		}
	}
}

// access returns what may be done at a path: what the innermost place says.
func (l *Layout) access(path string) Access {
	return l.innermost(path).Access
}

func (l *Layout) innermost(path string) Place {
	for {
		if pl, ok := l.at[path]; ok {
			return pl
		}
		if path == "/" || path == "." {
			return Place{}
		}
		path = filepath.Dir(path)
	}
}

// Visible says whether a path can be reached.
func (l *Layout) Visible(path string) bool { return l.access(path) != None }

// pinAncestors makes places of the folders between a writable place and a
// lesser one in it. A folder that is a mount point cannot be renamed; were it
// renamed, the next command would hide a name at which nothing is.
func (l *Layout) pinAncestors() {
	for _, pl := range l.list() {
		if pl.Path == "/" || pl.Access == Write {
			continue
		}
		for dir := filepath.Dir(pl.Path); ; dir = filepath.Dir(dir) {
			if _, ok := l.at[dir]; ok || l.access(dir) != Write {
				break
			}
			l.put(dir, Write)
		}
	}
}

func (l *Layout) list() []Place {
	out := make([]Place, 0, len(l.at))
	for _, pl := range l.at {
		out = append(out, pl)
	}
	return out
}

func (l *Layout) sort() {
	l.Places = l.list()
	slices.SortFunc(l.Places, func(a, b Place) int {
		switch {
		case a.Path < b.Path:
			return -1
		case a.Path > b.Path:
			return 1
		}
		return 0
	})
}

func (l *Layout) cwd(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCwd, err)
	}
	if !info.IsDir() || !l.Visible(dir) {
		return fmt.Errorf("%q: %w", dir, ErrCwd)
	}
	return nil
}

// tempPlaces are where programs keep temporary files.
func tempPlaces() []string {
	dirs := []string{"/tmp", "/var/tmp"}
	if runtime.GOOS == "darwin" {
		dirs = []string{"/private/tmp", "/private/var/tmp"}
	}
	return slices.DeleteFunc(dirs, func(d string) bool {
		info, err := os.Lstat(d)
		return err != nil || !info.IsDir()
	})
}

// runPlaces are what ordinary programs need of /run: the resolver's file, and
// the programs of a system that keeps them there.
func runPlaces() []string {
	out := []string{"/run/current-system", "/run/opengl-driver"}
	if target, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && Under(target, "/run") {
		out = append(out, target)
	}
	return out
}
