package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/unit"
)

// maxGitConfig bounds what is read of a settings file of git, in bytes.
const maxGitConfig = 64 << 10

// hooksPaths are the folders that core.hooksPath names, for this workspace's
// checkouts: git runs what is in them.
func (j *judge) hooksPaths() []unit.Path {
	if j.hooks == nil {
		j.hooks = HooksPaths(j.in.FS, j.roots, j.in.Env.Home)
		if j.hooks == nil {
			j.hooks = []unit.Path{}
		}
	}
	return j.hooks
}

// HooksPaths reads core.hooksPath from the settings of checkouts and of a home, "" for
// none. Files that the settings include are not followed.
func HooksPaths(fsys unit.FS, roots unit.Roots, home string) []unit.Path {
	var files []string
	for _, r := range roots {
		files = append(files, r.String()+"/.git/config")
	}
	if home != "" {
		files = append(files, home+"/.gitconfig", home+"/.config/git/config")
	}
	var out []unit.Path
	for _, file := range files {
		text, err := fsys.ReadFile(file, maxGitConfig)
		if err != nil {
			continue
		}
		for _, value := range hooksPathOf(string(text)) {
			for _, at := range placesOf(value, roots, home) {
				if !slices.ContainsFunc(out, func(p unit.Path) bool { return slices.Equal(p, at) }) {
					out = append(out, at)
				}
			}
		}
	}
	return out
}

// placesOf are the folders that a value means: a relative one is of each checkout.
func placesOf(value string, roots unit.Roots, home string) []unit.Path {
	switch rest, inHome := strings.CutPrefix(value, "~/"); {
	case inHome && home != "":
		return []unit.Path{unit.Split(path.Clean(home + "/" + rest))}
	case strings.HasPrefix(value, "/"):
		return []unit.Path{unit.Split(path.Clean(value))}
	}
	var out []unit.Path
	for _, r := range roots {
		if at := unit.Split(path.Clean(r.String() + "/" + value)); len(at) > len(r) {
			out = append(out, at)
		}
	}
	return out
}

// hooksPathOf finds the values of core.hooksPath in git's settings.
func hooksPathOf(text string) []string {
	var out []string
	core := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, after, _ := strings.Cut(rest, "]")
			core = strings.EqualFold(strings.TrimSpace(name), "core")
			line = strings.TrimSpace(after) // a setting may follow its section
		}
		key, value, ok := strings.Cut(line, "=")
		if core && ok && strings.EqualFold(strings.TrimSpace(key), "hooksPath") {
			if v := configValue(value); v != "" {
				out = append(out, v)
			}
		}
	}
	return out
}

// configValue reads a value as git does: without quotes and comments.
func configValue(s string) string {
	var b strings.Builder
	quoted := false
	s = strings.TrimSpace(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
