package guard

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// attribution says which dispatches a call may belong to.
type attribution struct {
	rule       Rule
	candidates []*dispatch.Dispatch
	// several says that the candidates are of several units: unit paths are ambiguous.
	several bool
	// ended is the dispatch that the caller was bound to and that has ended, or
	// whose name is still held.
	ended *dispatch.Dispatch
	// damaged says that a record which may be the caller's cannot be read.
	damaged bool
	// unitsOnly says that only paths in units are judged: the caller may be the conductor.
	unitsOnly bool
	// early says that what would tell the candidates apart is still to be written.
	early bool
	// window says that the call was made inside of a launch window.
	window bool
	depth  int
	bind   *Effect
}

// dispatched says whether the call is judged as one of a dispatched agent.
func (a *attribution) dispatched() bool {
	return len(a.candidates) > 0 || a.ended != nil || a.damaged
}

// attribute applies the rules in their order; the first that fits counts.
func (j *judge) attribute() attribution {
	if id := j.in.Env.Dispatch; id != "" {
		return j.byEnvironment(store.ID(id))
	}
	c := j.call
	if !c.Marks {
		return j.unmarking()
	}
	if c.Marked {
		if a, ok := j.byBinding(); ok {
			return a
		}
		if j.ws.Records.Empty() {
			// Nothing is in force; only a held name can matter.
			return j.byName(time.Time{})
		}
		if a, ok := j.byLink(time.Time{}, 0); ok {
			return a
		}
		if a := j.byName(time.Time{}); a.dispatched() {
			return a
		}
	}
	return j.bySession()
}

// byEnvironment is rule 1.
func (j *judge) byEnvironment(id store.ID) attribution {
	if !id.Valid() {
		return attribution{}
	}
	d, err := j.ws.Records.Read(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return attribution{}
	case err != nil:
		return attribution{rule: RuleNamed, damaged: true}
	}
	a := attribution{rule: RuleNamed, candidates: []*dispatch.Dispatch{d}}
	if !d.Live() {
		a.ended = d
	}
	return a
}

func (j *judge) agentKey() string {
	if j.call.AgentID == "" {
		return ""
	}
	session := ""
	if j.call.PerSession {
		session = j.call.Session
	}
	return dispatch.AgentKey(j.call.Client, j.call.AgentID, session)
}

// byBinding is rule 2. An agent whose dispatch has ended is bound anew, but only
// to a dispatch that nobody else holds and that was made after its own ended:
// a late agent of one unit must not slip into the next one's.
func (j *judge) byBinding() (attribution, bool) {
	key := j.agentKey()
	if key == "" {
		return attribution{}, false
	}
	bound, ok, err := j.ws.Records.Bound(key)
	if err != nil {
		return attribution{rule: RuleBound, damaged: true}, true
	}
	if !ok {
		return attribution{}, false
	}
	d, err := j.ws.Records.Read(bound.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		// Longer ago than records are kept.
		return attribution{}, false
	case err != nil:
		return attribution{rule: RuleBound, damaged: true}, true
	case d.Live():
		return attribution{rule: RuleBound, candidates: []*dispatch.Dispatch{d}, depth: bound.Depth}, true
	}
	if a, ok := j.byLink(d.Ended(), bound.Next); ok && a.ended == nil {
		return a, true
	}
	if a := j.byName(d.Ended()); a.bind != nil {
		a.bind.Number = bound.Next
		return a, true
	}
	return attribution{rule: RuleBound, candidates: []*dispatch.Dispatch{d}, ended: d, depth: bound.Depth}, true
}

// byLink is rule 3: what the launching side wrote, not the agent.
func (j *judge) byLink(after time.Time, number int) (attribution, bool) {
	if j.call.LaunchKey != "" {
		key := dispatch.LaunchKey(j.call.Client, j.call.Session, j.call.LaunchKey)
		if id, depth, ok := j.ws.Records.Launched(key); ok {
			return j.linked(id, depth, after, number)
		}
	}
	if said := Tokens(j.call.Opening); len(said) > 0 && said[0].ID.Valid() {
		return j.linked(said[0].ID, said[0].Depth, after, number)
	}
	if j.call.Transcript != "" {
		if id, depth, ok := j.opening(); ok {
			return j.linked(id, depth, after, number)
		}
	}
	return attribution{}, false
}

func (j *judge) linked(id store.ID, depth int, after time.Time, number int) (attribution, bool) {
	d, err := j.ws.Records.Read(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return attribution{}, false
	case err != nil:
		return attribution{rule: RuleLink, damaged: true}, true
	}
	a := attribution{rule: RuleLink, candidates: []*dispatch.Dispatch{d}, depth: depth}
	if !d.Live() {
		a.ended = d
		return a, true
	}
	if !after.IsZero() && (j.ws.Records.Seen(id) || !d.IssuedAt.After(after)) {
		return attribution{}, false
	}
	if key := j.agentKey(); key != "" {
		a.bind = &Effect{Kind: Bind, Key: key, Number: number, ID: id, Depth: depth}
	}
	return a, true
}

// maxTranscript bounds what is read of a transcript: the launch prompt is its
// first message, and was complete within 64 KiB in every capture.
const maxTranscript = 1 << 20

// transcript is what was found of the caller's own. It is read once: what was still to
// be written when a dispatch was looked for in it is not there a moment later.
type transcript struct {
	data   []byte
	err    error
	sought bool
}

// opening reads the dispatch that the child's own transcript opens with: its first
// user message is the launch prompt.
func (j *judge) opening() (store.ID, int, bool) {
	data, err := j.in.FS.ReadFile(j.call.Transcript, maxTranscript)
	j.transcript = transcript{data, err, true}
	if err != nil || !bytes.Contains(data, []byte(TokenPrefix)) {
		return "", 0, false
	}
	text, _ := launchPrompt(data)
	for _, t := range Tokens(text) {
		return t.ID, t.Depth, t.ID.Valid()
	}
	return "", 0, false
}

// unwritten says that the caller's transcript will say whose agent it is, and did not
// yet: Claude Code keeps transcripts, but writes them some moments after it says so.
func (j *judge) unwritten() bool {
	switch t := j.transcript; {
	case !t.sought:
		return false
	case errors.Is(t.err, fs.ErrNotExist):
		_, err := j.in.FS.Lstat(j.call.Transcripts)
		return err == nil // else the program was told to keep none
	case t.err != nil:
		return false
	default:
		_, more := launchPrompt(t.data)
		return more && len(t.data) < maxTranscript
	}
}

// launchPrompt returns the first user message of a transcript, and whether there is
// none so far.
func launchPrompt(data []byte) (text string, more bool) {
	for line := range bytes.Lines(data) {
		kind, text, err := transcriptLine(line)
		switch {
		case err != nil:
			return "", line[len(line)-1] != '\n'
		case kind == "user":
			return text, false
		}
	}
	return "", true
}

// transcriptLine reads the type of a line and the text of its message.
func transcriptLine(line []byte) (kind, text string, err error) {
	r := wire.NewReader(line)
	err = r.Object(func(name string) (err error) {
		switch name {
		case "type":
			kind, err = r.String()
		case "message":
			text, err = messageText(r)
		default:
			err = r.Skip()
		}
		return err
	})
	return kind, text, err
}

// messageText joins the strings of a message's content, which is one string or a
// list of blocks with a text each.
func messageText(r *wire.Reader) (string, error) {
	var b strings.Builder
	if r.Kind() != '{' {
		return "", r.Skip()
	}
	err := r.Object(func(name string) error {
		if name != "content" {
			return r.Skip()
		}
		if r.Kind() == '"' {
			s, err := r.String()
			b.WriteString(s)
			return err
		}
		if r.Kind() != '[' {
			return r.Skip()
		}
		return r.Array(func() error {
			if r.Kind() != '{' {
				return r.Skip()
			}
			return r.Object(func(name string) error {
				if name != "text" || r.Kind() != '"' {
					return r.Skip()
				}
				s, err := r.String()
				b.WriteString(s)
				b.WriteByte('\n')
				return err
			})
		})
	})
	return b.String(), err
}

// byName is rule 4. With after, only dispatches made after that time and that
// nobody holds count, and no name is held: the caller had a dispatch.
func (j *judge) byName(after time.Time) attribution {
	a := j.named(j.call.AgentType, after)
	// A type without an id is a main agent that was started under that name:
	// it is held by its name, and by no dispatch that names nobody.
	if a.dispatched() || j.call.AgentType == "" || j.call.AgentID == "" {
		return a
	}
	return j.named("", after)
}

func (j *judge) named(name string, after time.Time) attribution {
	f := j.free(name, after)
	switch {
	case f.damaged:
		return attribution{rule: RuleAgent, damaged: true}
	case len(f.some) == 0 && f.held != nil && after.IsZero():
		return attribution{rule: RuleAgent, candidates: []*dispatch.Dispatch{f.held}, ended: f.held}
	case len(f.some) == 0:
		return attribution{}
	case len(f.some) > 1:
		a := attribution{rule: RuleAgent, candidates: f.some, several: true, early: j.unwritten()}
		if f.some[0].Grant.FirstTouch {
			j.firstTouch(&a, name, after)
		}
		return a
	}
	// The first call of an agent looks at every record: a damaged one may be its own.
	if after.IsZero() && j.anyDamaged() {
		return attribution{rule: RuleAgent, damaged: true}
	}
	d := f.some[0]
	a := attribution{rule: RuleAgent, candidates: f.some}
	if key := j.agentKey(); key != "" {
		a.bind = &Effect{Kind: Bind, Key: key, ID: d.ID}
	}
	return a
}

// freed is what was found under a name.
type freed struct {
	// some has the only candidate, or two candidates and then one of each
	// profile: enough to know that there are several and all that they restrict.
	some    []*dispatch.Dispatch
	held    *dispatch.Dispatch
	damaged bool
}

// free looks at the dispatches of a name. Those that another agent is bound to
// count only where no other is left.
func (j *judge) free(name string, after time.Time) freed {
	var f freed
	var taken []*dispatch.Dispatch
	profiles, err := j.ws.Records.Profiles(name)
	if err != nil {
		f.damaged = true
		return f
	}
	for _, p := range profiles {
		if p == store.Held && len(f.some)+len(taken) > 0 {
			break
		}
		some, busy := len(f.some), len(taken)
		for id, err := range j.ws.Records.Named(name, p) {
			if err != nil {
				f.damaged = true
				return f
			}
			if len(f.some) >= 2 && len(f.some) > some {
				break
			}
			if has(f.some, id) || has(taken, id) {
				continue // under another profile that it had
			}
			seen := j.ws.Records.Seen(id)
			if seen && (len(f.some) > 0 || !after.IsZero() || len(taken) >= 2 && len(taken) > busy) {
				continue
			}
			d, err := j.ws.Records.Read(id)
			switch {
			case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrForeign):
			case err != nil:
				f.damaged = true
				return f
			case d.Now == dispatch.Expired:
				if f.held == nil || d.ExpiresAt.After(f.held.ExpiresAt) {
					f.held = d
				}
			case !d.Live() || !after.IsZero() && !d.IssuedAt.After(after):
			case seen:
				taken = append(taken, d)
			default:
				f.some = append(f.some, d)
			}
		}
	}
	if len(f.some) == 0 {
		f.some = taken
	}
	return f
}

func has(some []*dispatch.Dispatch, id store.ID) bool {
	return slices.ContainsFunc(some, func(d *dispatch.Dispatch) bool { return d.ID == id })
}

// firstTouch binds the caller to the one candidate whose unit the call goes into.
func (j *judge) firstTouch(a *attribution, name string, after time.Time) {
	var into []*dispatch.Dispatch
	profiles, err := j.ws.Records.Profiles(name)
	if err != nil {
		return
	}
	for _, p := range profiles {
		for id, err := range j.ws.Records.Named(name, p) {
			if err != nil {
				return
			}
			d, err := j.ws.Records.Read(id)
			if err != nil || !d.Live() || has(into, id) || j.ws.Records.Seen(id) || !after.IsZero() && !d.IssuedAt.After(after) {
				continue
			}
			if j.touchesOwn(d) {
				into = append(into, d)
			}
		}
	}
	if len(into) != 1 {
		return
	}
	a.candidates, a.several = into, false
	if key := j.agentKey(); key != "" {
		a.bind = &Effect{Kind: Bind, Key: key, ID: into[0].ID}
	}
}

// anyDamaged says whether a live record cannot be read.
func (j *judge) anyDamaged() bool {
	for id, err := range j.ws.Records.LiveIDs() {
		if err != nil {
			return true
		}
		if _, err := j.ws.Records.Read(id); err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrForeign) {
			return true
		}
	}
	return false
}

// bySession is rule 5: dispatches that bind sessions hold every session but the
// one that dispatched.
func (j *judge) bySession() attribution {
	var a attribution
	mine := dispatch.ConductorKey(j.call.Session)
	for id, conductor := range j.ws.Records.Sessions() {
		if conductor == mine {
			continue
		}
		d, err := j.ws.Records.Read(id)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrForeign):
		case err != nil:
			return attribution{rule: RuleSession, damaged: true}
		case d.Live():
			a.candidates = append(a.candidates, d)
		}
	}
	if len(a.candidates) > 0 {
		a.rule, a.several = RuleSession, len(a.candidates) > 1
	}
	return a
}

// windows are the dispatches that were launched in the caller's session and have not ended.
func (j *judge) windows() []store.ID {
	if j.call.Apart {
		return nil
	}
	return j.ws.Records.Windows(dispatch.SessionKey(j.call.Client, j.call.Session))
}

// maxWindow bounds how many dispatches a client without marks is judged against
// one by one; beyond, unit paths are ambiguous all the same.
const maxWindow = 64

// unmarking is rule 6: inside of a launch window the dispatch that was launched;
// outside, unit paths are judged against every live dispatch.
func (j *judge) unmarking() attribution {
	a := attribution{rule: RuleWindow}
	var ended *dispatch.Dispatch
	for _, id := range j.windows() {
		d, err := j.ws.Records.Read(id)
		switch {
		case errors.Is(err, store.ErrNotFound):
		case err != nil:
			a.damaged = true
		case d.Live():
			a.candidates = append(a.candidates, d)
		default:
			ended = d
		}
	}
	switch {
	case len(a.candidates) > 0:
		a.window, a.several = true, len(a.candidates) > 1 || ended != nil
		return a
	case ended != nil:
		// The launch is open still, so that this is its late agent: the main agent waits for it.
		a.window, a.candidates, a.ended = true, []*dispatch.Dispatch{ended}, ended
		return a
	}
	a.unitsOnly = true
	for id, err := range j.ws.Records.LiveIDs() {
		if err != nil {
			a.damaged = true
			break
		}
		d, err := j.ws.Records.Read(id)
		switch {
		case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrForeign):
		case err != nil:
			a.damaged = true
		case d.Live():
			a.candidates = append(a.candidates, d)
		}
		if len(a.candidates) >= maxWindow {
			break
		}
	}
	a.several = len(a.candidates) > 1
	if len(a.candidates) == 0 && !a.damaged {
		return attribution{}
	}
	return a
}
