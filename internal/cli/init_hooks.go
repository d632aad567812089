package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/hooks/generic"
	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/workspace"
)

// place is where hooks are installed.
type place struct {
	root, home string
	// main is the workspace's root where root is a linked worktree of it.
	main string
}

// mainOf is the root of the workspace that a linked worktree belongs to, ""
// where the folder is none or has records of its own.
func mainOf(root string) string {
	if exists(filepath.Join(root, workspace.Folder)) {
		return ""
	}
	if st, err := os.Lstat(filepath.Join(root, ".git")); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	found, err := workspace.Find(root, workspace.Options{})
	if err != nil {
		return ""
	}
	for _, ws := range found.Workspaces {
		roots, err := workspace.Roots(ws)
		if err == nil && ws.Root != root && slices.ContainsFunc(roots, func(r string) bool { return sameFolder(r, root) }) {
			return ws.Root
		}
	}
	return ""
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// noHook says that no hook is installed, and for which programs one could be.
func (p place) noHook() []string {
	installed, err := install.Find(p.root, p.home)
	if err == nil && len(installed) > 0 {
		return nil
	}
	var found []string
	for _, f := range p.detect() {
		found = append(found, f.Client.Name+" ("+f.Why+")")
	}
	if len(found) == 0 {
		return []string{"no hook was installed: conduct init --client claude-code installs one"}
	}
	return []string{"no hook was installed; found " + strings.Join(found, ", ") + ": conduct init --client auto installs the hook for what was found, --client NAME for one"}
}

// detect lists the programs in use that the guard knows.
func (p place) detect() []install.Found {
	return slices.DeleteFunc(install.Detect(p.root, p.home), func(f install.Found) bool {
		return !slices.Contains(clientNames(), f.Client.Name)
	})
}

// task is a change of one settings file; or only something to say.
type task struct {
	client install.Client
	change install.Change
	say    []string
}

// plan works out what is to be done for every client, and writes nothing.
func (o *initOptions) plan(env *Env, at place) ([]task, error) {
	if len(o.clients) == 0 {
		return nil, nil
	}
	opts := install.Options{Scope: install.Scope(o.scope), Root: at.root, Workspace: at.main, Home: at.home}
	if !o.remove {
		guard, err := install.GuardPath(env.Self)
		if err != nil {
			return nil, hint(err, "go install github.com/seed6310be5c/conduct/cmd/conduct-guard@latest")
		}
		opts.Guard = guard
		if why := install.Unstable(guard); why != "" {
			env.warn("%s", why)
		}
	}
	var out []task
	for _, name := range o.clients {
		some, err := o.planFor(name, at, opts)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

func (o *initOptions) planFor(name string, at place, opts install.Options) ([]task, error) {
	switch {
	case name == generic.Name:
		return o.paste(opts)
	case name == auto && o.remove:
		return o.planRemoval(at, opts)
	case name == auto:
		return o.planFound(at, opts)
	}
	c, err := install.ByName(name)
	if err != nil {
		return nil, err
	}
	agents := []string{""}
	if c.Agents {
		agents = o.agents
	}
	var out []task
	for _, agent := range agents {
		t, err := o.planOne(c, agent, opts)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// planFound plans for every program that is found.
func (o *initOptions) planFound(at place, opts install.Options) ([]task, error) {
	found := at.detect()
	if len(found) == 0 {
		return nil, hint(errors.New("no agent program was found"), "conduct init --client NAME, one of %s", strings.Join(clientNames(), ", "))
	}
	var out []task
	for _, f := range found {
		if f.Client.Agents && len(o.agents) == 0 {
			say := fmt.Sprintf("found %s (%s): conduct init --client %s --agent NAME installs the hook for one agent", f.Client.Title, f.Why, f.Client.Name)
			out = append(out, task{client: f.Client, say: []string{say}})
			continue
		}
		some, err := o.planFor(f.Client.Name, at, opts)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// planRemoval plans to take out every hook of ours in a scope.
func (o *initOptions) planRemoval(at place, opts install.Options) ([]task, error) {
	hooks, err := install.Find(at.root, at.home)
	if err != nil {
		return nil, err
	}
	var out []task
	seen := map[string]bool{}
	for _, h := range hooks {
		c, err := install.ByName(h.Client)
		if err != nil {
			return nil, err
		}
		// What two scopes share is found in the first.
		same := h.Scope == opts.Scope || c.Shares() && h.Scope == install.Local && opts.Scope == install.Project
		if !h.Ours || !same || seen[h.File] {
			continue
		}
		seen[h.File] = true
		t, err := o.planOne(c, h.AgentOf(), opts)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func (o *initOptions) planOne(c install.Client, agent string, opts install.Options) (task, error) {
	opts.Client, opts.Agent = c.Name, agent
	if c.Plugin {
		opts.Plugin = plugin(opts)
	}
	plan := install.Plan
	if o.remove {
		plan = install.Remove
	}
	change, err := plan(opts)
	if errors.Is(err, install.ErrAgent) {
		return task{}, usageError{err}
	}
	return task{client: c, change: change}, err
}

// paste shows the command line for a program that has no settings we know.
func (o *initOptions) paste(opts install.Options) ([]task, error) {
	if o.remove {
		return nil, fmt.Errorf("the hook of %q was put in by hand: take it out of the same file", generic.Name)
	}
	line, err := install.Line(opts)
	return []task{{say: []string{
		"the hook's command line, for settings that you edit by hand:", line, "",
		"The payload is Claude Code's; the answer is one JSON object.",
	}}}, err
}

// carryOut does what was planned, or shows it.
func (o *initOptions) carryOut(tasks []task) ([]string, error) {
	var done []string
	wrote := false
	for _, t := range tasks {
		done = append(done, t.say...)
		if t.change.File == "" {
			continue
		}
		said, err := o.one(t)
		if err != nil {
			return nil, err
		}
		done = append(done, said...)
		wrote = wrote || t.change.Changed()
	}
	if wrote && !o.print && !o.remove {
		done = append(done, "start the agent program anew: hooks are read when it starts")
	}
	return done, nil
}

func (o *initOptions) one(t task) ([]string, error) {
	c := t.change
	switch {
	case !c.Changed():
		return []string{c.File + " needs no change"}, nil
	case o.print:
		return []string{strings.TrimRight(c.Diff(), "\n")}, nil
	}
	if err := c.Apply(); err != nil {
		return nil, err
	}
	if o.remove {
		out := []string{"took the hook out of " + c.File + "; " + workspace.Folder + "/ and " + config.File + " stay"}
		if !c.Removed && exists(c.Backup()) {
			out = append(out, c.Backup()+" stays: it differs, since the file was changed in the meantime")
		}
		return out, nil
	}
	out := []string{"installed the hook in " + c.File}
	if exists(c.Backup()) {
		out = append(out, "the file as it was is in "+c.Backup())
	}
	if t.client.Shares() && o.scope == string(install.Local) {
		out = append(out, "it names paths of this machine: do not commit it; with --scope project it names none")
	}
	if t.client.Note != "" {
		out = append(out, t.client.Note)
	}
	return out, nil
}
