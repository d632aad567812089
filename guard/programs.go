package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// machineFiles are where a machine keeps the programs that the words of a command name, and
// what these take their options from wherever they run. Root, which most containers run
// agents as, may write there; and what it writes runs later, outside of any confinement, in
// commands that are taken to do what such programs do.
var machineFiles = []string{
	"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec",
	"/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/libexec",
	"/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshenv", "/etc/zshrc", "/etc/zprofile",
	"/etc/environment", "/etc/alternatives", "/etc/inputrc", "/etc/gitconfig", "/etc/ssh", "/etc/sudoers", "/etc/sudoers.d",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/wgetrc",
}

// homePrograms are where a home keeps its programs, whether they are looked for there yet
// or from the next login on.
var homePrograms = []string{".local/bin", "bin", "go/bin", ".cargo/bin"}

// sources are the folders and files of which a machine's programs are made, as far as they
// lie apart from the work.
type sources struct {
	// closed are those in which nothing is written.
	closed []unit.Path
	// beside are folders of the PATH that lie within the work (node_modules/.bin), where
	// only what would stand in for a program that is known is not.
	beside []unit.Path
}

// programs says whether writing to a path can change what a later command is.
func (j *judge) programs(p unit.Path, fold bool) bool {
	if j.sources == nil {
		j.sources = j.findSources(fold)
	}
	if slices.ContainsFunc(j.sources.closed, func(dir unit.Path) bool { return p.Under(dir, fold) }) {
		return true
	}
	return slices.ContainsFunc(j.sources.beside, func(dir unit.Path) bool {
		return p.Under(dir, fold) && (len(p) == len(dir) || len(p) == len(dir)+1 && known(p[len(p)-1], fold))
	})
}

// known says whether a name is that of a program which lines are understood with; where
// files have it in any case, so have programs.
func known(name string, fold bool) bool {
	return shell.Known(name) || fold && shell.Known(strings.ToLower(name))
}

func (j *judge) findSources(fold bool) *sources {
	out := &sources{}
	work := func(dir unit.Path) bool { // it has work in it
		return slices.ContainsFunc(j.roots, func(r unit.Path) bool { return r.Under(dir, fold) })
	}
	for _, f := range machineFiles {
		if dir := unit.Split(f); !work(dir) {
			out.closed = append(out.closed, dir)
		}
	}
	names := slices.Clone(j.in.Env.Path)
	if home := j.in.Env.Home; home != "" {
		for _, dir := range homePrograms {
			names = append(names, path.Join(home, dir))
		}
	}
	for _, name := range names {
		if !path.IsAbs(name) {
			if j.call.Cwd == "" {
				continue
			}
			name = path.Join(j.call.Cwd, name) // also "", which is the folder itself
		}
		if named := unit.Split(path.Clean(name)); slices.ContainsFunc(out.closed, func(dir unit.Path) bool { return named.Under(dir, fold) }) {
			continue // most of a PATH
		}
		for _, dir := range j.places(path.Clean(name)) {
			if work(dir) || slices.ContainsFunc(j.roots, func(r unit.Path) bool { return dir.Under(r, fold) }) {
				out.beside = append(out.beside, dir)
			} else {
				out.closed = append(out.closed, dir)
			}
		}
	}
	return out
}

// places are a folder as it is named, and where links lead from there.
func (j *judge) places(name string) []unit.Path {
	out := []unit.Path{unit.Split(name)}
	if pl, err := unit.Resolve(j.in.FS, name); err == nil && !slices.Equal(pl.Real, out[0]) {
		out = append(out, pl.Real)
	}
	return out
}
