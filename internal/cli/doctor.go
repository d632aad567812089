package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/install"
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
}

func newDoctor(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "prove that the installed hook blocks, and show what is wrong", Args: cobra.NoArgs,
		Long: `Runs the hook's command line as it stands in the settings, through the client's
shell, with a call that must be blocked; and looks for damaged records and lost
audit lines. Exit 1 when something promised does not hold.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), env) },
	}
}

func runDoctor(ctx context.Context, env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	var out []finding
	out = append(out, d.checkConfig(), d.checkDamaged(), d.checkLost(), d.checkOff(), d.checkLastCall())
	out = append(out, d.checkHooks(ctx)...)
	out = append(out, d.checkSandbox(ctx))
	out = append(out, d.checkHardLinks(), finding{OK: true, Note: true, Name: "shell", Detail: shellNote})
	return env.printFindings(out)
}

func (e *Env) printFindings(all []finding) error {
	bad := false
	var w wire.Writer
	w.Object("").Array("findings")
	for _, f := range all {
		bad = bad || !f.OK
		mark := "ok  "
		switch {
		case !f.OK:
			mark = "FAIL"
		case f.Note:
			mark = "note"
		}
		if !e.json {
			fmt.Fprintf(e.Stdout, "%s %-10s %s\n", mark, f.Name, f.Detail)
		}
		w.Object("").Bool("ok", f.OK).String("name", f.Name).String("detail", f.Detail).End()
	}
	w.End().Bool("ok", !bad).End()
	if e.json {
		fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
	}
	if bad {
		return quiet(exitFailed)
	}
	return nil
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

// checkSandbox says which sandbox works here, by trying it out.
func (d *desk) checkSandbox(ctx context.Context) finding {
	b, err := d.sandbox(ctx, "auto")
	if err != nil {
		return finding{OK: true, Note: true, Name: "sandbox", Detail: "none works here, so commands that are not understood are blocked: " + oneLine(err.Error())}
	}
	return finding{OK: true, Name: "sandbox", Detail: b.Name() + ": a canary could be read, another could not"}
}

// checkHooks runs every installed hook of ours.
func (d *desk) checkHooks(ctx context.Context) []finding {
	found, err := install.Find(d.ws.Root, d.env.Getenv("HOME"))
	if err != nil {
		return []finding{{Name: "hook", Detail: oneLine(err.Error())}}
	}
	var out []finding
	for _, h := range found {
		if h.Event != "PreToolUse" {
			continue
		}
		f := finding{Name: "hook", Detail: h.File}
		if err := d.canary(ctx, h); err != nil {
			f.Detail += ": " + oneLine(err.Error())
		} else {
			f.OK, f.Detail = true, h.File+": the canary was blocked"
		}
		out = append(out, f)
		if h.Path != "" {
			if why := install.Unstable(h.Path); why != "" {
				out = append(out, finding{OK: true, Note: true, Name: "hook", Detail: why})
			}
		}
	}
	if len(out) == 0 {
		return []finding{{Name: "hook", Detail: "none is installed for claude-code (conduct init --client claude-code)"}}
	}
	return out
}

var errNotBlocked = errors.New("the canary was NOT blocked")

// canary runs a hook's command line on a call that must be blocked: in a
// workspace of its own, so that nothing here is touched. The line's own
// workspace is put in place of it by CONDUCT_DIR.
func (d *desk) canary(ctx context.Context, h install.Installed) error {
	root, err := os.MkdirTemp("", "conduct-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	id, err := d.env.canaryWorkspace(ctx, root)
	if err != nil {
		return fmt.Errorf("cannot make the canary: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", h.Command)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CONDUCT_DIR="+filepath.Join(root, ".conduct"), "CONDUCT_DISPATCH="+id, "CLAUDE_PROJECT_DIR="+root, "CONDUCT_OFF=")
	cmd.Stdin = strings.NewReader(canaryPayload(root))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(stdout.String(), `"deny"`):
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 2 && stderr.Len() > 0:
		return fmt.Errorf("the guard did not answer, the line itself blocked: %s", oneLine(stderr.String()))
	}
	return errNotBlocked
}

// canaryWorkspace makes a workspace of two units with one dispatched.
func (e *Env) canaryWorkspace(ctx context.Context, root string) (string, error) {
	ce := *e
	ce.dir, ce.json = root, false
	o := initOptions{layouts: []string{"units/{unit}"}, scope: "local"}
	for _, u := range []string{"A", "B"} {
		if err := os.MkdirAll(filepath.Join(root, "units", u), 0o700); err != nil {
			return "", err
		}
	}
	if _, err := o.workspace(&ce, root); err != nil {
		return "", err
	}
	ce.Getenv = func(string) string { return "" }
	d, err := ce.open()
	if err != nil {
		return "", err
	}
	defer d.close()
	q, err := d.request(dispatchOptions{unit: "A", agent: "canary"}, false)
	if err != nil {
		return "", err
	}
	got, err := d.book.Open(ctx, q)
	if err != nil {
		return "", err
	}
	return string(got.ID), nil
}

func canaryPayload(root string) string {
	var w wire.Writer
	w.Object("").String("session_id", "doctor").String("cwd", root).String("hook_event_name", "PreToolUse").
		String("tool_name", "Read").Object("tool_input").String("file_path", filepath.Join(root, "units/B/canary.md")).End().
		String("tool_use_id", "doctor").End()
	return string(w.Bytes())
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
