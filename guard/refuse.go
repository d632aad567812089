package guard

import (
	"strings"
	"unicode/utf8"
)

// MaxReason is the length in characters of a refusal at the most.
const MaxReason = 400

// refusal is what a refusal's text is made of. Nothing in it comes from looking
// at a sibling: a missing and an existing target are refused in the same words.
type refusal struct {
	target  string // as the agent wrote it
	implied bool   // the agent wrote none, the tool uses its folder
	unit    string // of the target
	own     string // the caller's
	detail  string
	remedy  string // a command that passes in place of this one
}

func (j *judge) blocked(c Code, r refusal) Decision {
	if r.own == "" && len(j.at.candidates) == 1 {
		r.own = j.at.candidates[0].Unit
	}
	return Decision{Code: c, Target: r.target, Unit: r.unit, Reason: refuse(c, r)}
}

// Refusal is the text for a block that needs no more than its code.
func Refusal(c Code) string { return refuse(c, refusal{}) }

// refuse writes the text: the target, its unit, the own unit, one remedy that works.
func refuse(c Code, r refusal) string {
	var b strings.Builder
	b.WriteString("conduct: ")
	what := quoted(r.target)
	if r.implied {
		what = "the current folder (no path was given)"
	}
	own := "your unit"
	if r.own != "" {
		own = "your unit " + short(r.own, 40)
	}
	switch c {
	case SiblingUnit:
		b.WriteString(what)
		if r.unit != "" {
			b.WriteString(" belongs to unit " + short(r.unit, 40))
		} else {
			b.WriteString(" touches other units")
		}
		b.WriteString(", you work on " + strings.TrimPrefix(own, "your ") + ". ")
		if r.remedy != "" {
			b.WriteString("This passes: " + short(r.remedy, 160))
		} else {
			b.WriteString("Work without it: stay in " + own + " and in shared paths, or ask the conductor to open that file to you.")
		}
	case SiblingSearch:
		b.WriteString("a search or list from " + what + " reaches other units. ")
		if r.remedy != "" {
			b.WriteString("This passes: " + short(r.remedy, 160))
		} else {
			b.WriteString("Name a path inside of " + own + ", or a folder that holds no unit.")
		}
	case ReadOnly:
		b.WriteString("writing " + what + " is refused: " + orElse(r.detail, "it is read-only for you") + ". Put it into your answer, or into " + own + " where that may be written.")
	case ToolDenied:
		b.WriteString("the tool or command " + what + " is denied for this dispatch. Use another one.")
	case DepthExceeded:
		if r.detail != "" {
			b.WriteString(r.detail + ". Launch the next one when it has ended.")
		} else {
			b.WriteString("this dispatch may launch no further agents. Do the work yourself, or report what is left to the conductor.")
		}
	case LaunchMismatch:
		b.WriteString(orElse(r.detail, "this launch names another dispatch") + ".")
	case Protected:
		b.WriteString(what + " is protected: records, hook settings, programs, git's own files and other agents' transcripts are closed to dispatched agents. Go on without it.")
	case ControlCommand:
		b.WriteString(orElse(r.detail, ownVerbs("and your own id")))
	case Expired:
		b.WriteString("the time of this dispatch is up (expired). Stop, and ask the conductor for a new dispatch.")
	case Released:
		b.WriteString("this dispatch has ended (released). Stop, and ask the conductor for a new dispatch.")
	case Ambiguous:
		b.WriteString("it is ambiguous which unit you work on: several dispatches fit your agent name. Shared paths pass. Ask the conductor for one agent definition per unit, or for the line conduct:<id> in your launch prompt.")
	case Undispatched:
		if r.detail != "" {
			b.WriteString("no dispatch with that id is known here (" + r.detail + "). Ask the conductor for a new one.")
		} else {
			b.WriteString("no dispatch names you, and this workspace gives units to dispatched agents only. Ask the conductor for a dispatch.")
		}
	case Unresolvable:
		b.WriteString("where " + what + " leads cannot be told: " + orElse(r.detail, "the path cannot be resolved") + ". Write it as a plain absolute path.")
	case OpaqueCommand:
		b.WriteString("what this command touches cannot be told (" + orElse(r.detail, "it is not understood") + "). Use plain commands with plain paths, or the file tools.")
	case RecordDamaged:
		b.WriteString("the record of a dispatch cannot be read, so nothing is allowed. Stop, and ask the conductor to run \"conduct status\".")
	case BadPayload:
		b.WriteString("this call cannot be read (" + orElse(r.detail, "malformed payload") + "), so it is blocked while a dispatch is in force. Try the call again.")
	default:
		b.WriteString("the guard failed (" + orElse(r.detail, "internal error") + "), so the call is blocked. Try again, or tell the conductor to run \"conduct doctor\".")
	}
	return short(b.String(), MaxReason)
}

// ownVerbs says which of our own verbs a dispatched agent may run, under which id.
func ownVerbs(id string) string {
	return "that command is the conductor's. You may run \"conduct brief\", \"report\", \"request\", \"message\", \"inbox\", \"status\" and \"check\" with --dispatch " +
		id + " behind the verb and no computed words, and \"conduct help\"."
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// quoted shows a target so that a long one is known again and no control
// character gets through.
func quoted(s string) string {
	if s == "" {
		return "this target"
	}
	clean := strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return "\"" + middle(clean, 120) + "\""
}

// middle shortens from the middle, since a path's two ends tell most.
func middle(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return string(r[:n/3]) + "…" + string(r[len(r)-(n-n/3-1):])
}

func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Repeated is what is added to a refusal that the agent has got twice already.
const Repeated = " This was refused before: to repeat it will not help."

// Repeat returns a refusal for at least the third time.
func Repeat(reason string) string { return with(reason, Repeated) }

// Asked returns a refusal of a call about which a person was asked, with what came of it.
func Asked(reason, answer string) string {
	return with(reason, " A person was asked whether this call may go through: "+answer+".")
}

// with adds a sentence to a refusal, which gives way to it.
func with(reason, more string) string {
	return short(reason, MaxReason-utf8.RuneCountInString(more)) + more
}
