package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed6310be5c/conduct/install"
)

// checkHooks looks at every agent program that is in use or has a hook of ours, and
// returns those programs too.
func (d *desk) checkHooks(ctx context.Context) (out []finding, programs []install.Client) {
	home := d.env.Getenv("HOME")
	hooks, err := install.Find(d.ws.Root, home)
	if err != nil {
		out = append(out, bad("hook", "%s", err))
	}
	// The settings that a program reads are those of the folder that it starts in.
	if start, serr := d.env.start(); serr == nil && !sameFolder(start, d.ws.Root) {
		more, _ := install.Find(start, "") // an unreadable one there is the worktrees' finding
		hooks = append(hooks, more...)
	}
	others, _ := install.Others(d.ws.Root, home) // what failed is in err
	used := place{root: d.ws.Root, home: home}.detect()
	versions := versionsOf(ctx, used)
	for _, c := range install.Clients() {
		mine := ofClient(hooks, c.Name)
		inUse := slices.ContainsFunc(used, func(f install.Found) bool { return f.Client.Name == c.Name })
		if len(mine) == 0 && !inUse {
			continue
		}
		programs = append(programs, c)
		about := []finding{programFinding(c, versions[c.Name])}
		about = append(about, d.checkClient(ctx, c, mine, home)...)
		for _, h := range ofClient(others, c.Name) {
			if len(mine) > 0 {
				about = append(about, note("hook", "%s has another hook before tools (%s): where both may change a command, it is blocked and not confined", h.File, orAll(h.Matcher)))
			}
		}
		for i := range about {
			about[i].Client = c.Name
		}
		out = append(out, about...)
	}
	if err == nil && !slices.ContainsFunc(hooks, install.Installed.Judges) {
		out = append(out, bad("hook", "none is installed (conduct init --client claude-code, or another)"))
	}
	return out, programs
}

func orAll(matcher string) string {
	if matcher == "" {
		return "all tools"
	}
	return matcher
}

func ofClient(all []install.Installed, name string) []install.Installed {
	var out []install.Installed
	for _, h := range all {
		if h.Client == name {
			out = append(out, h)
		}
	}
	return out
}

var versionNumber = regexp.MustCompile(`\d+\.\d+\.\d+[0-9A-Za-z.+-]*`)

// versionsOf asks the programs for their versions, all at once.
func versionsOf(ctx context.Context, used []install.Found) map[string]string {
	var lock sync.Mutex
	var all sync.WaitGroup
	out := map[string]string{}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for _, f := range used {
		path := f.Client.Binary()
		if path == "" {
			continue
		}
		all.Go(func() {
			cmd := exec.CommandContext(ctx, path, "--version")
			cmd.WaitDelay = time.Second
			said, err := cmd.Output()
			lock.Lock()
			defer lock.Unlock()
			if out[f.Client.Name] = versionNumber.FindString(string(said)); err != nil {
				out[f.Client.Name] = ""
			}
		})
	}
	all.Wait()
	return out
}

// programFinding says what is known of a program.
func programFinding(c install.Client, found string) finding {
	path := c.Binary()
	switch {
	case c.Tested == "":
		return note(c.Name, "%s: not verified, known from its documentation only", orElse(path, "not on the PATH"))
	case path == "":
		return note(c.Name, "not on the PATH; tried with %s", c.Tested)
	case found == "":
		return note(c.Name, "%s does not tell its version; tried with %s", path, c.Tested)
	case found != c.Tested:
		return note(c.Name, "%s is version %s; tried with %s: the first calls prove it (conduct log)", path, found, c.Tested)
	}
	return good(c.Name, "%s is version %s, which the hook was tried with", path, found)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// checkClient proves the hooks of one program.
func (d *desk) checkClient(ctx context.Context, c install.Client, hooks []install.Installed, home string) []finding {
	var out []finding
	for _, h := range hooks {
		if !h.Judges() {
			continue
		}
		out = append(out, d.prove(ctx, h))
		out = append(out, checkPath(h)...)
		out = append(out, checkLimit(h)...)
		out = append(out, checkTrust(h, home)...)
		if missing := missingEvents(c, h, hooks); len(missing) > 0 {
			out = append(out, note("hook", "%s has no hook for %s: conduct init --client %s adds what is missing", h.File, strings.Join(missing, ", "), c.Name))
		}
	}
	if len(out) == 0 {
		return []finding{note("hook", "none for %s, which seems to be in use (conduct init --client %s)", c.Title, c.Name)}
	}
	return out
}

// prove runs the canaries through a hook.
func (d *desk) prove(ctx context.Context, h install.Installed) finding {
	err := d.canary(ctx, h)
	switch {
	case errors.Is(err, errNotRun):
		return note("hook", "%s: %s", h.File, oneLine(err.Error()))
	case err != nil:
		return bad("hook", "%s: %s", h.File, err)
	}
	return good("hook", "%s: the canary was blocked, its own file was not", h.File)
}

// checkPath looks at the guard that a hook starts.
func checkPath(h install.Installed) []finding {
	path := h.Path
	if !filepath.IsAbs(path) {
		found, err := exec.LookPath(path)
		if err != nil {
			return []finding{note("hook", "%s starts %q, which is not on the PATH here", h.File, h.Path)}
		}
		path = found
	}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return []finding{bad("hook", "%s starts %s, which is not there: conduct init --client %s", h.File, path, h.Client)}
	case !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0:
		return []finding{bad("hook", "%s starts %s, which cannot be executed", h.File, path)}
	}
	if why := install.Unstable(path); why != "" {
		return []finding{note("hook", "%s: %s", path, why)}
	}
	return nil
}

// leastLimit is the time limit in seconds below which a program may stop the guard
// before that gives up by itself; most programs then let the call pass.
const leastLimit = 3

func checkLimit(h install.Installed) []finding {
	if h.Timeout > 0 && h.Timeout < leastLimit {
		return []finding{bad("hook", "%s gives the guard %gs, which needs up to 2s for an answer and some to start: make it 60", h.File, h.Timeout)}
	}
	return nil
}

func checkTrust(h install.Installed, home string) []finding {
	switch install.TrustOf(h, home) {
	case install.TrustOnce:
		return []finding{note("trust", "%s was trusted; Codex compares a hash that cannot be checked from here: /hooks shows whether it still is", h.File)}
	case install.TrustOff:
		return []finding{bad("trust", "%s is switched off in ~/.codex/config.toml: switch it on under /hooks", h.File)}
	case install.TrustNoProject:
		return []finding{bad("trust", "%s is in a project that ~/.codex/config.toml does not trust, so Codex does not read it: start Codex there and trust the folder, then the hook under /hooks", h.File)}
	case install.TrustNever:
		return []finding{bad("trust", "%s is not trusted, so Codex skips it without a word: confirm it under /hooks", h.File)}
	case install.TrustUnknown:
		return []finding{note("trust", "%s: Codex has no ~/.codex/config.toml here, so whether it trusts the hook is not known: confirm it under /hooks", h.File)}
	}
	return nil
}

// missingEvents are the events without a hook in the file of one.
func missingEvents(c install.Client, h install.Installed, hooks []install.Installed) []string {
	var out []string
	for _, e := range c.Events() {
		if !slices.ContainsFunc(hooks, func(o install.Installed) bool { return o.File == h.File && o.Event == e }) {
			out = append(out, e)
		}
	}
	return out
}
