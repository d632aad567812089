package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/nearest"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
	"github.com/seed6310be5c/conduct/workspace"
)

type initOptions struct {
	layouts, clients, agents []string
	scope, workflow          string
	remove, print, protocol  bool
}

// auto stands for every agent program that is found.
const auto = "auto"

func newInit(env *Env) *cobra.Command {
	var o initOptions
	c := &cobra.Command{
		Use:   "init [--layout PATTERN]… [--client NAME]…",
		Short: "make a workspace here, and install the hook",
		Long: `Makes .conduct/ and conduct.yaml in the current folder, and with --client puts the
hook into that program's settings. Without --client it says which programs were
found; --client auto installs for all of them. Running it again changes nothing.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(env) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.layouts, "layout", nil, "where units lie, such as construction/units/{unit} (default: found by looking)")
	f.StringArrayVar(&o.clients, "client", nil, "install the hook for this agent program: "+strings.Join(clientNames(), ", ")+"; or auto, for those that are found")
	f.StringArrayVar(&o.agents, "agent", nil, "the agent whose hook it is, for programs that keep hooks with agents (kiro)")
	f.StringVar(&o.scope, "scope", "local", "whose settings: local, project or user")
	f.BoolVar(&o.remove, "remove", false, "take the hook out again")
	f.BoolVar(&o.print, "print", false, "show what would be written, write nothing")
	f.StringVar(&o.workflow, "workflow", "", "lay it out for a workflow: "+aiDLC)
	f.BoolVar(&o.protocol, "print-protocol", false, "print what to put into CLAUDE.md or AGENTS.md")
	return c
}

func clientNames() []string {
	var out []string
	for _, c := range all.Clients() {
		out = append(out, c.Name())
	}
	return out
}

func (o *initOptions) run(env *Env) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.protocol {
		text := protocol
		if o.workflow == aiDLC {
			text = aiDLCProtocol
		}
		_, err := fmt.Fprint(env.Stdout, text)
		return err
	}
	start, err := env.start()
	if err != nil {
		return err
	}
	at := place{root: start, home: env.Getenv("HOME"), main: mainOf(start)}
	// Everything is planned before anything is written.
	planned, err := o.plan(env, at)
	if err != nil {
		return err
	}
	var done []string
	if !o.remove && !o.print {
		if done, err = o.workspaceAt(env, at); err != nil {
			return err
		}
	}
	said, err := o.carryOut(planned)
	if err != nil {
		return err
	}
	done = append(done, said...)
	if len(o.clients) == 0 && !o.print {
		done = append(done, at.noHook()...)
	}
	return env.printInit(done)
}

func (o *initOptions) check() error {
	if err := oneOf("scope", o.scope, "local", "project", "user"); err != nil {
		return err
	}
	if err := oneOf("workflow", o.workflow, aiDLC); err != nil {
		return err
	}
	for _, l := range o.layouts {
		if _, err := unit.ParseLayout(l); err != nil {
			return err
		}
	}
	for _, c := range o.clients {
		if c == auto || slices.Contains(clientNames(), c) {
			continue
		}
		err := error(usageError{fmt.Errorf("unknown client %q", c)})
		if n, ok := nearest.Nearest(c, clientNames()); ok {
			return hint(err, "did you mean --client %s?", n)
		}
		return hint(err, "one of %s", strings.Join(clientNames(), ", "))
	}
	if o.remove && len(o.clients) == 0 {
		return usageError{errors.New("--remove needs --client")}
	}
	return o.checkAgents()
}

// checkAgents holds that there are agents exactly where a client needs them.
func (o *initOptions) checkAgents() error {
	need := ""
	for _, name := range o.clients {
		if c, err := install.ByName(name); err == nil && c.Agents {
			need = name
		}
	}
	switch {
	case need != "" && len(o.agents) == 0:
		return usageError{fmt.Errorf("--client %s needs --agent: its hooks stand in an agent's own file", need)}
	case need == "" && len(o.agents) > 0 && !slices.Contains(o.clients, auto):
		return usageError{errors.New("--agent is for clients that keep hooks with agents")}
	}
	return nil
}

// workspaceAt makes the workspace, unless the place is a linked worktree of one.
func (o *initOptions) workspaceAt(env *Env, at place) ([]string, error) {
	if at.main != "" {
		return []string{"this linked worktree belongs to the workspace " + at.main}, nil
	}
	return o.workspace(env, at.root)
}

// workspace makes the records' folder and conduct.yaml.
func (o *initOptions) workspace(env *Env, root string) ([]string, error) {
	var done []string
	dir := filepath.Join(root, workspace.Folder)
	was := exists(filepath.Join(dir, workspace.Marker))
	if err := file.Init(dir); err != nil {
		return nil, fmt.Errorf("cannot make %q: %w", dir, err)
	}
	if !was {
		done = append(done, "made "+dir)
		o.warnOuter(env, root)
	}
	layouts, how := o.layouts, "found"
	had := exists(filepath.Join(root, config.File))
	if len(layouts) == 0 && !had {
		if layouts = config.Detect(root); len(layouts) == 0 {
			layouts, how = workflowLayout(o.workflow), "set"
		}
	}
	if len(layouts) > 0 || !had {
		changed, err := config.Write(root, layouts)
		if err != nil {
			return nil, err
		}
		if changed {
			done = append(done, "wrote "+filepath.Join(root, config.File))
		}
	}
	switch {
	case len(layouts) == 0 && !had:
		done = append(done, "no known layout fits here: say in conduct.yaml where units lie, or conduct init --layout 'packages/{unit}'")
	case len(o.layouts) == 0 && !had:
		done = append(done, how+" the layout "+strings.Join(layouts, ", "))
	}
	return done, nil
}

// warnOuter says that a new workspace lies in another one, whose records are not its own.
func (o *initOptions) warnOuter(env *Env, root string) {
	found, err := workspace.Find(filepath.Dir(root), workspace.Options{})
	if err != nil || len(found.Workspaces) == 0 {
		return
	}
	outer := found.Workspaces[0].Root
	env.warn("%q is a workspace already, and what is dispatched there is not seen from %q (conduct --dir %s status)", outer, root, outer)
}

func (e *Env) printInit(lines []string) error {
	if e.json {
		var w wire.Writer
		w.Object("").Strings("done", lines).End()
		_, err := fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(e.Stdout, l)
	}
	return nil
}
