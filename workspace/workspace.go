// Package workspace finds the workspaces that a path belongs to, and the git
// checkouts in which a workspace's layout applies.
//
// It runs in the hook's process before every tool call, so it counts system
// calls: two for each folder on the way up, and none of them starts git.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

const (
	// Folder is the name of the folder that makes the folder above it a workspace.
	Folder = ".conduct"
	// Marker is the file in Folder that says that it is ours. Other programs keep
	// a folder of that name too, for instance in the home.
	Marker = "workspace.json"
	// Var is the environment variable that names a Folder outright.
	Var = "CONDUCT_DIR"
)

// small is the size in bytes above which a marker or a pointer of git is not read.
const small = 4 << 10

// maxDepth is how many linked worktrees a search follows one after another,
// maxHops how many in all: pointers that agents write may lead anywhere.
const (
	maxDepth = 8
	maxHops  = 256
)

var (
	// ErrNotOurs is returned when Options.Dir names no folder with our marker.
	ErrNotOurs = errors.New("no folder of conduct")
	// ErrNotAbsolute is returned for a start or a folder that is not absolute:
	// what it is relative to is the caller's to know.
	ErrNotAbsolute = errors.New("not an absolute path")
)

// Options narrows a search.
type Options struct {
	// Dir is the value of the variable Var: the one Folder to use, absolute; "" searches.
	Dir string
}

// Workspace is the tree below a folder that holds our marker.
type Workspace struct {
	// Root is the real path of the folder that holds Dir.
	Root string
	// Dir is the Folder itself.
	Dir string
	// ID is the id that the marker holds.
	ID string
	// Here is the folder that corresponds to Root in the linked worktree from
	// which Root was found, as a real path; "" when it was found by walking up.
	Here string
}

// Found is what a search has found.
type Found struct {
	// Workspaces are all that apply, the nearest first. The nearest never hides a
	// farther one: whoever may create a folder could otherwise lift the guard.
	Workspaces []Workspace
	// Missing are main checkouts that linked worktrees on the way point to and
	// that cannot be seen from here, as the pointers spell them.
	Missing []string
}

// NoneError says that no workspace was found.
type NoneError struct {
	// Start is where the search began.
	Start string
	// Missing is as in Found.
	Missing []string
}

// Error names the main checkout that is not here, if that is the reason.
func (e *NoneError) Error() string {
	if len(e.Missing) > 0 {
		return fmt.Sprintf("this is a linked worktree of %q, which is not visible here", e.Missing[0])
	}
	return fmt.Sprintf("no workspace at or above %q", e.Start)
}

// Find collects the workspaces of start: an absolute path which need not
// exist. It looks in every folder from start up to the root of the file system,
// both as start is spelt and where its links lead, and goes on from the same
// place in the main checkout where it passes the top of a linked worktree.
//
// Finding nothing is no error. Options.Dir may be ErrNotAbsolute or ErrNotOurs.
// ErrTooMany says that so many linked worktrees lie on the way that not all
// were followed; then there may be more workspaces than those returned.
func Find(start string, opts Options) (Found, error) { return FindAll([]string{start}, opts) }

// FindAll is Find for several starts, which share what they have above them:
// the folder of a call and the paths that it names mostly lie close together.
// Of workspaces that do not lie in each other, those of earlier starts come first.
func FindAll(starts []string, opts Options) (Found, error) {
	if opts.Dir != "" {
		return named(opts.Dir)
	}
	var s search
	for _, start := range starts {
		if !filepath.IsAbs(start) {
			return Found{}, fmt.Errorf("%q: %w", start, ErrNotAbsolute)
		}
		s.walk(s.realAncestor(start), walk{real: true})
		s.walk(filepath.Clean(start), walk{})
	}
	for i := 0; i < len(s.hops); i++ {
		s.walk(s.hops[i].from, walk{hop: s.hops[i]})
	}
	return s.found, s.err
}

// named is the search with Options.Dir.
func named(dir string) (Found, error) {
	if !filepath.IsAbs(dir) {
		return Found{}, fmt.Errorf("%q: %w", dir, ErrNotAbsolute)
	}
	id, ok := marker(dir)
	if !ok {
		return Found{}, fmt.Errorf("%q: %w: it has no %s", dir, ErrNotOurs, Marker)
	}
	clean := filepath.Clean(dir)
	root, err := realPath(filepath.Dir(clean))
	if err != nil {
		return Found{}, fmt.Errorf("%q: %w", dir, err)
	}
	ws := Workspace{Root: root, Dir: filepath.Join(root, filepath.Base(clean)), ID: id}
	return Found{Workspaces: []Workspace{ws}}, nil
}

// First returns the nearest workspace, or a *NoneError about start.
func (f Found) First(start string) (Workspace, error) {
	if len(f.Workspaces) == 0 {
		return Workspace{}, &NoneError{Start: start, Missing: f.Missing}
	}
	return f.Workspaces[0], nil
}

// search is one run of Find.
type search struct {
	plain []string // paths of which no component is a link
	found Found
	seen  []string // folders that were looked into
	tops  []pair   // linked worktrees that were passed
	hops  []hop    // where to go on
	err   error
}

// pair is a linked worktree and its main checkout, by their tops.
type pair struct{ top, main string }

// hop leads from a linked worktree to its main checkout.
type hop struct {
	pair
	from  string // the folder in the main checkout that corresponds to the start
	depth int    // how many hops led here
}

// walk says what is known of the folders of one way up.
type walk struct {
	real bool // they are real paths
	hop       // how they were come by
}

// walk looks into from and every folder above it. Above a folder that was
// looked into all were.
func (s *search) walk(from string, w walk) {
	for dir := from; ; dir = filepath.Dir(dir) {
		if !slices.Contains(s.seen, dir) {
			s.seen = append(s.seen, dir)
			s.look(dir, w)
		} else if w.depth == 0 {
			break
		} else {
			s.know(dir, w)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if w.depth < maxDepth {
		s.follow(from, w.depth+1)
	}
}

// follow notes where the search goes on from each linked worktree above from.
func (s *search) follow(from string, depth int) {
	for _, p := range s.tops {
		if !within(p.top, from) {
			continue
		}
		to := filepath.Join(p.main, relative(p.top, from))
		switch {
		case slices.ContainsFunc(s.hops, func(h hop) bool { return h.pair == p && h.from == to }):
		case len(s.hops) == maxHops:
			s.err = fmt.Errorf("%q: %w: more than %d to follow", from, ErrTooMany, maxHops)
			return
		default:
			s.hops = append(s.hops, hop{pair: p, from: to, depth: depth})
		}
	}
}

// look looks into one folder.
func (s *search) look(dir string, w walk) {
	if id, ok := marker(join(dir, Folder)); ok {
		s.add(dir, id, w)
	}
	p, ok := readPointer(dir)
	if !ok {
		return
	}
	if p.missing != "" {
		if !slices.Contains(s.found.Missing, p.missing) {
			s.found.Missing = append(s.found.Missing, p.missing)
		}
		return
	}
	if main := mainCheckout(p.common); main != "" && main != dir {
		s.tops = append(s.tops, pair{top: dir, main: main})
	}
}

// add notes the workspace whose folder is dir. One folder under two names is
// one workspace; what is compared is the folder above Folder, since a link to
// the true Folder from a nearer place must not stand for it.
func (s *search) add(dir, id string, w walk) {
	root := dir
	if !w.real {
		var err error
		if root, err = realPath(dir); err != nil {
			return
		}
	}
	for _, have := range s.found.Workspaces {
		if have.Root == root || sameFolder(have.Root, root) {
			return
		}
	}
	// The two readings of a start interleave: keep an inner one before its outer.
	at := slices.IndexFunc(s.found.Workspaces, func(have Workspace) bool { return within(have.Root, root) })
	if at < 0 {
		at = len(s.found.Workspaces)
	}
	s.found.Workspaces = slices.Insert(s.found.Workspaces, at, Workspace{Root: root, Dir: join(root, Folder), ID: id})
	s.know(root, w)
}

// know sets Here of the workspace whose root is dir, if it is one and the way
// came from a linked worktree that holds the same folder.
func (s *search) know(dir string, w walk) {
	if w.depth == 0 || !within(w.main, dir) {
		return
	}
	for i := range s.found.Workspaces {
		ws := &s.found.Workspaces[i]
		if ws.Root != dir || ws.Here != "" {
			continue
		}
		if here, err := realPath(filepath.Join(w.top, relative(w.main, dir))); err == nil {
			ws.Here = here
		}
	}
}

// marker reads the id of a Folder; false when it is not ours. What cannot be
// read is not ours either: another user's workspace must not block this one.
func marker(dir string) (id string, ours bool) {
	data, err := readSmall(join(dir, Marker))
	if err != nil {
		return "", false
	}
	schema := false
	r := wire.NewReader(data)
	err = r.Object(func(name string) error {
		var err error
		switch name {
		case "schema":
			_, err = r.Int()
			schema = true
		case "id":
			id, err = r.String()
		default:
			err = r.Skip()
		}
		return err
	})
	if err != nil || r.End() != nil || !schema || id == "" {
		return "", false
	}
	return id, true
}

// realAncestor is the real path of the longest part of path that exists. The
// text is shortened as it stands: cleaning it would turn "link/.." into nothing.
func (s *search) realAncestor(path string) string {
	if at, ok := s.straight(path); ok {
		return at
	}
	for {
		if real, err := realPath(path); err == nil {
			return real
		}
		up := above(path)
		if up == path {
			return filepath.Clean(path)
		}
		path = up
	}
}

// straight is realAncestor for a clean path on which no link lies, as nearly
// all are: a look at each component costs less than asking the kernel for the
// path of a file, and starts share most of theirs.
func (s *search) straight(path string) (string, bool) {
	if path != filepath.Clean(path) {
		return "", false
	}
	end := len(filepath.VolumeName(path)) + 1
	for _, p := range s.plain {
		if len(p) > end && within(p, path) {
			end = len(p)
		}
	}
	for end < len(path) {
		next := end
		if !isSeparator(path[end-1]) {
			next++ // end is at a separator
		}
		for next < len(path) && !isSeparator(path[next]) {
			next++
		}
		switch linked, err := isLink(path[:next]); {
		case linked:
			return "", false
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotFolder):
			return "", false
		case err != nil:
			s.plain = append(s.plain, path[:end])
			return path[:end], true
		}
		end = next
	}
	s.plain = append(s.plain, path)
	return path, true
}

// above takes the last component off a path, whatever it is.
func above(path string) string {
	root := len(filepath.VolumeName(path)) + 1
	isSep := func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) }
	rest := strings.TrimRightFunc(path[root:], isSep)
	rest = rest[:strings.LastIndexFunc(rest, isSep)+1]
	return path[:root] + strings.TrimRightFunc(rest, isSep)
}

// join joins a clean folder and a name without cleaning again.
func join(dir, name string) string {
	if isSeparator(dir[len(dir)-1]) {
		return dir + name
	}
	return dir + string(filepath.Separator) + name
}

// within says whether path is dir or below it; both are clean.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, join(dir, ""))
}

// relative is path as seen from dir, which it is within.
func relative(dir, path string) string {
	return strings.TrimPrefix(path[len(dir):], string(filepath.Separator))
}
