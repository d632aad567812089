package guard

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/shell"
	"github.com/seed6310be5c/conduct/unit"
)

// decide returns the decision on a tool call, for what it was attributed to.
func (j *judge) decide() Decision {
	if j.at.damaged {
		if j.at.unitsOnly && j.onlyControls() {
			// The conductor of a client without marks has to be able to mend it.
			return Decision{Code: NotDispatched}
		}
		return j.blocked(RecordDamaged, refusal{})
	}
	if !j.at.dispatched() {
		return j.undispatched()
	}
	if j.at.unitsOnly {
		return j.againstAll(func(d *dispatch.Dispatch) Decision { return j.unitsOnly(d) })
	}
	if j.at.ended == nil || j.call.Launch != nil {
		if d := j.launch(); !d.Allowed() {
			return d
		}
	}
	return j.againstAll(func(d *dispatch.Dispatch) Decision { return j.against(d) })
}

// againstAll asks every candidate; the first that blocks decides.
func (j *judge) againstAll(ask func(*dispatch.Dispatch) Decision) Decision {
	best := Decision{Code: NoTarget}
	for _, c := range j.at.candidates {
		d := ask(c)
		if !d.Allowed() {
			return d
		}
		best = better(best, d)
	}
	return best
}

// against judges every part of the call against one dispatch.
func (j *judge) against(d *dispatch.Dispatch) Decision {
	s, err := j.newSight(d)
	if err != nil {
		return j.blocked(RecordDamaged, refusal{})
	}
	// First, since what follows is not blocked where a dispatch is only watched.
	if j.call.Board != nil {
		if got := s.boardTool(j.call.Board); !got.Allowed() {
			return got
		}
	}
	best := Decision{Code: NoTarget}
	if j.at.ended == nil && d.Grant.Denies(j.call.Tool) {
		if best = s.refused(ToolDenied, Target{Path: j.call.Tool}, refusal{}); !best.Allowed() {
			return best
		}
		j.waive(best)
	}
	if j.call.Fault != "" {
		return j.blocked(Unresolvable, refusal{target: j.call.Tool, own: d.Unit, detail: j.call.Fault})
	}
	for _, id := range j.call.Tasks {
		if j.othersTask(id) {
			return s.blocked(Protected, Target{Op: Read, Path: id}, refusal{})
		}
	}
	for _, c := range j.call.Commands {
		got := s.command(c)
		if !got.Allowed() {
			return got
		}
		best = better(best, got)
	}
	for _, t := range j.call.Targets {
		got := s.target(t)
		if !got.Allowed() {
			return got
		}
		j.waive(got)
		best = better(best, got)
	}
	return best
}

// sight is how one dispatch sees paths.
type sight struct {
	j     *judge
	d     *dispatch.Dispatch
	scope *unit.Scope
	// lenient leaves everything but unit paths out of account.
	lenient bool
}

func (j *judge) newSight(d *dispatch.Dispatch) (*sight, error) {
	scope, err := d.Grant.Scope()
	if err != nil {
		return nil, err
	}
	if j.roots == nil {
		j.roots = j.ws.Roots()
	}
	return &sight{j: j, d: d, scope: scope}, nil
}

func (s *sight) blocked(c Code, t Target, r refusal) Decision {
	// A pattern that leads elsewhere says more than the folder that it was not given.
	elsewhere := strings.HasPrefix(t.Pattern, "/") || strings.Contains(t.Pattern, "..")
	r.target, r.own, r.implied = t.written(), s.d.Unit, t.Implied && !elsewhere
	d := s.j.blocked(c, r)
	d.Op, d.Target = t.Op, r.target
	return d
}

// written is a target as the agent wrote it, with what it narrowed it to.
func (t Target) written() string {
	switch {
	case t.Pattern != "" && t.Path == "":
		return t.Pattern
	case t.Pattern != "":
		return t.Path + " (" + t.Pattern + ")"
	case t.Path == "" && t.Implied:
		return "."
	}
	return t.Path
}

// target judges one target.
func (s *sight) target(t Target) Decision {
	if !t.Guess {
		return s.spellings(t)
	}
	return s.guess(t)
}

// spellings judges what the agent wrote and what a tool may make of it: the
// home in place of "~", the text without white space around it.
func (s *sight) spellings(t Target) Decision {
	if bad := badText(t.Path) || badText(t.Pattern); bad {
		return s.blocked(Unresolvable, t, refusal{detail: "the path has control characters"})
	}
	path, err := decodeURL(t.Path)
	if err != nil {
		return s.blocked(Unresolvable, t, refusal{detail: "the URL does not parse"})
	}
	out := s.based(t, path)
	for _, other := range otherSpellings(path, s.j.in.Env.Home) {
		if !out.Allowed() {
			break
		}
		if d := s.based(t, other); !d.Allowed() || d.Waived != 0 {
			out = d
		}
	}
	return out
}

func badText(p string) bool {
	for _, r := range p {
		if r < 0x20 || r == 0x7f || r == '\ufeff' || r == '\ufffd' {
			return true
		}
	}
	return false
}

// decodeURL turns a file URL into its path, once.
func decodeURL(p string) (string, error) {
	if len(p) < 6 || !strings.EqualFold(p[:6], "file:/") {
		return p, nil
	}
	rest, _, _ := strings.Cut(p[len("file:"):], "#")
	rest, _, _ = strings.Cut(rest, "?")
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		slash := strings.IndexByte(after, '/') // what is before it is a host
		if slash < 0 {
			return "", nil
		}
		rest = after[slash:]
	}
	return shell.Unescape(rest)
}

func otherSpellings(p, home string) []string {
	var out []string
	if rest, ok := strings.CutPrefix(p, "~"); ok && home != "" && (rest == "" || rest[0] == '/') {
		out = append(out, home+rest)
	}
	if t := strings.TrimSpace(p); t != p {
		out = append(out, t)
	}
	return out
}

// based makes a path absolute and judges it.
func (s *sight) based(t Target, path string) Decision {
	abs, ok := s.j.absolute(path, t.Base)
	if !ok {
		return s.blocked(Unresolvable, t, refusal{detail: "a relative path, and its folder is not known"})
	}
	if t.Op&Search != 0 && t.Pattern != "" {
		return s.globbed(t, abs)
	}
	return s.judge(t, abs)
}

// absolute joins a path with its base and the call's folder. It does not clean:
// ".." after a link means something else to the kernel.
func (j *judge) absolute(path, base string) (string, bool) {
	if strings.HasPrefix(path, "/") {
		return path, true
	}
	switch {
	case strings.HasPrefix(base, "/"):
	case !strings.HasPrefix(j.call.Cwd, "/"):
		return "", false
	case base == "~" || strings.HasPrefix(base, "~/"):
		if j.in.Env.Home == "" {
			return "", false
		}
		base = j.in.Env.Home + base[1:]
	default:
		if _, err := j.in.FS.Lstat(j.call.Cwd); err != nil {
			return "", false
		}
		base = j.call.Cwd + "/" + base
		base = strings.TrimSuffix(base, "/") // the text without "//" is resolved faster
	}
	return base + "/" + path, true
}

// judge resolves an absolute path and judges every reading of it.
func (s *sight) judge(t Target, abs string) Decision {
	pl, err := s.j.resolve(abs)
	if err != nil {
		if s.lenient {
			return Decision{Code: NoTarget}
		}
		return s.blocked(Unresolvable, t, refusal{detail: "the path cannot be resolved"})
	}
	readings := pl.Readings(s.j.in.FS, s.j.ws.Root)
	if !s.lenient {
		for _, r := range readings {
			if s.protected(t, r, &pl) || t.Op&Search != 0 && !t.Guess && pl.Info.Mode.IsDir() && s.j.abovePrivate(r, s.scope.Fold) {
				return s.blocked(Protected, t, refusal{detail: s.protectedWhat(t)})
			}
		}
	}
	real := s.locate(readings[0], &pl)
	worst := real
	for _, r := range readings[1:] {
		if l := s.locate(r, &pl); l.Where == unit.Sibling {
			worst = l
			break
		}
	}
	if real.Where == unit.Sibling {
		worst = real
	}
	if d, decided := s.inUnits(t, worst, readings, &pl); decided {
		return s.alsoCleaned(t, abs, &pl, d)
	}
	return s.alsoCleaned(t, abs, &pl, s.access(t, real, &pl))
}

// alsoCleaned judges the cleaned path as well, where d allows the other.
func (s *sight) alsoCleaned(t Target, abs string, pl *unit.Place, d Decision) Decision {
	again, ok := cleaned(abs, pl)
	if !ok || !d.Allowed() {
		return d
	}
	if other := s.judge(t, again); !other.Allowed() && other.Code != Unresolvable || other.Waived != 0 {
		return other
	}
	return d
}

// cleaned returns the path that a program opens which takes ".." out of the text
// first, as Node's path.resolve does, where that is another than the kernel's. It
// may lead through links of its own.
func cleaned(abs string, pl *unit.Place) (string, bool) {
	if !strings.Contains(abs, "..") || slices.Equal(pl.Real, pl.Lexical) {
		return "", false
	}
	clean := pl.Lexical.String()
	return clean, clean != abs
}

func (s *sight) locate(p unit.Path, pl *unit.Place) unit.Landing {
	return s.scope.Locate(s.j.roots, p, func() bool {
		info := pl.Info
		if !slices.Equal(p, pl.Real) {
			other, err := s.j.resolve(p.String())
			if err != nil {
				return false
			}
			info = other.Info
		}
		return info.Mode&fs.ModeType == 0 && info.Ino != 0
	})
}

// inUnits judges a path that lands in a unit, or that a search from reaches one.
func (s *sight) inUnits(t Target, l unit.Landing, readings []unit.Path, pl *unit.Place) (Decision, bool) {
	touches := l.Where != unit.Shared
	above := false
	switch {
	case !touches:
		above = s.reaches(t, readings, pl)
	case t.Follows && t.Op&Search != 0 && pl.Info.Mode.IsDir():
		above = s.followed(readings[0])
	}
	switch {
	case s.j.at.several && (touches || above):
		return s.blocked(Ambiguous, t, refusal{unit: l.Unit}), true
	case s.j.at.ended != nil && (touches || above):
		return s.blocked(endedCode(s.j.at.ended), t, refusal{unit: l.Unit}), true
	case l.Where == unit.Sibling:
		if o, ok := s.exempt(t, l, readings, pl); ok && !above {
			if o.Once {
				s.j.spend(o, t)
			}
			return s.allowed(Exempt, t, l), true
		}
		return s.refusedAt(readings, SiblingUnit, t, refusal{unit: l.Unit}), true
	case above && t.Op&(Search|List) != 0:
		return s.refusedAt(readings, SiblingSearch, t, refusal{}), true
	case above:
		return s.refusedAt(readings, SiblingUnit, t, refusal{detail: "it is above other units"}), true
	}
	return Decision{}, false
}

// reaches says whether an operation on a folder reaches siblings below it.
func (s *sight) reaches(t Target, readings []unit.Path, pl *unit.Place) bool {
	isDir := pl.Info.Mode.IsDir()
	for _, r := range readings {
		if t.Op&Search != 0 && s.scope.Above(s.j.roots, r) && (isDir || !t.Guess) {
			return true
		}
		if t.Op&(List|Read) != 0 && (isDir || t.Op&List != 0) && s.scope.Entries(s.j.roots, r) {
			return true
		}
		// A guess may be written to only if the tool's name says that it writes.
		if t.Op&Write != 0 && isDir && (!t.Guess || s.j.call.Writes) && s.scope.Above(s.j.roots, r) {
			return true
		}
	}
	return t.Op&Search != 0 && t.Follows && isDir && s.followed(readings[0])
}

func endedCode(d *dispatch.Dispatch) Code {
	if d.Now == dispatch.Expired {
		return Expired
	}
	return Released
}

// exempt says whether every reading that lands in a sibling is opened.
func (s *sight) exempt(t Target, l unit.Landing, readings []unit.Path, pl *unit.Place) (grants.Opening, bool) {
	write := t.Op&Write != 0 && (!t.Guess || s.j.call.Writes)
	if t.Op&(Search|List) != 0 && pl.Info.Mode.IsDir() && s.partial(l.Rel) {
		return grants.Opening{}, false
	}
	var open grants.Opening
	for _, r := range readings {
		l := s.locate(r, pl)
		if l.Where != unit.Sibling {
			continue
		}
		o, ok := s.d.Grant.Open(l.Rel, write, s.j.in.Now, s.j.spent)
		if !ok {
			return grants.Opening{}, false
		}
		if open.ID == "" || o.Once {
			open = o
		}
	}
	return open, open.ID != ""
}

// partial says whether no opening covers all that is below a folder.
func (s *sight) partial(rel unit.Path) bool {
	inside := append(append(unit.Path{}, rel...), "\x00any", "\x00thing")
	_, ok := s.d.Grant.Open(inside, false, s.j.in.Now, s.j.spent)
	return !ok
}

func (j *judge) callKey() string {
	if j.call.CallID == "" {
		return ""
	}
	return dispatch.LaunchKey(j.call.Client, j.call.Session, "call "+j.call.CallID)
}

func (j *judge) spent(opening string) bool {
	by, ok := j.ws.Records.Spent(opening)
	return ok && (by != j.callKey() || by == "")
}

func (j *judge) spend(o grants.Opening, _ Target) {
	for _, e := range j.ruling.Effects {
		if e.Kind == Spend && e.Key == o.ID {
			return
		}
	}
	j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: Spend, Key: o.ID, Call: j.callKey()})
}

// access judges a path that is own or shared.
func (s *sight) access(t Target, l unit.Landing, pl *unit.Place) Decision {
	code := Shared
	if l.Where == unit.Own {
		code = OwnUnit
	}
	write := t.Op&Write != 0 && (!t.Guess || s.j.call.Writes)
	if !write || s.lenient {
		return s.allowed(code, t, l)
	}
	d := s.allowed(code, t, l)
	if why := s.unwritable(l, pl); why != "" {
		if d = s.refusedAt([]unit.Path{pl.Real}, ReadOnly, t, refusal{detail: why}); !d.Allowed() {
			return d
		}
	}
	if l.Where == unit.Shared && l.Rel != nil {
		s.j.ruling.SharedWrites = append(s.j.ruling.SharedWrites, l.Rel.Rel())
	}
	return d
}

// unwritable says why the dispatch may not write to a path that is own or shared, ""
// when it may.
func (s *sight) unwritable(l unit.Landing, pl *unit.Place) string {
	switch {
	case s.d.Grant.NoWrites() && (l.Rel != nil || l.Where == unit.Own):
		return "this dispatch is read-only"
	case s.d.Grant.SharedRead && l.Where == unit.Shared && !harmless(pl.Info.Mode):
		if _, ok := s.d.Grant.Open(l.Rel, true, s.j.in.Now, s.j.spent); l.Rel == nil || !ok {
			return "shared paths are read-only for this dispatch"
		}
	}
	return ""
}

// harmless says that writing to a file of this kind changes nothing that lasts.
func harmless(m fs.FileMode) bool { return m&fs.ModeCharDevice != 0 }

func (s *sight) allowed(c Code, t Target, l unit.Landing) Decision {
	d := Decision{Code: c, Op: t.Op, Target: t.written(), Unit: l.Unit}
	if l.Rel != nil {
		d.Path = l.Rel.Rel()
	}
	return d
}

// touchesOwn says whether every unit path of the call is in the dispatch's own
// unit, and at least one is.
func (j *judge) touchesOwn(d *dispatch.Dispatch) bool {
	s, err := j.newSight(d)
	if err != nil {
		return false
	}
	own := false
	for _, t := range j.call.Targets {
		path, err := decodeURL(t.Path)
		abs, ok := j.absolute(path, t.Base)
		if err != nil || !ok {
			return false
		}
		pl, err := j.resolve(abs)
		if err != nil {
			return false
		}
		for _, r := range pl.Readings(j.in.FS, j.ws.Root) {
			switch s.locate(r, &pl).Where {
			case unit.Sibling:
				return false
			case unit.Own:
				own = true
			case unit.Shared:
				if t.Op&Search != 0 && s.scope.Above(j.roots, r) {
					return false
				}
			}
		}
	}
	return own
}
