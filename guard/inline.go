package guard

import (
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
)

// inlined judges what the program puts into a new agent's context by itself: as
// if the agent that is launched read it.
func (j *judge) inlined(launched attribution) Decision {
	paths := j.call.Launch.Inlined
	if len(paths) == 0 || !launched.dispatched() {
		return Decision{Code: NoTarget}
	}
	if launched.damaged {
		return j.blocked(RecordDamaged, refusal{})
	}
	child := *j
	child.at, child.ruling = launched, Ruling{}
	for _, d := range launched.candidates {
		s, err := child.newSight(d)
		if err != nil {
			return j.blocked(RecordDamaged, refusal{})
		}
		for _, t := range paths {
			// A person's prompt may speak of what is not there: nothing is put in then.
			if !j.at.dispatched() && !j.there(t) {
				continue
			}
			got := s.target(t)
			if got.Allowed() || d.Grant.Observe && got.Code != Protected {
				continue
			}
			return j.blockedInline(t, got, d)
		}
	}
	return Decision{Code: NoTarget}
}

func (j *judge) blockedInline(t Target, got Decision, d *dispatch.Dispatch) Decision {
	what := quoted("@" + t.Path)
	detail := what + " in the prompt would be put into the context of an agent of unit " + short(d.Unit, 40) +
		", which may not read it: leave the @ out, or open that file to the unit"
	out := j.blocked(LaunchMismatch, refusal{target: j.call.Tool, detail: detail})
	out.Code, out.Op, out.Target, out.Unit = got.Code, got.Op, got.Target, got.Unit
	return out
}

// there says whether a mentioned path exists from any folder that it may be relative to.
func (j *judge) there(t Target) bool {
	path := t.Path
	if rest, ok := strings.CutPrefix(path, "~/"); ok && j.in.Env.Home != "" {
		path = j.in.Env.Home + "/" + rest
	}
	bases := []string{t.Base, j.call.Cwd, j.ws.Root.String()}
	if strings.HasPrefix(path, "/") {
		bases = []string{"/"}
	}
	for _, b := range bases {
		if !strings.HasPrefix(b, "/") {
			continue
		}
		if _, err := j.in.FS.Lstat(b + "/" + path); err == nil {
			return true
		}
	}
	return false
}

// launched is what the agent that a conductor launches will be attributed to: the
// dispatch that the prompt names, else those of the agent's name.
func (j *judge) launched(tokens []PromptToken) attribution {
	for _, t := range tokens {
		if d, err := j.ws.Records.Read(t.ID); err == nil && d.Live() {
			return attribution{rule: RuleLink, candidates: []*dispatch.Dispatch{d}}
		}
	}
	agent := *j.call
	agent.AgentID, agent.AgentType, agent.Marked = "new", j.call.Launch.AgentType, true
	child := *j
	child.call = &agent
	return child.byName(time.Time{})
}
