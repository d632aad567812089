package guard

import (
	"path"
	"strings"

	"github.com/seed6310be5c/conduct/shell"
)

// maxReach bounds how many of a call's paths workspaces are looked for from.
const maxReach = 64

// Reach returns the folders, beside its own, in which a call may touch
// something: where each of its paths leads as it is written. Workspaces are
// looked for from there as well.
func Reach(c *Call) []string {
	var out []string
	add := func(p, base string) {
		if p == "" || len(out) >= maxReach || isURL(p) {
			return
		}
		if u, err := decodeURL(p); err == nil {
			p = u
		}
		if !strings.HasPrefix(p, "/") {
			switch {
			case strings.HasPrefix(base, "/"):
				p = base + "/" + p
			case strings.HasPrefix(c.Cwd, "/"):
				p = c.Cwd + "/" + base + "/" + p
			default:
				return
			}
		}
		dir := path.Clean(p)
		if c.Cwd != "" && (dir == c.Cwd || path.Dir(dir) == c.Cwd) {
			return
		}
		for _, have := range out {
			if have == dir {
				return
			}
		}
		out = append(out, dir)
	}
	for _, t := range c.Targets {
		if t.Guess && !strings.Contains(t.Path, "/") {
			continue
		}
		add(t.Path, t.Base)
		if strings.HasPrefix(t.Pattern, "/") {
			add(fixedPart(t.Pattern), "")
		}
	}
	if c.Launch != nil {
		for _, t := range c.Launch.Inlined {
			if strings.Contains(t.Path, "/") {
				add(t.Path, t.Base)
			}
		}
	}
	for _, cmd := range c.Commands {
		if cmd.Foreign || len(cmd.Text) > maxCommand {
			continue
		}
		a, err := shell.Analyze(cmd.Text, shell.Env{Cwd: folderOf(c, cmd)})
		if err != nil {
			continue
		}
		for _, f := range a.Facts {
			if f.Glob {
				f.Path = fixedPart(f.Path + "/x")
			}
			for _, base := range append(f.Cwds, "") {
				if base != "" || strings.HasPrefix(f.Path, "/") {
					add(f.Path, base)
				}
			}
		}
	}
	return out
}

// fixedPart returns the folders that an absolute pattern spells out.
func fixedPart(p string) string {
	if i := strings.IndexAny(p, "*?[{"); i >= 0 {
		p = p[:i]
	}
	return path.Dir(p)
}

// folderOf is the folder in which a command runs, "" where it is not known.
func folderOf(c *Call, cmd Command) string {
	switch {
	case strings.HasPrefix(cmd.Cwd, "/"):
		return cmd.Cwd
	case !strings.HasPrefix(c.Cwd, "/"):
		return ""
	}
	return path.Clean(c.Cwd + "/" + cmd.Cwd)
}
