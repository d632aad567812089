package guard

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// maxCommand is the length in bytes above which a command line is not read.
const maxCommand = 1 << 20

// line is a command line that was analyzed, once for a workspace.
type line struct {
	shell.Analysis
	err error
}

// analyze reads a command line in the folder that it runs in.
func (j *judge) analyze(c Command) line {
	key := c.Cwd + "\x00" + c.Text
	if got, ok := j.lines[key]; ok {
		return got
	}
	cwd, ok := j.absolute(".", c.Cwd)
	if !ok {
		cwd = ""
	}
	env := shell.Env{Cwd: strings.TrimSuffix(cwd, "/."), Home: j.in.Env.Home, Exists: j.isThere, Link: j.isLink}
	if j.roots == nil {
		j.roots = j.ws.Roots()
	}
	env.Top = j.top(cwd).String()
	env.Hooks = func() []string {
		var out []string
		for _, dir := range j.hooksPaths() {
			out = append(out, dir.String())
		}
		return out
	}
	a, err := shell.Analyze(c.Text, env)
	if j.lines == nil {
		j.lines = map[string]line{}
	}
	j.lines[key] = line{a, err}
	return j.lines[key]
}

// isThere says whether there is something at a path, and whether it is a folder
// that can be entered.
func (j *judge) isThere(abs string) (isDir, exists bool) {
	pl, err := j.resolve(abs)
	if err != nil {
		return false, false
	}
	if isDir = pl.Info.Mode.IsDir(); isDir {
		_, err = j.in.FS.Lstat(pl.Real.String() + "/.")
	}
	return isDir && err == nil, !pl.Missing
}

func (j *judge) isLink(abs string) bool {
	info, err := j.in.FS.Lstat(abs)
	return err == nil && info.Mode&fs.ModeSymlink != 0
}

// command judges a shell command line.
func (s *sight) command(c Command) Decision {
	t := Target{Op: Read, Path: c.Text}
	opaque := func(why string) Decision {
		return s.blocked(OpaqueCommand, t, refusal{detail: why})
	}
	switch {
	case c.Foreign && s.d.Grant.Knobs().Treat() == knobs.AsItIs:
		return Decision{Code: NoTarget}
	case c.Foreign:
		return opaque("it is for another kind of shell")
	case len(c.Text) > maxCommand:
		return opaque("it is too long; simplify the command")
	}
	l := s.j.analyze(c)
	if l.err != nil && c.Guess {
		return Decision{Code: NoTarget}
	}
	if l.err != nil {
		return opaque("it does not parse; simplify the command")
	}
	unnamed, ok := s.controls(l)
	if !ok {
		return s.control(t)
	}
	if l.Wipes {
		return s.blocked(Protected, t, refusal{})
	}
	for _, words := range l.Commands {
		if denied(s.d.Grant.Denied, words) {
			d := s.refused(ToolDenied, Target{Path: words[0]}, refusal{})
			if !d.Allowed() {
				return d
			}
			s.j.waive(d)
		}
	}
	for _, a := range l.Launches {
		if d := s.shellLaunch(t, a); !d.Allowed() {
			return d
		}
	}
	best := s.facts(l)
	if !best.Allowed() {
		return best
	}
	why, untold := s.untold(c, l)
	if untold && s.d.Grant.Knobs().Treat() == knobs.InABox && !s.j.waives(OpaqueCommand) {
		// Whose verbs they are is known by the process that confines the line.
		return s.opaque(c, t, why, best)
	}
	if len(unnamed) > 0 && !s.nameIn(c, l, unnamed) {
		return s.control(t)
	}
	if untold {
		return s.opaque(c, t, why, best)
	}
	return best
}

// shellLaunch judges the start of another agent program.
func (s *sight) shellLaunch(t Target, a shell.Launch) Decision {
	if s.j.at.depth >= s.d.Grant.MaxDepth {
		return s.blocked(DepthExceeded, t, refusal{})
	}
	for _, tok := range Tokens(a.Prompt) {
		if tok.ID != s.d.ID {
			return s.blocked(LaunchMismatch, t, refusal{detail: "this launch names another dispatch than yours"})
		}
	}
	return Decision{Code: NoTarget}
}

// untold returns why a line may touch more than its facts say, unless a person
// trusts the command that it is about.
func (s *sight) untold(c Command, l line) (string, bool) {
	// One word in a field of an unknown tool is more likely the name of an action.
	if c.Guess && !strings.ContainsAny(strings.TrimSpace(c.Text), " \t\n") {
		return "", false
	}
	for _, o := range l.Opaque {
		if o.Command < 0 || !listed(s.d.Grant.Commands, l.Commands[o.Command]) {
			return o.Reason, true
		}
	}
	for _, r := range l.Repos {
		if !listed(s.d.Grant.Commands, l.Commands[r.Command]) && slices.ContainsFunc(r.Cwds, s.j.otherRepository) {
			return "git would act on the settings of a repository that is not the workspace's", true
		}
	}
	if s.confinesAll(l) {
		return "every command of this dispatch runs confined", true
	}
	return "", false
}

// confinesAll says whether a line that is understood is to run confined all the same.
// What a person trusts is not, nor are our own programs, which could not do their work.
func (s *sight) confinesAll(l line) bool {
	g := s.d.Grant
	if treat := g.Knobs().Treat(); !g.ConfineAll || treat != knobs.InABox && treat != knobs.Unboxed {
		return false
	}
	return !l.ours() && (len(l.Commands) == 0 || slices.ContainsFunc(l.Commands, func(words []string) bool { return !listed(g.Commands, words) }))
}

// otherRepository says whether git, run in a folder, finds another repository than
// the one that the workspace lies in: whoever can write to a folder can make it one,
// of plain files too, and its settings run programs.
func (j *judge) otherRepository(dir string) bool {
	abs, ok := j.absolute(".", dir)
	if !ok {
		return true
	}
	pl, err := j.resolve(abs)
	if err != nil {
		return true
	}
	for n := len(pl.Real); n >= 0; n-- {
		at := pl.Real[:n]
		bare := j.isBare(at)
		if !bare && !j.has(at, ".git") {
			continue
		}
		return bare && !j.has(at, ".git") || !slices.ContainsFunc(j.roots, func(r unit.Path) bool { return r.Under(at, false) })
	}
	return false
}

// isBare says whether a folder is itself a repository, for git.
func (j *judge) isBare(dir unit.Path) bool {
	return j.has(dir, "HEAD") && (j.has(dir, "commondir") || j.has(dir, "objects") && j.has(dir, "refs"))
}

func (j *judge) has(dir unit.Path, name string) bool {
	_, err := j.in.FS.Lstat(strings.TrimSuffix(dir.String(), "/") + "/" + name)
	return err == nil
}

// opaque decides on a line that is not understood, by the grant's policy.
func (s *sight) opaque(c Command, t Target, why string, best Decision) Decision {
	treat := s.d.Grant.Knobs().Treat()
	if treat != knobs.AsItIs && s.j.waives(OpaqueCommand) {
		// The yes is to the line as it stands: confined, it could not do what was allowed.
		d := s.refused(OpaqueCommand, t, refusal{})
		s.j.waive(d)
		return d
	}
	switch treat {
	case knobs.AsItIs:
		return best
	case knobs.Unboxed:
		why += "; it would have to run confined, and the sandbox of this dispatch is switched off"
	case knobs.InABox:
		obstacle := s.j.confine(c, s.d)
		if obstacle == "" {
			return best
		}
		why += "; it cannot run confined, since " + obstacle
	}
	return s.blocked(OpaqueCommand, t, refusal{detail: why})
}

// facts judges what a line does as far as its text tells.
func (s *sight) facts(l line) Decision {
	best := Decision{Code: NoTarget}
	for _, f := range l.Facts {
		bases := f.Cwds
		if f.Top {
			bases = []string{s.j.top(first(f.Cwds)).String()}
		} else if len(bases) == 0 {
			bases = []string{""}
		}
		for _, base := range bases {
			d := s.fact(f, base)
			if !d.Allowed() {
				return d
			}
			s.j.waive(d)
			best = better(best, d)
		}
	}
	return best
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// fact judges one use of a path from one folder.
func (s *sight) fact(f shell.Fact, base string) Decision {
	t := Target{Op: Read, Path: f.Written, Base: base, Implied: f.Implied && f.Written == ""}
	abs, ok := s.j.absolute(f.Path, base)
	if !ok {
		if f.Guess {
			return Decision{Code: NoTarget}
		}
		return s.blocked(Unresolvable, t, refusal{detail: "a relative path, and its folder is not known"})
	}
	if f.Glob {
		return s.expanded(f, t, base)
	}
	pl, err := s.j.resolve(abs)
	if err != nil {
		if f.Guess {
			return Decision{Code: NoTarget}
		}
		return s.blocked(Unresolvable, t, refusal{detail: "the path cannot be resolved"})
	}
	if f.Guess {
		return s.mentioned(f, t, abs, pl)
	}
	if badText(f.Path) && pl.Missing {
		return s.blocked(Unresolvable, t, refusal{detail: "the path has control characters"})
	}
	switch f.Op {
	case shell.Write:
		t.Op = Read | Write
	case shell.Place:
		if t.Op = Read | Write; pl.Info.Mode.IsDir() {
			t.Op = 0 // what is put into it is a fact of its own
		}
	case shell.List:
		t.Op = List
		if !pl.Info.Mode.IsDir() {
			t.Op = Read
		}
	case shell.Search:
		t.Op, t.Follows = Search, f.Follows
	case shell.Enter:
		return s.entered(t, abs)
	}
	return s.withRemedy(f, s.judge(t, abs), t)
}

// mentioned judges a text that may be a path: code for an interpreter, an operand
// of a program that is not known. It is refused when it names a sibling or what
// is protected, and counts for nothing else.
func (s *sight) mentioned(f shell.Fact, t Target, abs string, pl unit.Place) Decision {
	if pl.Missing && !strings.Contains(f.Path, "/") {
		return Decision{Code: NoTarget}
	}
	d := s.judge(t, abs)
	switch {
	case d.was() == SiblingUnit && d.Unit == "":
		// Only above siblings: what the code does there is for the sandbox to hold.
	case d.was() == SiblingUnit, d.Code == Protected, d.Code == Ambiguous, d.Code == Released, d.Code == Expired:
		return d
	}
	return Decision{Code: NoTarget}
}

// entered judges a folder that is only gone to: naming one above siblings is no harm.
func (s *sight) entered(t Target, abs string) Decision {
	d := s.judge(t, abs)
	if d.was() == SiblingSearch || d.was() == SiblingUnit && d.Unit == "" {
		return Decision{Code: NoTarget}
	}
	return d
}

// withRemedy puts the form of a command that passes into its refusal.
func (s *sight) withRemedy(f shell.Fact, d Decision, t Target) Decision {
	if d.Allowed() || f.Remedy == "" || d.Code != SiblingSearch && d.Code != SiblingUnit {
		return d
	}
	text := strings.ReplaceAll(f.Remedy, shell.Own, s.ownPathspec(first(f.Cwds)))
	return s.blocked(d.Code, t, refusal{unit: d.Unit, remedy: text})
}

// ownPathspec names the own unit for git, from a folder: "." inside of
// it, a path where it lies below, else one from the top.
func (s *sight) ownPathspec(dir string) string {
	cwd := unit.Split(dir)
	var specs []string
	for _, p := range s.d.Grant.Own.Paths {
		spec := ":/" + p
		for _, r := range s.j.roots {
			own := slices.Concat(r, unit.Split(p))
			if cwd.Under(own, s.scope.Fold) {
				return "."
			}
			if own.Under(cwd, s.scope.Fold) {
				spec = own[len(cwd):].Rel()
			}
		}
		specs = append(specs, spec)
	}
	return strings.Join(specs, " ")
}

// top is the root that a folder lies in: the top of its checkout, as far as we
// know it.
func (j *judge) top(dir string) unit.Path {
	best := j.ws.Root
	cwd := unit.Split(dir)
	for _, r := range j.roots {
		if cwd.Under(r, false) && len(r) > len(best) {
			best = r
		}
	}
	return best
}

// listed says whether a command begins with the words of one in a list.
func listed(list []string, words []string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		want := strings.Fields(l)
		return len(want) > 0 && len(words) >= len(want) && slices.Equal(words[:len(want)], want)
	})
}

// denied says whether a command is one of a list: its words stand in it in their
// order, with options and their values before each.
func denied(list []string, words []string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		want := strings.Fields(l)
		return len(want) > 0 && len(words) > 0 && (words[0] == want[0] || path.Base(words[0]) == want[0]) && follows(words[1:], want[1:])
	})
}

// follows says whether words begin with the wanted ones, but for options, of which
// each may take the word after it.
func follows(words, want []string) bool {
	if len(want) == 0 {
		return true
	}
	for len(words) > 0 {
		switch {
		case words[0] == want[0] && follows(words[1:], want[1:]):
			return true
		case !strings.HasPrefix(words[0], "-"):
			return false
		}
		if words = words[1:]; len(words) > 1 && !strings.HasPrefix(words[0], "-") && follows(words[1:], want) {
			return true
		}
	}
	return false
}
