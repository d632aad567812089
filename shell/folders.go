package shell

import (
	"path"
	"slices"
	"strings"
)

// folder is one place that a line may have gone to.
type folder struct {
	path string // "" is where the line began, to which it may be relative
	// unless are folders of which none exists if the line is here: it would have
	// gone there.
	unless []string
}

// folders are all the places that a line may have gone to by now: a cd may fail.
type folders []folder

// maxFolders bounds them; a line with more is opaque.
const maxFolders = 16

func (fs folders) and(more folders) folders {
	out := slices.Clone(fs)
	for _, m := range more {
		i := slices.IndexFunc(out, func(f folder) bool { return f.path == m.path })
		switch {
		case i < 0:
			out = append(out, m)
		case !slices.Equal(out[i].unless, m.unless):
			out[i].unless = nil
		}
	}
	return out
}

// enter returns where a change to a folder leads: as the kernel takes it, and
// with ".." taken out of the text, as a shell's cd does.
func (fs folders) enter(to string) folders {
	var out folders
	for _, f := range fs {
		p := joined(f.path, to)
		out = out.and(folders{{p, f.unless}})
		if strings.Contains(p, "..") {
			out = out.and(folders{{path.Clean(p), f.unless}})
		}
	}
	return out
}

// stay returns where the line is if a change to a folder fails. sure says that
// nothing before it in the line can have made or removed that folder.
func (fs folders) stay(to string, sure bool) folders {
	out := slices.Clone(fs)
	for i, f := range out {
		if sure {
			out[i].unless = append(slices.Clone(f.unless), joined(f.path, to))
		}
	}
	return out
}

// joined joins two folders, of which the second may be absolute.
func joined(dir, to string) string {
	if dir == "" || strings.HasPrefix(to, "/") || to == "~" || strings.HasPrefix(to, "~/") {
		return to
	}
	return dir + "/" + to
}

// goOn sets where the line is after something that may have worked or not.
func (r *reader) goOn(ok, failed folders) {
	if r.at = ok.and(failed); len(r.at) > maxFolders {
		r.opaque("it may be in too many folders")
		r.at = r.at[:maxFolders]
	}
}

// cd reads cd and pushd, and returns where the line is when it works and when not.
func (r *reader) cd(name string, rest []arg) (ok, failed folders) {
	to := "~"
	var words []arg
	for _, a := range rest {
		if a.ok && !a.glob && a.text != "-" && strings.HasPrefix(a.text, "-") && name == "cd" {
			continue // -P, -L, --
		}
		words = append(words, a)
	}
	switch {
	case len(words) == 0 && name == "cd":
	case len(words) != 1, !words[0].ok, words[0].glob, words[0].text == "-", words[0].text == "",
		name == "pushd" && strings.ContainsAny(words[0].text[:1], "+-"):
		r.opaque("a folder that is computed")
		return r.at, r.at
	default:
		to = words[0].text
	}
	r.add(to, false, Entered)
	return r.at.enter(to), r.at.stay(to, !r.changes)
}
