package knobs

// Verdict is what becomes of a call that a rule of its dispatch blocks.
type Verdict uint8

// The verdicts. The zero value is the closed one.
const (
	Stands Verdict = iota // it is blocked
	Asks                  // a person is asked
	Passes                // it goes through, this once
)

// Judge is the order of precedence: an escalation (a person has allowed this call
// once) outranks a knob, a knob outranks the default that the dispatch was made
// with, and "never" ends it before anybody is asked. What nobody may be asked
// about stands, whatever they all say.
func Judge(askable, escalated bool, defaults Settings, events []Event) Verdict {
	switch {
	case !askable:
		return Stands
	case escalated:
		return Passes
	case Fold(defaults, events).Approval == Ask:
		return Asks
	}
	return Stands
}

// Treatment is what becomes of a command that is not understood.
type Treatment uint8

// The treatments. The zero value is the closed one.
const (
	Refuse  Treatment = iota // it is blocked
	Unboxed                  // it is blocked, since the sandbox that it needs is switched off
	InABox                   // it runs confined
	AsItIs                   // it runs
)

// Treat says what becomes of a command that is not understood. Without a sandbox it is
// blocked and not let go, but where "allow" says so in so many words.
func (s Settings) Treat() Treatment {
	switch {
	case s.Opaque == Allow:
		return AsItIs
	case s.Opaque == Confine && s.Sandbox == Off:
		return Unboxed
	case s.Opaque == Confine:
		return InABox
	}
	return Refuse
}
