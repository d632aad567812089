package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

type checkOptions struct {
	selection
	dispatch, op string
}

func newCheck(env *Env) *cobra.Command {
	var o checkOptions
	c := &cobra.Command{
		Use: "check --unit U [--op read|write|list|search] PATH…", Short: "say what the guard would say to a path",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("argument PATH is missing")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(env, args) },
	}
	o.add(c.Flags())
	c.Flags().StringVar(&o.dispatch, "dispatch", "", "of this dispatch (a worker names its own)")
	c.Flags().StringVar(&o.op, "op", "read", "read, write, list or search")
	return c
}

func (o *checkOptions) run(env *Env, paths []string) error {
	ops := map[string]guard.Op{"read": guard.Read, "write": guard.Read | guard.Write, "list": guard.List, "search": guard.Search}
	op, ok := ops[o.op]
	if !ok {
		return oneOf("op", o.op, "read", "write", "list", "search")
	}
	sel, err := o.selector()
	if err != nil {
		return err
	}
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	asWorker := o.dispatch
	if asWorker == "" && o.unit == "" && o.id == "" {
		asWorker = env.mine()
	}
	var got *dispatch.Dispatch
	if asWorker != "" {
		got, err = d.own(asWorker)
	} else {
		got, err = d.book.Find(sel)
	}
	var lines []audit.Line
	switch {
	case asWorker != "" && errors.Is(err, dispatch.ErrNone):
		for _, p := range paths {
			lines = append(lines, audit.Line{Time: env.Clock.Now(), Code: guard.Undispatched.String(), Op: o.op, Target: p,
				Reason: guard.Refusal(guard.Undispatched)})
		}
	case err != nil:
		return err
	default:
		for _, p := range paths {
			line, err := d.check(got, p, op, asWorker != "")
			if err != nil {
				return err
			}
			line.Op = o.op
			lines = append(lines, line)
		}
	}
	return env.printChecks(lines)
}

// check asks the guard about one path.
func (d *desk) check(got *dispatch.Dispatch, path string, op guard.Op, worker bool) (audit.Line, error) {
	start, err := d.env.start()
	if err != nil && !filepath.IsAbs(path) {
		return audit.Line{}, err
	}
	disk := unit.NewDisk()
	roots := gate.Roots(d.ws)
	target := guard.Target{Op: op, Path: path}
	if op == guard.Search && path == "" {
		target.Implied = true
	}
	out := guard.Decide(guard.Input{
		Call: guard.Call{Client: "generic", Event: guard.ToolCall, Marks: true, Cwd: start, Tool: "check",
			Targets: []guard.Target{target}, Writes: op&guard.Write != 0},
		Now: d.env.Clock.Now(), FS: disk, Env: guard.Env{Dispatch: string(got.ID), Home: d.env.Getenv("HOME"), Temp: []string{"/tmp"}},
		Workspaces: []guard.Workspace{{Root: unit.Split(d.ws.Root), Records: d.book, Roots: func() unit.Roots { return roots }}},
	})
	line := audit.Line{
		Time: d.env.Clock.Now(), Allowed: out.Allowed(), Code: out.Code.String(), Target: path,
		Path: out.Path, Unit: out.Unit, Dispatch: string(got.ID), Agent: got.Agent, Tool: "check", Reason: out.Reason,
	}
	if out.Code == guard.WouldBlock {
		line.Would = out.Would.String()
	}
	if !worker {
		line.Path, line.Unit = d.where(got, roots, disk, start, path)
	}
	return line, nil
}

// where says where a path leads, for a person.
func (d *desk) where(got *dispatch.Dispatch, roots unit.Roots, disk unit.FS, start, path string) (rel, name string) {
	if !filepath.IsAbs(path) {
		path = start + "/" + path
	}
	pl, err := unit.Resolve(disk, path)
	if err != nil {
		return "", ""
	}
	scope, err := got.Grant.Scope()
	if err != nil {
		return "", ""
	}
	l := scope.Locate(roots, pl.Real, func() bool { return pl.Info.Mode&fs.ModeType == 0 && pl.Info.Ino != 0 })
	if l.Rel == nil {
		return pl.Real.String(), l.Unit
	}
	return l.Rel.Rel(), l.Unit
}

func (e *Env) printChecks(lines []audit.Line) error {
	blocked := false
	for i := range lines {
		blocked = blocked || !lines[i].Allowed
	}
	switch {
	case e.json && len(lines) == 1:
		fmt.Fprintf(e.Stdout, "%s\n", lines[0].Public())
	case e.json:
		var w wire.Writer
		w.Object("").Array("checks")
		for i := range lines {
			w.Raw("", lines[i].Public())
		}
		w.End().End()
		fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
	default:
		for i := range lines {
			fmt.Fprintln(e.Stdout, describe(&lines[i]))
			if lines[i].Reason != "" {
				fmt.Fprintf(e.Stdout, "        %s\n", lines[i].Reason)
			}
		}
	}
	if blocked {
		return quiet(exitBlocked)
	}
	return nil
}

// describe writes a line of the audit for people.
func describe(l *audit.Line) string {
	said := "allowed"
	if !l.Allowed {
		said = "blocked"
	}
	parts := []string{fmt.Sprintf("%-7s %-15s %-6s", said, l.Code, l.Op), l.Target}
	if l.Would != "" {
		parts = append(parts, "(would be "+l.Would+")")
	}
	return strings.TrimRight(strings.Join(parts, " "), " ")
}
