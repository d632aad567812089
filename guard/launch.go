package guard

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
)

// launch judges a call that starts another agent. Inside of a dispatch only its
// own line may go into the prompt, and only as deep as the grant says.
func (j *judge) launch() Decision {
	l := j.call.Launch
	if l == nil {
		return Decision{Code: NoTarget}
	}
	if j.at.unitsOnly {
		return j.conductorLaunch()
	}
	if j.at.ended != nil {
		return j.blocked(endedCode(j.at.ended), refusal{target: j.call.Tool})
	}
	for _, d := range j.at.candidates {
		if d.Grant.Denies(j.call.Tool) {
			return j.blocked(ToolDenied, refusal{target: j.call.Tool})
		}
		if j.at.depth >= d.Grant.MaxDepth {
			return j.blocked(DepthExceeded, refusal{target: j.call.Tool, detail: j.alone()})
		}
	}
	if j.at.several {
		return j.blocked(Ambiguous, refusal{target: j.call.Tool})
	}
	own, depth := j.at.candidates[0].ID, j.at.depth+1
	tokens := Tokens(l.Prompt)
	for _, t := range tokens {
		if t.ID != own {
			return j.blocked(LaunchMismatch, refusal{target: j.call.Tool, detail: "this launch names another dispatch than yours: use " + dispatch.Token(own)})
		}
	}
	if d := j.inlined(j.at); !d.Allowed() {
		return d
	}
	switch {
	case l.Script:
		return j.blocked(LaunchMismatch, refusal{target: j.call.Tool, detail: "a script's launches cannot be tied to your dispatch: launch agents one by one"})
	case l.Rewrites:
		j.prompt = withToken(l.Prompt, tokens, own, depth)
	case len(tokens) == 0:
		return j.blocked(LaunchMismatch, refusal{target: j.call.Tool, detail: "put the line " + dispatch.Token(own) + " into the prompt of the agent that you launch"})
	}
	j.noteLaunch(own, depth)
	j.noteDir()
	return Decision{Code: NoTarget}
}

// alone is why a launch waits for the end of another: inside of a window the caller
// may be the conductor, who launches the next agent.
func (j *judge) alone() string {
	if !j.at.window {
		return ""
	}
	return "a dispatched agent is running, which may launch no other, and this program does not say which agent calls"
}

// noteDir remembers the folder that a launch gives its agent, where the agent's
// own calls will not tell it.
func (j *judge) noteDir() {
	l := j.call.Launch
	if l.Key == "" || l.Dir == "" {
		return
	}
	j.ruling.Effects = append(j.ruling.Effects, Effect{
		Kind: NoteDir, Key: dispatch.LaunchKey(j.call.Client, j.call.Session, l.Key), Dir: l.Dir,
	})
}

// withToken writes the dispatch's token, with the depth of the new agent, into a
// prompt: in place of those that are there, else as a first line.
func withToken(prompt string, tokens []PromptToken, id store.ID, depth int) string {
	text := dispatch.Token(id)
	if depth > 0 {
		text += "." + strconv.Itoa(min(depth, 9))
	}
	if len(tokens) == 0 {
		return text + "\n" + prompt
	}
	var b strings.Builder
	at := 0
	for _, t := range tokens {
		b.WriteString(prompt[at:t.Start])
		b.WriteString(text)
		at = t.End
	}
	b.WriteString(prompt[at:])
	return b.String()
}

// noteLaunch remembers which dispatch a launch call is for, for clients whose
// agents can be traced to it.
func (j *judge) noteLaunch(id store.ID, depth int) {
	for _, key := range j.launchKeys() {
		j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: NoteLaunch, Key: key, ID: id, Depth: depth})
	}
	if !j.call.Marks && !j.call.Apart {
		j.ruling.Effects = append(j.ruling.Effects, Effect{
			Kind: OpenWindow, Key: dispatch.SessionKey(j.call.Client, j.call.Session), ID: id,
		})
	}
}

func (j *judge) launchKeys() []string {
	var out []string
	for _, id := range []string{j.call.Launch.Key, j.call.CallID} {
		if id != "" {
			out = append(out, dispatch.LaunchKey(j.call.Client, j.call.Session, id))
		}
	}
	return slices.Compact(out)
}

// conductorLaunch judges a launch of somebody who is not dispatched: a token must
// name a live dispatch, and where exactly one reserved dispatch fits and the
// client lets us, the guard adds the line.
func (j *judge) conductorLaunch() Decision {
	l := j.call.Launch
	j.noteDir()
	tokens := Tokens(l.Prompt)
	for _, t := range tokens {
		d, err := j.ws.Records.Read(t.ID)
		if err == nil && d.Live() {
			continue
		}
		if len(j.in.Workspaces) > 1 && j.knownElsewhere(t.ID) {
			continue
		}
		return j.blocked(LaunchMismatch, refusal{target: j.call.Tool, detail: "no dispatch in force is called " + short(string(t.ID), 40) + j.nearest(t.ID)})
	}
	if l.Script {
		return Decision{Code: NotDispatched}
	}
	if len(l.Inlined) > 0 {
		if d := j.inlined(j.launched(tokens)); !d.Allowed() {
			return d
		}
	}
	if len(tokens) > 0 {
		if tokens[0].Depth > 0 && l.Rewrites {
			j.prompt = withToken(l.Prompt, tokens, tokens[0].ID, 0)
		}
		if _, err := j.ws.Records.Read(tokens[0].ID); err == nil {
			j.noteLaunch(tokens[0].ID, 0)
		}
		return Decision{Code: NotDispatched}
	}
	if d := j.onlyReserved(l.AgentType); d != nil {
		if l.Rewrites {
			j.prompt = withToken(l.Prompt, nil, d.ID, 0)
		}
		if l.Rewrites || l.Key != "" || !j.call.Marks {
			j.noteLaunch(d.ID, 0)
		}
	}
	return Decision{Code: NotDispatched}
}

func (j *judge) knownElsewhere(id store.ID) bool {
	return slices.ContainsFunc(j.in.Workspaces, func(w Workspace) bool {
		d, err := w.Records.Read(id)
		return err == nil && d.Live()
	})
}

// onlyReserved returns the one reserved dispatch that fits an agent's name, nil
// when there is none or another one of that name is in force.
func (j *judge) onlyReserved(name string) *dispatch.Dispatch {
	f := j.free(name, time.Time{})
	if len(f.some) == 0 && name != "" && !f.damaged {
		f = j.free("", time.Time{})
	}
	if f.damaged || len(f.some) != 1 || f.some[0].Now != dispatch.Reserved {
		return nil
	}
	return f.some[0]
}

// nearest names the live dispatch whose id is most like a mistyped one.
func (j *judge) nearest(id store.ID) string {
	best, at := store.ID(""), 6
	n := 0
	for live, err := range j.ws.Records.LiveIDs() {
		if n++; err != nil || n > 1000 {
			break
		}
		if d := distance(string(id), string(live)); d < at {
			best, at = live, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + dispatch.Token(best) + "?"
}

// distance counts how many characters have to be changed, left out or added.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := prev
			if a[i] != b[k] {
				cost = 1 + min(prev, row[k], row[k+1])
			}
			prev, row[k+1] = row[k+1], cost
		}
	}
	return row[len(b)]
}

// launchDone binds the agent that a launch's result names, and closes the window.
func (j *judge) launchDone() {
	l := j.call.Launch
	if l == nil {
		return
	}
	id, depth, ok := store.ID(""), 0, false
	for _, key := range j.launchKeys() {
		if got, d, found := j.ws.Records.Launched(key); found && !ok {
			id, depth, ok = got, d, true
		}
	}
	if ts := Tokens(l.Prompt); !ok && len(ts) > 0 {
		id, depth, ok = ts[0].ID, ts[0].Depth, ts[0].ID.Valid()
	}
	if !ok {
		if !j.call.Marks {
			j.closeWindows()
		}
		return
	}
	if !j.call.Marks {
		j.ruling.Effects = append(j.ruling.Effects, Effect{
			Kind: CloseWindow, Key: dispatch.SessionKey(j.call.Client, j.call.Session), ID: id,
		})
		return
	}
	d, err := j.ws.Records.Read(id)
	if err != nil || !d.Live() || j.call.Started == "" || j.call.PerSession {
		return
	}
	key := dispatch.AgentKey(j.call.Client, j.call.Started, "")
	if _, bound, err := j.ws.Records.Bound(key); err != nil || bound {
		return
	}
	j.ruling.Effects = append(j.ruling.Effects, Effect{Kind: Bind, Key: key, ID: id, Depth: depth}, Effect{Kind: See, ID: id})
}
