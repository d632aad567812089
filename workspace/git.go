package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxWorktrees is how many linked worktrees of one repository Roots reads.
const maxWorktrees = 1000

// ErrTooMany is returned beside a result that is not whole, since there are
// more linked worktrees than are followed.
var ErrTooMany = errors.New("too many linked worktrees")

// Roots returns the real paths of the folders in which the layout of ws applies: its root first,
// then the folder that corresponds to it in every other checkout of the same
// repository that exists here. Every repository above the root counts, since
// a stray .git in between would otherwise hide the true one.
//
// With more than 1,000 linked worktrees of one repository the first ones are
// returned together with ErrTooMany: some checkouts are then not known.
func Roots(ws Workspace) ([]string, error) {
	r := rooter{roots: []string{ws.Root}}
	if ws.Here != "" {
		r.add(ws.Here, "")
	}
	for top := ws.Root; ; top = filepath.Dir(top) {
		r.repository(top, relative(top, ws.Root))
		if top == filepath.Dir(top) {
			return r.roots, r.err
		}
	}
}

// rooter is one run of Roots.
type rooter struct {
	roots []string
	err   error
}

// repository adds the checkouts of the repository whose checkout top is, if it
// is one. Opening .git/worktrees tells all cases apart in one system call.
func (r *rooter) repository(top, rel string) {
	common := join(top, ".git")
	names, err := r.worktrees(common)
	if errors.Is(err, errNotFolder) {
		p, ok := readPointer(top)
		if !ok || p.missing != "" {
			return
		}
		common = p.common
		if main := mainCheckout(common); main != "" {
			r.add(main, rel)
		}
		names, err = r.worktrees(common)
	}
	if err != nil {
		return
	}
	for _, name := range names {
		admin := filepath.Join(common, "worktrees", name)
		data, err := readSmall(join(admin, "gitdir"))
		if err != nil {
			continue
		}
		if link := line(data); link != "" {
			r.add(filepath.Dir(absolute(admin, link)), rel)
		}
	}
}

// worktrees lists the names of a repository's linked worktrees.
func (r *rooter) worktrees(common string) ([]string, error) {
	names, err := readNames(filepath.Join(common, "worktrees"), maxWorktrees+1)
	if len(names) > maxWorktrees {
		names = names[:maxWorktrees]
		r.err = fmt.Errorf("%q: %w: more than %d", common, ErrTooMany, maxWorktrees)
	}
	return names, err
}

// add notes the folder rel of the checkout top, when it is there.
func (r *rooter) add(top, rel string) {
	path, err := realPath(filepath.Join(top, rel))
	if err == nil && !slices.Contains(r.roots, path) {
		r.roots = append(r.roots, path)
	}
}

// pointer is what a .git file says.
type pointer struct {
	common  string // the repository's own folder, "" when it is missing
	missing string // the main checkout that is not here
}

// readPointer reads dir's .git if that is a file, as it is at the top of a
// linked worktree, of a submodule and of a checkout whose repository lies
// elsewhere. Only the first has a commondir.
func readPointer(dir string) (pointer, bool) {
	data, err := readSmall(join(dir, ".git"))
	if err != nil {
		return pointer{}, false
	}
	text, ok := strings.CutPrefix(line(data), "gitdir:")
	if text = strings.TrimSpace(text); !ok || text == "" {
		return pointer{}, false
	}
	gitdir := absolute(dir, text)
	if data, err := readSmall(join(gitdir, "commondir")); err == nil {
		return pointer{common: absolute(gitdir, line(data))}, true
	}
	if _, err := os.Lstat(gitdir); !errors.Is(err, fs.ErrNotExist) {
		return pointer{common: gitdir}, true
	}
	common, name := filepath.Split(gitdir)
	if common = filepath.Clean(common); name == "" || filepath.Base(common) != "worktrees" {
		return pointer{}, false
	}
	common = filepath.Dir(common)
	if main := mainCheckout(common); main != "" {
		return pointer{missing: main}, true
	}
	return pointer{missing: common}, true
}

// mainCheckout is the main checkout of a repository, "" for a bare one and a submodule's.
func mainCheckout(common string) string {
	if filepath.Base(common) != ".git" {
		return ""
	}
	return filepath.Dir(common)
}

// line is the first line of a file that git wrote.
func line(data []byte) string {
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(first, "\r")
}

// absolute resolves what git wrote into a file of dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
