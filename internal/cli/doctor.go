package cli

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

// finding is one line of doctor.
type finding struct {
	OK     bool
	Name   string
	Detail string
	// Note says that it is worth knowing and nothing is wrong.
	Note bool
	// Client is the program that it is about, "" for the machine or the workspace.
	Client string
}

func good(name, format string, args ...any) finding {
	return finding{OK: true, Name: name, Detail: fmt.Sprintf(format, args...)}
}

func note(name, format string, args ...any) finding {
	return finding{OK: true, Note: true, Name: name, Detail: fmt.Sprintf(format, args...)}
}

func bad(name, format string, args ...any) finding {
	return finding{Name: name, Detail: oneLine(fmt.Sprintf(format, args...))}
}

func newDoctor(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "prove that the installed hook blocks, and show what is wrong", Args: cobra.NoArgs,
		Long: `Runs the hooks' command lines as they stand in the settings, through the shell
that the program uses, with a call that must be blocked and one that must not.
Says for each agent program that is in use which version it is, where its hook
is and what goes round it; and looks for damaged records, a damaged board,
lost audit lines and worktrees without a hook. Exit 1 when something promised does not hold.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env) },
	}
}

func runDoctor(ctx context.Context, env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	out := []finding{d.checkConfig(), d.checkDamaged(), d.checkLost(), d.checkOff(), d.checkLastCall()}
	out = append(out, d.checkBoard()...)
	hooks, programs := d.checkHooks(ctx)
	out = append(out, hooks...)
	box, works := d.checkSandboxes(ctx)
	out = append(out, box...)
	out = append(out, d.checkFiles()...)
	out = append(out, d.checkWorktrees(), d.checkHardLinks(), note("shell", "%s", shellNote))
	return env.printFindings(out, reachOf(programs, works))
}

func (e *Env) printFindings(all []finding, reach []covered) error {
	failed := slices.ContainsFunc(all, func(f finding) bool { return !f.OK })
	if e.json {
		var w wire.Writer
		w.Object("").Array("findings")
		for _, f := range all {
			w.Object("").Bool("ok", f.OK).Bool("note", f.Note).String("name", f.Name).String("client", f.Client).String("detail", f.Detail).End()
		}
		w.End()
		writeReach(&w, reach)
		w.Bool("ok", !failed).End()
		fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
	} else {
		for _, f := range all {
			fmt.Fprintln(e.Stdout, f)
		}
		printReach(e.Stdout, reach)
	}
	if failed {
		return quiet(exitFailed)
	}
	return nil
}

func (f finding) String() string {
	mark := "ok  "
	switch {
	case !f.OK:
		mark = "FAIL"
	case f.Note:
		mark = "note"
	}
	return fmt.Sprintf("%s %-11s %s", mark, f.Name, f.Detail)
}

func (d *desk) checkConfig() finding {
	c, err := d.settings()
	if err != nil {
		return finding{Name: "config", Detail: oneLine(err.Error())}
	}
	set, err := unitSet(d.ws.Root, c)
	if err != nil {
		return finding{Name: "config", Detail: oneLine(err.Error())}
	}
	units, err := set.All(unit.NewDisk(), 0)
	if err != nil {
		return finding{Name: "config", Detail: oneLine(err.Error())}
	}
	return finding{OK: true, Name: "config", Detail: fmt.Sprintf("%d units", len(units))}
}

func (d *desk) checkDamaged() finding {
	found, err := d.book.List(false)
	if err != nil {
		return finding{Name: "records", Detail: oneLine(err.Error())}
	}
	if len(found.Damaged) > 0 {
		return finding{Name: "records", Detail: fmt.Sprintf("%d damaged, first %s: %s (conduct janitor --clear-damaged)",
			len(found.Damaged), found.Damaged[0].File, found.Damaged[0].Reason)}
	}
	return finding{OK: true, Name: "records", Detail: fmt.Sprintf("%d in force, none damaged", len(found.Dispatches))}
}

func (d *desk) checkLost() finding {
	if n := d.log.Lost(); n > 0 {
		return finding{Name: "audit", Detail: fmt.Sprintf("%d lines or bindings could not be written", n)}
	}
	return finding{OK: true, Name: "audit", Detail: "no line lost"}
}

func (d *desk) checkOff() finding {
	if until := d.book.Off(); !until.IsZero() {
		return finding{Name: "switch", Detail: "the guard stands aside until " + stamp(until) + " (conduct on)"}
	}
	return finding{OK: true, Name: "switch", Detail: "the guard acts"}
}

// checkLastCall says when a real call was judged last: a hook that is installed
// need not be called.
func (d *desk) checkLastCall() finding {
	var last time.Time
	for stream := range d.log.Streams() {
		for line, err := range d.log.Read(stream) {
			if err == nil && line.Time.After(last) {
				last = line.Time
			}
		}
	}
	if last.IsZero() {
		return finding{OK: true, Note: true, Name: "calls", Detail: "none seen yet: an installed hook is proved by its first call"}
	}
	return finding{OK: true, Name: "calls", Detail: "last judged " + stamp(last)}
}

// maxLinkLook bounds how many files of units are looked at for hard links.
const maxLinkLook = 20_000

// checkHardLinks reports files of units that have another name: what is linked
// elsewhere is not recognised as a unit's.
func (d *desk) checkHardLinks() finding {
	c, err := d.settings()
	if err != nil {
		return finding{OK: true, Note: true, Name: "hard links", Detail: "not looked at"}
	}
	set, err := unitSet(d.ws.Root, c)
	if err != nil {
		return finding{Name: "hard links", Detail: oneLine(err.Error())}
	}
	units, err := set.All(unit.NewDisk(), 0)
	if err != nil {
		return finding{Name: "hard links", Detail: oneLine(err.Error())}
	}
	left, with := maxLinkLook, 0
	for _, u := range units {
		for _, p := range u.Paths {
			_ = filepath.WalkDir(filepath.Join(d.ws.Root, p), func(name string, e fs.DirEntry, err error) error {
				if left--; left <= 0 {
					return fs.SkipAll
				}
				if err != nil || !e.Type().IsRegular() {
					return nil
				}
				if info, err := unit.NewDisk().Lstat(name); err == nil && info.Links > 1 {
					with++
				}
				return nil
			})
		}
	}
	if with > 0 {
		return finding{OK: true, Note: true, Name: "hard links", Detail: fmt.Sprintf("%d files of units have another name, which is not guarded", with)}
	}
	return finding{OK: true, Name: "hard links", Detail: "none in units"}
}
