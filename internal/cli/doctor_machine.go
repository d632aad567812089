package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/install"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/workspace"
)

// checkSandboxes says which sandboxes work here, by trying each out.
func (d *desk) checkSandboxes(ctx context.Context) (out []finding, works bool) {
	first, err := d.sandbox(ctx, "auto")
	if err != nil {
		return []finding{note("sandbox", "none works here, so commands that are not understood are blocked: %s", oneLine(err.Error()))}, false
	}
	out = append(out, good("sandbox", "%s: a canary could be read, another could not", first.Name()))
	for _, name := range []string{"bwrap", "landlock"} {
		if name == first.Name() {
			continue
		}
		if b, err := d.sandbox(ctx, name); err == nil {
			out = append(out, good("sandbox", "%s works too (conduct exec --sandbox %s)", b.Name(), b.Name()))
		} else {
			out = append(out, note("sandbox", "%s", oneLine(err.Error())))
		}
	}
	return out, true
}

// checkBoard reads all that is on the board, every event too, where there is one.
func (d *desk) checkBoard() []finding {
	b, err := d.board().Board()
	for i := range b.Items {
		if err == nil {
			err = d.refold(b.Items[i].ID)
		}
	}
	if err == nil {
		_, err = d.mail().Boxes("")
	}
	switch {
	case err != nil:
		return []finding{{Name: "board", Detail: oneLine(err.Error()) + " (correct that file, or conduct board remove --item ID)"}}
	case len(b.Items) == 0:
		return nil
	}
	return []finding{good("board", "%d items, none damaged", len(b.Items))}
}

// refold reads the events of an item: what they were folded to is a shortcut, which stands
// where an event is spoilt in its place.
func (d *desk) refold(id store.ID) error {
	events, err := d.board().Events(id)
	if err == nil {
		_, err = ledger.Fold(id, events)
	}
	return err
}

// checkFiles says what the file system is like.
func (d *desk) checkFiles() []finding {
	say := "names in another case are other files"
	if unit.Folds(unit.NewDisk(), unit.Split(d.ws.Root)) {
		say = "names in another case are the same files, here and for the guard"
	}
	out := []finding{good("files", "%s", say)}
	if net := system.Network(d.ws.Dir); net != "" {
		out = append(out, note("files", "the records are on %s: where its locks do not reach other machines, dispatch from one", net))
	}
	return out
}

// checkWorktrees looks for linked worktrees in which a session would have no hook.
func (d *desk) checkWorktrees() finding {
	roots, err := workspace.Roots(d.ws)
	if err != nil {
		return note("worktrees", "%s", oneLine(err.Error()))
	}
	var without []string
	for _, root := range roots[1:] {
		if !guarded([]string{root}, d.env.Getenv("HOME")) {
			without = append(without, root)
		}
	}
	switch {
	case len(roots) == 1:
		return good("worktrees", "none linked")
	case len(without) > 0:
		return note("worktrees", "%d of %d linked ones have no hook, first %s: a session that starts there is not guarded (conduct init --client NAME there, or --scope user)",
			len(without), len(roots)-1, without[0])
	}
	return good("worktrees", "%d linked, each with a hook", len(roots)-1)
}

// guarded says whether a program that starts in one of these folders would call
// a hook of ours.
func guarded(folders []string, home string) bool {
	for _, dir := range append(slices.Clone(folders), "") {
		at := ""
		if dir == "" {
			at = home
		}
		found, _ := install.Find(dir, at) // what cannot be read has no hook
		if slices.ContainsFunc(found, install.Installed.Judges) {
			return true
		}
	}
	return false
}

// hookInstalled says whether a session in the start folder would call a hook: one
// of the folder itself, of those above it up to the checkout's top, or of the home.
func (d *desk) hookInstalled() bool {
	start, err := d.env.start()
	if err != nil {
		return false
	}
	top := d.ws.Root
	if d.ws.Here != "" {
		top = d.ws.Here // a linked worktree has settings of its own
	}
	folders := []string{top}
	for dir := start; strings.HasPrefix(dir, top+"/"); dir = dir[:strings.LastIndexByte(dir, '/')] {
		folders = append(folders, dir)
	}
	return guarded(folders, d.env.Getenv("HOME"))
}

// errNoHook is for a dispatch that nothing would enforce.
func errNoHook(root string) error {
	return hint(fmt.Errorf("no hook of an agent program is installed for %q: nothing would hold the agent to its unit", root), "conduct init --client NAME")
}
