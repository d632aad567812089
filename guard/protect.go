package guard

import (
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/unit"
)

// What no dispatched agent touches, wherever it lies. The names are those of
// the programs' own documentation and of docs/clients.md.

// folders are names of folders, each with names in it. A list needs no work when the
// program starts, as a map would.
type folders []struct {
	name   string
	inside []string
}

func (f folders) inside(name string) ([]string, bool) {
	for i := range f {
		if f[i].name == name {
			return f[i].inside, true
		}
	}
	return nil, false
}

// settings are folders in which agent programs keep hooks, agents or plugins. Below
// one, only what is named here is protected; an empty list protects all of it.
var settings = folders{
	{".claude", []string{"settings.json", "settings.local.json", "hooks", "agents", "commands", "skills", "plugins"}},
	{".codex", nil},
	{".gemini", []string{"settings.json", "hooks", "agents", "extensions", "policies", "trustedFolders.json", ".env"}},
	{".qwen", []string{"settings.json", "hooks", "agents", "extensions", "policies", "trustedFolders.json", ".env"}},
	{".cursor", nil},
	{".opencode", nil},
	{".windsurf", nil},
	{".kiro", nil},
	{".cline", nil},
	{".clinerules", nil},
	{".copilot", nil},
	{".factory", nil},
	{".kilo", nil},
	{".kilocode", nil},
}

// settingsFiles are the same as single files at a project's top or in the home.
var settingsFiles = []string{"opencode.json", "opencode.jsonc", "crush.json", ".crush.json", "kilo.json", ".mcp.json", ".claude.json"}

// configDirs are the folders below ~/.config of programs that keep theirs there.
var configDirs = []string{"opencode", "kilo", "crush", "codex", "claude", "gemini"}

// private are folders that hold other agents' transcripts, below a settings folder.
var private = folders{
	{".codex", []string{"sessions", "archived_sessions", "history.jsonl", "log"}},
	{".gemini", []string{"tmp", "history"}},
	{".qwen", []string{"projects", "tmp", "history"}},
	{".copilot", []string{"session-state", "history-session-state", "logs"}},
	{".factory", []string{"sessions"}},
	{".cline", []string{"data"}},
}

// protected says whether an operation on a path is refused to every dispatched agent.
func (s *sight) protected(t Target, p unit.Path, pl *unit.Place) bool {
	fold := s.scope.Fold
	if index(p, ".conduct", fold) >= 0 {
		return true
	}
	if s.j.private(p, fold) || gitContent(p, fold) || ofProcess(t, p) {
		return true
	}
	// A search through all of git's folder goes through its contents.
	if n := len(p); t.Op&Search != 0 && n > 0 && same(p[n-1], ".git", fold) {
		return true
	}
	if t.Op&Write == 0 {
		return false
	}
	return s.j.isProgram(p) || s.isConfig(p) || s.j.keepsHooks(p, fold) || changesHooks(p, fold) || s.j.startsShells(p, fold) ||
		s.j.programs(p, fold)
}

// ofProcess says whether a path shows the environment or the memory of processes: a
// confined command's holds the word by which it asks for its verbs to be run outside.
func ofProcess(t Target, p unit.Path) bool {
	if len(p) == 0 || p[0] != "proc" {
		return false
	}
	switch last := p[len(p)-1]; {
	case len(p) >= 3 && (last == "environ" || last == "mem"):
		return true
	case t.Op&Search != 0:
		return len(p) <= 2 || last == "task" || len(p) == 4 && p[2] == "task"
	}
	return false
}

// homeFiles are files of the home that later commands of the same user run or take their
// options from, outside of any confinement: the shells', git's, those of programs that are
// known to read only what their words say.
var homeFiles = []string{
	".gitconfig", ".config/git", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile",
	".zshenv", ".zshrc", ".zprofile", ".zlogin", ".config/fish", ".ssh", ".npmrc", ".pypirc",
	".curlrc", ".config/curlrc", ".netrc", ".wgetrc", ".inputrc", ".less", ".lesskey", ".config/lesskey", ".config/bat", ".jq",
	".ackrc", ".popt", ".config/cloc", ".config/go",
}

// startsShells says whether a path is one of those files.
func (j *judge) startsShells(p unit.Path, fold bool) bool {
	if j.in.Env.Home == "" {
		return false
	}
	return slices.ContainsFunc(homeFiles, func(f string) bool {
		return p.Under(unit.Split(j.in.Env.Home+"/"+f), fold)
	})
}

// protectedWhat says in the refusal what kind of thing the target is.
func (s *sight) protectedWhat(Target) string { return "" }

func index(p unit.Path, name string, fold bool) int {
	return slices.IndexFunc(p, func(c string) bool { return c == name || fold && strings.EqualFold(c, name) })
}

func (s *sight) isConfig(p unit.Path) bool {
	for _, r := range s.j.roots {
		if len(p) == len(r)+1 && p.Under(r, s.scope.Fold) && index(p[len(r):], "conduct.yaml", s.scope.Fold) == 0 {
			return true
		}
	}
	return false
}

// hookDirs are folders of a checkout that projects commonly name as core.hooksPath: git
// runs what is in them.
var hookDirs = []string{".husky", ".githooks"}

// keepsHooks says whether a path is such a folder, or below it.
func (j *judge) keepsHooks(p unit.Path, fold bool) bool {
	for i, c := range p {
		if slices.ContainsFunc(hookDirs, func(n string) bool { return same(c, n, fold) }) &&
			slices.ContainsFunc(j.roots, func(r unit.Path) bool { return r.Under(p[:i], fold) }) {
			return true
		}
	}
	return slices.ContainsFunc(j.hooksPaths(), func(dir unit.Path) bool { return p.Under(dir, fold) })
}

func (j *judge) isProgram(p unit.Path) bool {
	for _, prog := range j.in.Env.Programs {
		if slices.Equal(p, unit.Split(prog)) {
			return true
		}
	}
	return false
}

// changesHooks says whether writing to a path can change what agent programs
// run: their settings, and git's.
func changesHooks(p unit.Path, fold bool) bool {
	if len(p) == 0 {
		return false
	}
	if slices.ContainsFunc(settingsFiles, func(f string) bool { return same(p[len(p)-1], f, fold) }) {
		return true
	}
	for i, c := range p {
		rest := p[i+1:]
		if fold {
			c = strings.ToLower(c)
		}
		if only, ok := settings.inside(c); ok {
			if len(rest) == 0 || len(only) == 0 {
				return true
			}
			if slices.ContainsFunc(only, func(n string) bool { return same(rest[0], n, fold) }) {
				return true
			}
		}
		switch {
		case c == ".github" && len(rest) > 0 && same(rest[0], "hooks", fold):
			return true
		case c == ".config" && len(rest) > 0 && slices.ContainsFunc(configDirs, func(n string) bool { return same(rest[0], n, fold) }):
			return true
		case c == ".git" && changesGit(rest, fold):
			return true
		}
	}
	return false
}

// changesGit says whether a path below .git decides what git runs or where its
// worktrees are.
func changesGit(rest unit.Path, fold bool) bool {
	if len(rest) == 0 {
		return true // the pointer of a linked worktree
	}
	if same(rest[0], "worktrees", fold) && len(rest) <= 2 {
		return true // removed, a linked worktree is nobody's, with its copy of every unit
	}
	for i, c := range rest {
		for _, n := range []string{"hooks", "config", "config.worktree", "gitdir", "commondir", "objects"} {
			if same(c, n, fold) && (i == 0 || same(rest[0], "modules", fold) || same(rest[0], "worktrees", fold)) {
				return true
			}
		}
	}
	return false
}

// gitContent says whether a path is git's store of contents: every unit's.
func gitContent(p unit.Path, fold bool) bool {
	at := index(p, ".git", fold)
	if at < 0 || at+1 >= len(p) {
		return false
	}
	rest := p[at+1:]
	switch {
	case same(rest[0], "objects", fold), same(rest[0], "lfs", fold), same(rest[0], "lost-found", fold):
		return true
	case same(rest[0], "modules", fold):
		return index(rest, "objects", fold) >= 0 || index(rest, "lfs", fold) >= 0 || index(rest, "lost-found", fold) >= 0
	case same(rest[0], "worktrees", fold):
		return index(rest, "lost-found", fold) >= 0
	}
	return false
}

// TempName begins the name of the folder, below the one for temporary files, that
// holds a private folder for each dispatch.
const TempName = "conduct-"

// private says whether a path holds what other agents said or wrote down.
func (j *judge) private(p unit.Path, fold bool) bool {
	for i, c := range p {
		rest := p[i+1:]
		if fold {
			c = strings.ToLower(c)
		}
		if len(rest) > 0 {
			if c == ".claude" && j.privateClaude(rest) {
				return true
			}
			if names, ok := private.inside(c); ok && slices.ContainsFunc(names, func(n string) bool { return same(rest[0], n, fold) }) {
				return true
			}
		}
		if strings.HasPrefix(c, "claude-") && index(rest, "tasks", fold) >= 0 && j.inTemp(p[:i]) {
			k := index(rest, "tasks", fold)
			return !(len(rest) == k+2 && j.call.AgentID != "" && rest[k+1] == j.call.AgentID+".output")
		}
		if uid, ok := strings.CutPrefix(c, TempName); ok && uid != "" && strings.Trim(uid, "0123456789") == "" && j.inTemp(p[:i]) {
			return len(rest) == 0 || !slices.ContainsFunc(j.at.candidates, func(d *dispatch.Dispatch) bool { return string(d.ID) == rest[0] })
		}
	}
	// A payload whose transcripts lie in or above the workspace would close all of it.
	if j.transcripts == nil {
		j.transcripts = unit.Split(j.call.Transcripts)
	}
	if dir := j.transcripts; len(dir) > 0 && p.Under(dir, fold) && !j.ws.Root.Under(dir, fold) {
		return j.othersTranscript(p)
	}
	return false
}

// privateClaude judges what is below a .claude folder.
func (j *judge) privateClaude(rest unit.Path) bool {
	switch rest[0] {
	case "agent-memory", "agent-memory-local":
		return len(rest) < 2 || j.call.AgentType == "" || rest[1] != j.call.AgentType
	case "projects":
		// A project's own memory is everybody's.
		if len(rest) > 2 && rest[2] == "memory" {
			return false
		}
		return len(rest) < 3 || j.othersTranscript(rest)
	case "todos", "history.jsonl", "file-history", "shell-snapshots":
		return rest[0] != "shell-snapshots"
	}
	return false
}

// othersTranscript says whether a path is not the caller's own transcript.
func (j *judge) othersTranscript(p unit.Path) bool {
	if j.call.AgentID == "" || len(p) < 2 || p[len(p)-2] != "subagents" {
		return true
	}
	name := p[len(p)-1]
	return name != "agent-"+j.call.AgentID+".jsonl" && name != "agent-"+j.call.AgentID+".meta.json"
}

func (j *judge) inTemp(p unit.Path) bool {
	for _, t := range j.in.Env.Temp {
		if slices.Equal(p, unit.Split(t)) {
			return true
		}
	}
	return false
}

// abovePrivate says whether a search from p goes through what is private.
func (j *judge) abovePrivate(p unit.Path, fold bool) bool {
	dirs := []string{}
	if h := j.in.Env.Home; h != "" {
		dirs = append(dirs, h+"/.claude/projects", h+"/.claude/agent-memory")
		for _, f := range private {
			for _, n := range f.inside {
				dirs = append(dirs, h+"/"+f.name+"/"+n)
			}
		}
	}
	if j.call.Transcripts != "" {
		dirs = append(dirs, j.call.Transcripts)
	}
	for _, r := range j.roots {
		dirs = append(dirs, r.String()+"/.claude/agent-memory")
	}
	for _, d := range dirs {
		if unit.Split(d).Under(p, fold) {
			if _, err := j.in.FS.Lstat(d); err == nil {
				return true
			}
		}
	}
	for _, t := range j.in.Env.Temp {
		tmp := unit.Split(t)
		if !tmp.Under(p, fold) {
			continue
		}
		es, err := j.in.FS.ReadDir(t, 1000)
		if err == nil && slices.ContainsFunc(es, func(e unit.Dirent) bool { return strings.HasPrefix(e.Name, "claude-") }) {
			return true
		}
	}
	return false
}

// reachesProtected says whether a pattern may match what is protected below p.
func (s *sight) reachesProtected(t Target, p unit.Path, rest unit.Path) bool {
	if s.protected(Target{Op: Read}, p, nil) {
		return true
	}
	// The records lie in each workspace; a pattern that begins with wildcards only
	// reaches them by naming a folder that begins with a dot.
	if len(rest) > 1 && strings.HasPrefix(rest[0], ".") && unit.Match(rest[0], ".conduct") && p.String() == s.j.ws.Root.String() {
		return true
	}
	return rest[0] == "**" && s.j.abovePrivate(p, s.scope.Fold) || len(rest) > 1 && s.j.abovePrivate(p, s.scope.Fold)
}

func same(a, b string, fold bool) bool { return a == b || fold && strings.EqualFold(a, b) }

// othersTask says whether a task is another agent's. A background agent's task
// has the agent's id: "a" and hex digits; what an agent runs itself is called
// otherwise, and is its own to read.
func (j *judge) othersTask(id string) bool {
	if len(id) < 8 || id[0] != 'a' || id == j.call.AgentID {
		return false
	}
	return !strings.ContainsFunc(id[1:], func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') })
}

// Settings lists the files and folders below dir that hold hooks, agents or
// plugins of agent programs, and what git runs: whoever is confined must not write them.
func Settings(dir string) []string {
	out := []string{dir + "/conduct.yaml", dir + "/.github/hooks", dir + "/.git/hooks", dir + "/.git/config"}
	for _, f := range settings {
		if len(f.inside) == 0 {
			out = append(out, dir+"/"+f.name)
		}
		for _, n := range f.inside {
			out = append(out, dir+"/"+f.name+"/"+n)
		}
	}
	for _, n := range slices.Concat(settingsFiles, hookDirs) {
		out = append(out, dir+"/"+n)
	}
	for _, n := range configDirs {
		out = append(out, dir+"/.config/"+n)
	}
	for _, n := range homeFiles {
		out = append(out, dir+"/"+n)
	}
	slices.Sort(out)
	return out
}

// PrivateDirs lists the folders below a home that hold what agents said and wrote
// down: a confined command must not read them.
func PrivateDirs(home string) []string {
	out := []string{home + "/.claude/projects", home + "/.claude/todos", home + "/.claude/file-history", home + "/.claude/history.jsonl"}
	for _, f := range private {
		for _, n := range f.inside {
			out = append(out, home+"/"+f.name+"/"+n)
		}
	}
	slices.Sort(out)
	return out
}

// StateDirs lists the folders below a home in which agent programs keep their state.
func StateDirs(home string) []string {
	out := []string{home + "/.claude.json", home + "/.local/share/opencode", home + "/.local/state/opencode"}
	for _, f := range settings {
		out = append(out, home+"/"+f.name)
	}
	for _, n := range configDirs {
		out = append(out, home+"/.config/"+n)
	}
	slices.Sort(out)
	return out
}
