package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// maxSettings is the size in bytes above which a client's settings are not read.
const maxSettings = 4 << 20

// obstacle says why a command of this call cannot be run confined, "" when it can.
func (g *gate) obstacle(call *guard.Call) string {
	if g.conduct() == "" {
		return "conduct is not beside conduct-guard"
	}
	if why := g.rival(call); why != "" {
		return why + ": take it out, or dispatch with --opaque allow"
	}
	return ""
}

// rival says that what the guard makes of a call would be lost, "" when it reaches the tool.
func (g *gate) rival(call *guard.Call) string {
	s, ok := g.o.Client.(hooks.Settled)
	if !ok {
		return ""
	}
	dirs := g.fixedStarts()
	for _, p := range g.found {
		dirs = append(dirs, p.ws.Root)
	}
	slices.Sort(dirs)
	for _, name := range s.Settings(slices.Compact(dirs), g.env("HOME")) {
		data, err := g.disk.ReadFile(name, maxSettings)
		if err == nil && s.Rewrites(data, call.Tool) {
			return "another hook may change the command too"
		}
	}
	return ""
}

// conduct is the path of the program that runs commands confined.
func (g *gate) conduct() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	path := filepath.Join(filepath.Dir(exe), "conduct")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// confined is the command line that runs another one confined. What the client
// does with output, exit code and signals stays as it was.
func (g *gate) confined(out guard.Outcome) string {
	dir := ""
	for _, r := range out.Rulings {
		if slices.Contains(r.Dispatches, out.Confined.Dispatch) {
			dir = g.found[r.Workspace].ws.Root
		}
	}
	return strings.Join([]string{
		quote(g.conduct()), "exec", "--dispatch", string(out.Confined.Dispatch), "--dir", quote(dir), "--", "bash", "-c", quote(out.Confined.Text),
	}, " ")
}

// quote makes one word of a POSIX shell. What needs no quotes gets none, so that a
// person's own permission rule for the program can match.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+=:@%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
