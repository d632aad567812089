package guard

import (
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// maxCommand is the length in bytes above which a command line is not read.
const maxCommand = 1 << 20

// command judges a shell command line.
func (s *sight) command(c Command) Decision {
	t := Target{Op: Read, Path: c.Text}
	opaque := func(why string) Decision {
		return s.blocked(OpaqueCommand, t, refusal{detail: why})
	}
	if c.Foreign {
		if s.d.Grant.Opaque == grants.OpaqueAllow {
			return Decision{Code: NoTarget}
		}
		return opaque("it is for another kind of shell")
	}
	if len(c.Text) > maxCommand {
		return opaque("it is too long; simplify the command")
	}
	line, err := shell.Parse(c.Text)
	if err != nil && c.Guess {
		return Decision{Code: NoTarget}
	}
	if err != nil {
		return opaque("it does not parse; simplify the command")
	}
	for _, ctl := range line.Controls {
		if !s.mayRun(ctl) {
			return s.blocked(ControlCommand, t, refusal{})
		}
	}
	if line.Wipes {
		return s.blocked(Protected, t, refusal{})
	}
	for _, words := range line.Commands {
		if listed(s.d.Grant.Denied, words) {
			return s.blocked(ToolDenied, Target{Path: words[0]}, refusal{})
		}
	}
	best := s.words(c, line)
	if !best.Allowed() {
		return best
	}
	// One word in a field of an unknown tool is more likely the name of an action.
	action := c.Guess && !strings.ContainsAny(strings.TrimSpace(c.Text), " \t\n")
	if s.d.Grant.Opaque != grants.OpaqueAllow && !action {
		if line.Opaque != "" {
			return opaque(line.Opaque)
		}
		for _, i := range line.Unknown {
			if !listed(s.d.Grant.Commands, line.Commands[i]) {
				return opaque("it runs a program that is not known")
			}
		}
	}
	return best
}

// words judges the plain words of a line.
func (s *sight) words(c Command, line shell.Line) Decision {
	best := Decision{Code: NoTarget}
	for _, w := range line.Words {
		if slices.ContainsFunc(w.Unless, func(dir string) bool { return s.isFolder(join(c.Cwd, dir)) }) {
			continue // the line has gone there, and the word is judged from there
		}
		d, skip := s.word(c, w)
		if skip {
			continue
		}
		if !d.Allowed() {
			return d
		}
		if rank(d.Code) > rank(best.Code) {
			best = d
		}
	}
	return best
}

// isFolder says whether a folder that a command goes to is there.
func (s *sight) isFolder(dir string) bool {
	abs, ok := s.j.absolute(".", dir)
	if !ok {
		return false
	}
	pl, err := unit.Resolve(s.j.in.FS, abs)
	return err == nil && pl.Info.Mode.IsDir()
}

func (s *sight) word(c Command, w shell.Word) (Decision, bool) {
	t := Target{Op: Read, Path: w.Text, Base: join(c.Cwd, w.Cwd), Implied: w.Implied}
	if w.Top {
		t.Base = s.j.top().String()
	}
	abs, ok := s.j.absolute(w.Text, t.Base)
	if rest, tilde := strings.CutPrefix(w.Text, "~"); tilde && (rest == "" || rest[0] == '/') && s.j.in.Env.Home != "" {
		abs, ok = s.j.in.Env.Home+rest, true
	}
	if !ok {
		// Without a folder only words that look like paths can be refused.
		if w.Bare {
			return Decision{}, true
		}
		return s.blocked(Unresolvable, t, refusal{detail: "a relative path, and its folder is not known"}), false
	}
	writes := w.Use == shell.Written || w.Use == shell.Put
	if badText(w.Text) && !writes {
		// Text with line breaks is an argument, unless there is a file of that name.
		if pl, err := unit.Resolve(s.j.in.FS, abs); err != nil || pl.Missing {
			return Decision{}, true
		}
	}
	if w.Glob {
		return s.expanded(c, w, t), false
	}
	info, exists := s.exists(abs)
	if w.Bare && !exists && w.Use == shell.Operand {
		return Decision{}, true
	}
	switch w.Use {
	case shell.Listed:
		t.Op = List
	case shell.Written:
		t.Op = Read | Write
	case shell.Put:
		if t.Op = Read | Write; info.Mode.IsDir() {
			t.Op = 0 // what is put into it is another word
		}
	case shell.Searched:
		t.Op, t.Follows = Search, w.Follows
		if w.Implied {
			t.Path = ""
		}
	case shell.Operand:
		if info.Mode.IsDir() {
			t.Op, t.Follows = Read|Search, w.Follows
		}
	case shell.Entered:
		return s.entered(t, abs), false
	}
	return s.judge(t, abs), false
}

// entered judges a folder that is only gone to: naming one above siblings is no harm.
func (s *sight) entered(t Target, abs string) Decision {
	d := s.judge(t, abs)
	if d.Code == SiblingSearch {
		return Decision{Code: NoTarget}
	}
	return d
}

func (s *sight) exists(abs string) (unit.Info, bool) {
	pl, err := unit.Resolve(s.j.in.FS, abs)
	if err != nil {
		return unit.Info{}, true // it is judged, and then refused
	}
	return pl.Info, !pl.Missing
}

// join joins two folders, of which the second may be absolute.
func join(a, b string) string {
	switch {
	case a == "" || strings.HasPrefix(b, "/") || strings.HasPrefix(b, "~"):
		return b
	case b == "":
		return a
	}
	return a + "/" + b
}

// top is the root that the call's folder lies in: the top of its checkout, as
// far as we know it.
func (j *judge) top() unit.Path {
	best := j.ws.Root
	cwd := unit.Split(j.call.Cwd)
	for _, r := range j.roots {
		if cwd.Under(r, false) && len(r) > len(best) {
			best = r
		}
	}
	return best
}

// mayRun says whether a dispatched agent may run one of our own verbs.
func (s *sight) mayRun(c shell.Control) bool {
	switch c.Verb {
	case "version", "help":
		return true
	case "":
		return slices.Equal(c.Args, []string{"--version"}) || slices.Equal(c.Args, []string{"--help"}) || len(c.Args) == 0
	case "status", "check", "brief", "report", "request", "message", "inbox":
		return s.owns(c)
	}
	return false
}

// owns says whether a verb names the caller's own dispatch, and no other.
func (s *sight) owns(c shell.Control) bool {
	named := []string{}
	if c.Dispatch != "" {
		named = append(named, c.Dispatch)
	}
	for i, a := range c.Args {
		if v, ok := strings.CutPrefix(a, "--dispatch="); ok {
			named = append(named, v)
		} else if a == "--dispatch" && i+1 < len(c.Args) {
			named = append(named, c.Args[i+1])
		} else if flag, _, _ := strings.Cut(a, "="); flag == "--all" || flag == "--dir" || flag == "--unit" || flag == "--watch" {
			// These lead to other dispatches, or to another workspace's.
			return false
		}
	}
	if len(named) == 0 && s.j.in.Env.Dispatch == string(s.d.ID) {
		return true
	}
	return len(named) > 0 && !slices.ContainsFunc(named, func(n string) bool { return n != string(s.d.ID) })
}

// listed says whether a command begins with the words of one in a list.
func listed(list []string, words []string) bool {
	return slices.ContainsFunc(list, func(l string) bool {
		want := strings.Fields(l)
		return len(want) > 0 && len(words) >= len(want) && slices.Equal(words[:len(want)], want)
	})
}

// unitsOnly judges the paths in units for a caller that may be the conductor.
func (j *judge) unitsOnly(d *dispatch.Dispatch) Decision {
	s, err := j.newSight(d)
	if err != nil {
		return j.blocked(RecordDamaged, refusal{})
	}
	if j.call.Launch != nil {
		return j.launch()
	}
	s.lenient = true
	best := Decision{Code: Shared}
	for _, t := range j.call.Targets {
		if got := s.target(t); !got.Allowed() {
			return got
		} else if rank(got.Code) > rank(best.Code) {
			best = got
		}
	}
	for _, c := range j.call.Commands {
		line, err := shell.Parse(c.Text)
		if c.Foreign || err != nil {
			continue
		}
		if line.Wipes || j.destroys(s, c, line) {
			return s.blocked(Protected, Target{Op: Write, Path: c.Text}, refusal{})
		}
		if got := s.words(c, line); !got.Allowed() {
			return got
		}
	}
	return best
}

// undispatched is the decision for a caller that nobody dispatched: everything
// passes but what would destroy the records, and with "strict" what is in a unit.
func (j *judge) undispatched() Decision {
	if j.ws.Records.Empty() {
		return Decision{Code: Idle}
	}
	if j.call.Launch != nil {
		if d := j.conductorLaunch(); !d.Allowed() {
			return d
		}
	}
	s := j.anySight()
	if s == nil {
		// No record says where units lie. One that cannot be read may be anybody's.
		if j.call.Marked && len(j.call.Targets)+len(j.call.Commands) > 0 && j.anyDamaged() {
			j.ruling.Log = true
			return j.blocked(RecordDamaged, refusal{})
		}
		return Decision{Code: Idle}
	}
	if d, bad := j.destroysRecords(s); bad {
		j.ruling.Log = true
		return d
	}
	if !j.call.Marked {
		return Decision{Code: NotDispatched}
	}
	name, touched := j.touchedUnit(s)
	if !touched {
		return Decision{Code: NotDispatched}
	}
	j.ruling.Log = true
	if j.anyDamaged() {
		return j.blocked(RecordDamaged, refusal{})
	}
	if s.d.Grant.Strict {
		return Decision{Code: Undispatched, Target: j.firstTarget(), Reason: refuse(Undispatched, refusal{})}
	}
	return Decision{Code: NotDispatched, Target: j.firstTarget(), Unit: name}
}

func (j *judge) firstTarget() string {
	if len(j.call.Targets) > 0 {
		return j.call.Targets[0].written()
	}
	if len(j.call.Commands) > 0 {
		return middle(j.call.Commands[0].Text, 200)
	}
	return ""
}

// anySight is the view of some live dispatch, for callers that have none: all
// of a workspace's scopes know the same units.
func (j *judge) anySight() *sight {
	for id, err := range j.ws.Records.LiveIDs() {
		if err != nil {
			return nil
		}
		d, err := j.ws.Records.Read(id)
		if err != nil || !d.Live() {
			continue
		}
		if s, err := j.newSight(d); err == nil {
			return s
		}
	}
	return nil
}

// destroysRecords says whether a call of anybody would destroy the records.
func (j *judge) destroysRecords(s *sight) (Decision, bool) {
	blocked := func(t Target) (Decision, bool) { return s.blocked(Protected, t, refusal{}), true }
	for _, t := range j.call.Targets {
		if t.Guess || t.Op&Write == 0 {
			continue
		}
		path, err := decodeURL(t.Path)
		if err != nil {
			continue
		}
		if abs, ok := j.absolute(path, t.Base); ok && j.inRecords(abs, false) {
			return blocked(t)
		}
	}
	for _, c := range j.call.Commands {
		line, err := shell.Parse(c.Text)
		if c.Foreign || err != nil {
			continue
		}
		if line.Wipes || j.destroys(s, c, line) {
			return blocked(Target{Op: Write, Path: c.Text})
		}
	}
	return Decision{}, false
}

// destroys says whether a word that a line writes to is the records or above them.
func (j *judge) destroys(_ *sight, c Command, line shell.Line) bool {
	for _, w := range line.Words {
		if w.Use != shell.Written && w.Use != shell.Put {
			continue
		}
		abs, ok := j.absolute(w.Text, join(c.Cwd, w.Cwd))
		if ok && j.inRecords(abs, w.Use == shell.Written) {
			return true
		}
	}
	return false
}

// inRecords says whether a path is in the records of this workspace, or with
// above a folder that holds them and is removed or moved as a whole.
func (j *judge) inRecords(abs string, above bool) bool {
	pl, err := unit.Resolve(j.in.FS, abs)
	if err != nil {
		return false
	}
	records := append(slices.Clone(j.ws.Root), ".conduct")
	for _, r := range pl.Readings(j.in.FS, j.ws.Root) {
		if r.Under(records, false) || above && records.Under(r, false) {
			return true
		}
	}
	return false
}

// touchedUnit says whether a call of somebody who has no unit touches one or
// searches above them, and which; "" where it cannot be told.
func (j *judge) touchedUnit(s *sight) (name string, touched bool) {
	g := *s.d.Grant
	g.Own, g.Opened = unit.Unit{}, nil
	scope, err := g.Scope()
	if err != nil {
		return "", false
	}
	none := *s.d
	none.Grant = &g
	bare := &sight{j: j, d: &none, scope: scope, lenient: true}
	for _, t := range j.call.Targets {
		if d := bare.target(t); !d.Allowed() && d.Code != Unresolvable {
			return d.Unit, true
		}
	}
	for _, c := range j.call.Commands {
		line, err := shell.Parse(c.Text)
		if c.Foreign || err != nil {
			continue
		}
		if d := bare.words(c, line); !d.Allowed() && d.Code != Unresolvable {
			return d.Unit, true
		}
	}
	return "", false
}

// onlyControls says whether the call runs our own programs and nothing else.
func (j *judge) onlyControls() bool {
	for _, c := range j.call.Commands {
		line, err := shell.Parse(c.Text)
		if c.Foreign || err != nil || len(line.Controls) != len(line.Commands) || line.Opaque != "" || line.Wipes {
			return false
		}
	}
	return len(j.call.Commands) > 0 && len(j.call.Targets) == 0 && j.call.Launch == nil
}
