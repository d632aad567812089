package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/guardcmd"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if env.json {
				var w wire.Writer
				w.Object("").String("version", version()).String("go", runtime.Version()).End()
				_, err := fmt.Fprintf(env.Stdout, "%s\n", w.Bytes())
				return err
			}
			_, err := fmt.Fprintf(env.Stdout, "conduct %s (%s)\n", version(), runtime.Version())
			return err
		},
	}
}

// newGuard is the hook as a verb, for settings that can name one program only.
func newGuard(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "guard --client NAME [--dispatch ID | --agent NAME] [--dir DIR]", Short: "the hook: payload on stdin, the client's answer out",
		DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, a := range args {
				if a == "-h" || a == "--help" {
					_, err := fmt.Fprintln(env.Stdout, "conduct guard --client NAME [--dispatch ID | --agent NAME] [--dir DIR]: the same as conduct-guard")
					return err
				}
			}
			code := guardcmd.Run(args, gate.Options{Stdin: env.Stdin, Getenv: env.Getenv, Clock: env.Clock}, env.Stdout, env.Stderr)
			if code != exitOK {
				return quiet(code)
			}
			return nil
		},
	}
}

func newUnit(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "unit", Short: "show the units (work packages, stories, lanes) of the workspace", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: "list the units", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listUnits(env) },
	}, &cobra.Command{
		Use: "show UNIT", Short: "show one unit", Args: wanted("UNIT"),
		RunE: func(_ *cobra.Command, args []string) error { return showUnit(env, args[0]) },
	})
	return c
}

func (d *desk) unitSet() (unit.Set, error) {
	c, err := d.settings()
	if err != nil {
		return unit.Set{}, err
	}
	return unitSet(d.ws.Root, c)
}

func listUnits(env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	set, err := d.unitSet()
	if err != nil {
		return err
	}
	units, err := set.All(unit.NewDisk(), 0)
	if err != nil {
		return err
	}
	if env.json {
		var w wire.Writer
		w.Object("").Array("units")
		for _, u := range units {
			w.Object("")
			writeUnit(&w, u)
			w.End()
		}
		w.End().End()
		_, err := fmt.Fprintf(env.Stdout, "%s\n", w.Bytes())
		return err
	}
	for _, u := range units {
		fmt.Fprintf(env.Stdout, "%s\t%s\n", u.Name, strings.Join(u.Paths, ", "))
	}
	if len(units) == 0 {
		env.warn("no units yet; conduct.yaml says where they lie")
	}
	return nil
}

func writeUnit(w *wire.Writer, u unit.Unit) {
	w.String("name", u.Name).Strings("paths", u.Paths).Strings("reads", u.Reads).Bool("listed", u.Listed)
}

func showUnit(env *Env, name string) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	set, err := d.unitSet()
	if err != nil {
		return err
	}
	u, err := set.Lookup(unit.NewDisk(), name)
	if err != nil {
		return d.unknownUnit(set, name, err)
	}
	found, err := d.book.List(false)
	if err != nil {
		return err
	}
	var w wire.Writer
	w.Object("")
	writeUnit(&w, u)
	w.Array("dispatches")
	text := ""
	for _, got := range found.Dispatches {
		if got.Live() && got.Unit == u.Name {
			w.String("", string(got.ID))
			text += fmt.Sprintf("dispatched to %q as %s\n", got.Agent, got.ID)
		}
	}
	w.End().End()
	if env.json {
		_, err = fmt.Fprintf(env.Stdout, "%s\n", w.Bytes())
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\n%s\n%s", u.Name, strings.Join(u.Paths, "\n"), text)
	return err
}
