// Package guard decides whether a call of an agent program may go through. It
// is pure: the clock, the file system, the environment and the records are
// arguments, and what has to be written down is part of the answer.
//
//	attribution(call, live dispatches) → candidates
//	targets(call) → [(path, op)]
//	decision = every candidate allows every target
package guard

import (
	"iter"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// Records is what the guard asks of a workspace's records. *dispatch.Book is one.
type Records interface {
	Empty() bool
	Read(id store.ID) (*dispatch.Dispatch, error)
	LiveIDs() iter.Seq2[store.ID, error]
	Profiles(agent string) ([]string, error)
	Named(agent, profile string) iter.Seq2[store.ID, error]
	Seen(id store.ID) bool
	Bound(agentKey string) (dispatch.Bound, bool, error)
	Launched(launchKey string) (id store.ID, depth int, ok bool)
	LaunchDir(launchKey string) (dir string, ok bool)
	Windows(sessionKey string) []store.ID
	Sessions() iter.Seq2[store.ID, string]
	Spent(opening string) (call string, ok bool)
	Off() time.Time
}

// Workspace is one workspace that a call can touch.
type Workspace struct {
	Root unit.Path
	// Roots are the places where the layout applies, Root first. It is called only
	// when a path has to be judged.
	Roots   func() unit.Roots
	Records Records
}

// Env is what the guard knows of the process that it runs in and of its user.
type Env struct {
	Dispatch string // CONDUCT_DISPATCH or --dispatch: the dispatch that this process runs under
	Off      bool   // CONDUCT_OFF=1
	// Confined says that this process was started in a sandbox of ours, in which the
	// records cannot be seen: what the sandbox holds needs no hook.
	Confined bool
	Home     string   // the user's home
	Temp     []string // folders for temporary files
	Programs []string // paths of our own programs
	Path     []string // folders in which programs are looked for
	Projects []string // folders that the client's variables name
}

// Input is one call and everything that the answer depends on.
type Input struct {
	Call       Call
	Now        time.Time
	Env        Env
	FS         unit.FS
	Workspaces []Workspace
	// Approved is the dispatch for which a person has allowed this call once; "" is none.
	Approved store.ID
	// Confine says why a command cannot be run confined here, "" when it can. It is
	// asked only for a command that would have to; nil is that it cannot.
	Confine func() (obstacle string)
	// Change says why a change of the call would not reach its tool though the client
	// takes it, "" when it does. It is asked only for a change; nil is that it would not.
	Change func() (obstacle string)
}

// Rule is the rule by which a call was attributed.
type Rule uint8

// The rules, as docs/architecture.md numbers them.
const (
	RuleNone    Rule = iota // not dispatched
	RuleNamed               // 1: the environment or the hook's command names the dispatch
	RuleBound               // 2: the agent id is bound
	RuleLink                // 3: a link that the agent cannot choose
	RuleAgent               // 4: the agent's name
	RuleSession             // 5: a dispatch that binds sessions
	RuleWindow              // 6: a launch window, or every live dispatch
)

// Effect is something to write down. The decision stands without it.
type Effect struct {
	Kind    EffectKind
	Key     string // agent key, launch key or session key; opening id for Spend
	Number  int    // of the binding
	ID      store.ID
	Depth   int
	Call    string // for Spend
	Session string
	Dir     string // for NoteDir
}

// EffectKind is a kind of Effect.
type EffectKind uint8

// The kinds of effects.
const (
	Bind EffectKind = iota + 1
	See
	Spend
	NoteLaunch
	NoteDir // the working folder that a launch gave its agent
	OpenWindow
	CloseWindow
	Stop // an agent has ended
)

// Ruling is the answer of one workspace.
type Ruling struct {
	Decision
	Workspace int // index in Input.Workspaces
	Rule      Rule
	// Dispatches are those that the call was judged against; one, or several for an
	// ambiguous call.
	Dispatches []store.ID
	Several    bool
	// Early says that the client has not yet written what would tell them apart: asked
	// again some moments later, the call is that of one dispatch.
	Early bool
	// Log says that the ruling belongs into the audit.
	Log   bool
	Quiet bool // the dispatch logs blocked calls only
	// Asks says that the block is a question to a person.
	Asks    bool
	Effects []Effect
	// SharedWrites are shared paths that an allowed call may write, relative to the workspace.
	SharedWrites []string
}

// Outcome is the answer to a call.
type Outcome struct {
	Decision
	Rulings []Ruling
	// Prompt, if not "", is the launch's prompt with the dispatch's line in it.
	Prompt string
	// Confined, if not nil, is the command that must run confined in place of itself.
	Confined *Confined
	// Command, if not "", is the call's command line with the caller's dispatch named in
	// it, which must run in its place.
	Command string
	// Dispatch, if not "", is what the call of a tool of ours has to name.
	Dispatch store.ID
	// Waived is what blocks the call but for Input.Approved.
	Waived []Decision
}

// Confined is a command that is allowed on condition that it runs confined.
type Confined struct {
	Text     string
	Dispatch store.ID
}

// Decide judges a call. Its zero Outcome blocks, so a path that forgets to
// decide does not open anything.
func Decide(in Input) Outcome {
	if in.Call.Event == Other || len(in.Workspaces) == 0 && in.Env.Dispatch == "" {
		return Outcome{Decision: Decision{Code: NotDispatched}}
	}
	if in.Env.Off {
		return Outcome{Decision: Decision{Code: StoodAside}, Rulings: standAside(in)}
	}
	if len(in.Workspaces) == 0 && in.Env.Confined {
		return Outcome{Decision: Decision{Code: StoodAside}}
	}
	out := Outcome{Decision: Decision{Code: Idle}}
	var changed change
	named := in.Env.Dispatch == ""
	for i, ws := range in.Workspaces {
		j := judge{in: &in, ws: ws, call: &in.Call}
		r := j.rule()
		r.Workspace = i
		named = named || r.Rule == RuleNamed || r.Code == StoodAside
		out.Rulings = append(out.Rulings, r)
		if outranks(r.Decision, out.Decision) {
			out.Decision = r.Decision
		}
		if j.prompt != "" {
			out.Prompt = j.prompt
		}
		out.Waived = append(out.Waived, j.waived...)
		if j.change != (change{}) {
			if changed != (change{}) && changed != j.change {
				// A call is made under one dispatch.
				out.Decision = Decision{Code: OpaqueCommand, Reason: refuse(OpaqueCommand, refusal{detail: "two workspaces would have to change it"})}
			}
			changed = j.change
		}
	}
	if !named && in.Call.Event == ToolCall {
		out.Decision = Decision{Code: Undispatched, Reason: refuse(Undispatched, refusal{detail: "unknown dispatch id"})}
	}
	if !out.Allowed() {
		out.Prompt = ""
		return out
	}
	changed.into(&out)
	return out
}

// outranks says whether a decision counts more than another workspace's: a
// block before everything, then the one that knows most about the path.
func outranks(a, b Decision) bool {
	if a.Allowed() != b.Allowed() {
		return !a.Allowed()
	}
	if !a.Allowed() {
		return false
	}
	return rank(a.Code) > rank(b.Code)
}

func rank(c Code) int {
	switch c {
	case OwnUnit, Exempt, WouldBlock:
		return 5
	case Shared, StoodAside:
		return 4
	case NoTarget:
		return 3
	case NotDispatched:
		return 2
	}
	return 1
}

func standAside(in Input) []Ruling {
	var out []Ruling
	for i, ws := range in.Workspaces {
		if !ws.Records.Empty() {
			out = append(out, Ruling{Decision: Decision{Code: StoodAside}, Workspace: i, Log: true})
		}
	}
	return out
}

// judge works out one workspace's ruling.
type judge struct {
	in     *Input
	ws     Workspace
	call   *Call
	roots  unit.Roots
	hooks  []unit.Path // nil before they were looked for
	at     attribution
	prompt string
	ruling Ruling
	lines  map[string]line
	waived []Decision
	// change is what the call becomes to be allowed.
	change     change
	resolved   resolved
	transcript transcript
	// sources are where programs lie, nil before they are asked for.
	sources *sources
	// transcripts is the call's folder of them, nil before it is asked for.
	transcripts unit.Path
}

// resolved is the path that was looked for last: a fact of a command line is
// mostly judged right after its kind was seen.
type resolved struct {
	abs   string
	place unit.Place
	err   error
}

// resolve finds the place of an absolute path.
func (j *judge) resolve(abs string) (unit.Place, error) {
	if r := &j.resolved; r.abs != abs || abs == "" {
		r.abs = abs
		r.place, r.err = unit.Resolve(j.in.FS, abs)
	}
	return j.resolved.place, j.resolved.err
}

func (j *judge) rule() Ruling {
	j.ruling = Ruling{}
	if j.in.Env.Off || !j.ws.Records.Off().IsZero() {
		j.ruling.Decision, j.ruling.Log = Decision{Code: StoodAside}, !j.ws.Records.Empty()
		return j.ruling
	}
	j.ownFolder()
	j.at = j.attribute()
	j.ruling.Rule, j.ruling.Several, j.ruling.Early = j.at.rule, j.at.several || j.at.unitsOnly, j.at.early
	for _, d := range j.at.candidates {
		j.ruling.Dispatches = append(j.ruling.Dispatches, d.ID)
	}
	switch j.call.Event {
	case ToolCall:
		j.toolCall()
	case LaunchDone:
		j.launchDone()
	case AgentStart:
		// Only a link is believed this early: it outranks the name, and may
		// not be there before the agent's first call.
		if j.at.rule == RuleLink {
			j.bind()
		}
	case AgentStop:
		j.stopped()
	case TurnStart:
		j.closeWindows()
	}
	if j.call.Event != ToolCall {
		j.ruling.Decision, j.ruling.Log = Decision{Code: NotDispatched}, false
	}
	return j.ruling
}

// toolCall judges the call against what it was attributed to.
func (j *judge) toolCall() {
	d := j.decide()
	r := &j.ruling
	if r.Decision = d; d.Code == StoodAside {
		r.Log = true
		return
	}
	if j.at.dispatched() {
		r.Log = true
		r.Quiet = len(j.at.candidates) > 0 && j.at.candidates[0].Grant.Quiet
		j.bind()
		j.observe()
	}
	if !r.Allowed() {
		r.Asks = j.asks(r.Code)
		r.SharedWrites = nil
		r.Effects = dropSpends(r.Effects)
	}
}

// observe turns a block into would_block for dispatches that are only watched,
// but for what no dispatch may ever touch.
func (j *judge) observe() {
	d := &j.ruling.Decision
	if d.Allowed() || d.Code == Protected || d.Code == ControlCommand || len(j.at.candidates) == 0 {
		return
	}
	for _, c := range j.at.candidates {
		if !c.Grant.Observe {
			return
		}
	}
	d.Would, d.Code = d.Code, WouldBlock
}

func dropSpends(es []Effect) []Effect {
	var out []Effect
	for _, e := range es {
		if e.Kind != Spend {
			out = append(out, e)
		}
	}
	return out
}

// bind writes down which dispatch the agent belongs to, and that it was seen.
func (j *judge) bind() {
	a := &j.at
	if a.bind == nil {
		if len(a.candidates) == 1 && !a.unitsOnly && a.ended == nil && a.candidates[0].Now == dispatch.Reserved {
			j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: See, ID: a.candidates[0].ID})
		}
		return
	}
	j.ruling.Effects = append(j.ruling.Effects, *j.at.bind)
	if j.call.Event == ToolCall {
		j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: See, ID: j.at.bind.ID})
	}
}

func (j *judge) stopped() {
	if len(j.at.candidates) == 1 && j.at.rule == RuleBound {
		j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: Stop, ID: j.at.candidates[0].ID})
	}
}

func (j *judge) closeWindows() {
	if j.call.Marks {
		return
	}
	key := dispatch.SessionKey(j.call.Client, j.call.Session)
	for _, id := range j.ws.Records.Windows(key) {
		j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: CloseWindow, Key: key, ID: id})
	}
}

// ownFolder replaces the payload's folder by the one that the launch gave the
// agent: such a client reports the folder of the main agent for it.
func (j *judge) ownFolder() {
	if j.call.LaunchKey == "" {
		return
	}
	dir, ok := j.ws.Records.LaunchDir(dispatch.LaunchKey(j.call.Client, j.call.Session, j.call.LaunchKey))
	if !ok {
		return
	}
	moved := *j.call
	if moved.Cwd = dir; !strings.HasPrefix(dir, "/") {
		moved.Cwd = "" // not known: relative paths cannot be judged
	}
	j.call = &moved
}

// confine notes that a command has to run confined, or says what is in the way.
func (j *judge) confine(c Command, d *dispatch.Dispatch) (obstacle string) {
	switch {
	case !c.Rewrites:
		return "this program does not let the guard change a command"
	case j.at.several:
		return "it is not certain whose command it is"
	case len(j.call.Commands) > 1:
		return "the call has several commands"
	case d.Grant.Sandbox == "":
		return "no sandbox works here (conduct doctor)"
	case j.in.Confine == nil:
		return "nothing here can run it so"
	}
	if why := j.in.Confine(); why != "" {
		return why
	}
	j.change = change{confined: Confined{Text: c.Text, Dispatch: d.ID}}
	return ""
}
