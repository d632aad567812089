package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/unit"
)

// Settings remembers which settings of agent programs and of git are not there when a
// command begins. A sandbox can hold those that are, but not a name that does not
// exist: what a command makes of one is set aside when it has ended.
type Settings struct {
	missing []missing
	links   map[string]bool
}

// looks remembers what lies where: many settings lie in one folder, which is
// mostly not there.
type looks map[string]look

type look struct {
	link bool
	err  error
}

// isLink says whether there is a link. The error is that of Lstat.
func (l looks) isLink(path string) (bool, error) {
	got, ok := l[path]
	if !ok {
		got.link, got.err = isLink(path)
		l[path] = got
	}
	return got.link, got.err
}

// isLink is os.Lstat without all that is not needed of it: there are hundreds of names.
func isLink(path string) (bool, error) {
	var st unix.Stat_t
	for {
		if err := unix.Lstat(path, &st); err != unix.EINTR {
			return st.Mode&unix.S_IFMT == unix.S_IFLNK, err
		}
	}
}

type missing struct {
	dir  string // where the settings lie: a workspace, or the home
	path string
}

// NewSettings looks at the settings of the roots, and of home unless it is "".
func NewSettings(roots unit.Roots, home string) *Settings {
	s := &Settings{links: map[string]bool{}}
	dirs := make([]string, 0, len(roots)+1)
	for _, r := range roots {
		dirs = append(dirs, r.String())
	}
	if home != "" {
		dirs = append(dirs, filepath.Clean(home))
	}
	seen := looks{}
	for _, dir := range dirs {
		for _, path := range guard.Settings(dir) {
			for _, at := range steps(dir, path) {
				link, err := seen.isLink(at)
				if errors.Is(err, fs.ErrNotExist) {
					s.missing = append(s.missing, missing{dir, path})
				}
				if err != nil {
					break
				}
				s.links[at] = s.links[at] || link
			}
		}
	}
	return s
}

// steps lists what lies on the way from below dir to path, which is the last.
func steps(dir, path string) []string {
	var out []string
	at := dir
	for name := range strings.SplitSeq(strings.TrimPrefix(path, dir+"/"), "/") {
		at += "/" + name
		out = append(out, at)
	}
	return out
}

// SetAside takes what has been made since then out of the place where a program would
// heed it, and returns where it was. A file or folder gets suffix behind its name, so
// that nothing is lost that somebody else made meanwhile; a link is removed.
func (s *Settings) SetAside(suffix string) (made []string, err error) {
	now := looks{}
	for _, m := range s.missing {
		done, e := s.setAside(m, suffix, now)
		err = errors.Join(err, e)
		if done {
			clear(now) // it is no longer as it was
			made = append(made, m.path)
		}
	}
	return made, err
}

func (s *Settings) setAside(m missing, suffix string, now looks) (bool, error) {
	for _, at := range steps(m.dir, m.path) {
		link, err := now.isLink(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("look at %q: %w", at, err)
		case link && !s.links[at]:
			// What it leads to is not ours to touch: it may be anybody's.
			return true, os.Remove(at)
		case at == m.path:
			return true, os.Rename(at, at+suffix)
		}
	}
	return false, nil
}
