package guard

import (
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/shell"
)

// claim says under whose dispatch a run of our own program goes on.
type claim uint8

const (
	foreign claim = iota // another's, or one of the conductor's verbs
	nobodys              // a worker's verb that names no dispatch
	owned                // the caller's, or nobody's business
)

// controls says whether a dispatched agent may run our own verbs as a line does, and
// where those end that name no dispatch: 0 for one that is no plain word of the line.
func (s *sight) controls(l line) (unnamed []int, ok bool) {
	for _, ctl := range l.Controls {
		switch s.claims(ctl) {
		case foreign:
			return nil, false
		case nobodys:
			unnamed = append(unnamed, ctl.VerbEnd)
		}
	}
	slices.Sort(unnamed)
	return slices.Compact(unnamed), true
}

// control refuses a line for our own verbs in it, and names the caller's own dispatch where
// there is one.
func (s *sight) control(t Target) Decision {
	if s.j.at.several {
		return s.blocked(ControlCommand, t, refusal{})
	}
	return s.blocked(ControlCommand, t, refusal{detail: ownVerbs(string(s.d.ID))})
}

// nameIn changes a command line so that the caller's dispatch is named directly behind
// each of the offsets, and says whether that can be done, and is the same line in all else.
func (s *sight) nameIn(c Command, l line, ends []int) bool {
	if ends[0] == 0 || !c.Rewrites || s.j.at.several || len(s.j.call.Commands) > 1 || !s.j.mayChange() {
		return false
	}
	var b strings.Builder
	at := 0
	for _, end := range ends {
		b.WriteString(c.Text[at:end])
		b.WriteString(" --dispatch " + string(s.d.ID))
		at = end
	}
	b.WriteString(c.Text[at:])
	c.Text = b.String()
	again := s.j.analyze(c)
	if again.err != nil || len(again.Controls) != len(l.Controls) || len(again.Commands) != len(l.Commands) || len(again.Facts) != len(l.Facts) {
		return false
	}
	for _, ctl := range again.Controls {
		if s.claims(ctl) != owned {
			return false
		}
	}
	s.j.change = change{command: c.Text}
	return true
}

// claims says under whose dispatch one of our own verbs is run.
func (s *sight) claims(c shell.Control) claim {
	if c.Computed || c.Elsewhere || !leads(c) {
		return foreign
	}
	switch c.Verb {
	case "version", "help":
		return owned
	case "":
		if len(c.Args) == 0 || slices.Equal(c.Args, []string{"--version"}) || slices.Equal(c.Args, []string{"--help"}) {
			return owned
		}
	case "brief", "report", "request", "message", "inbox":
		return s.names(c)
	case "status", "check":
		// Without an id they are the conductor's, who asks about everybody.
		if s.names(c) == owned {
			return owned
		}
	}
	return foreign
}

// leads says whether the verb is the first word, but for --json: a flag that stands
// before it may take the word behind it as its value, and then the verb is another.
func leads(c shell.Control) bool {
	for _, a := range c.Args {
		if a != "--json" {
			return c.Verb == "" || a == c.Verb
		}
	}
	return true
}

// names says whether a worker's verb names the caller's own dispatch, and no other.
func (s *sight) names(c shell.Control) claim {
	named := []string{}
	if c.Dispatch != "" {
		named = append(named, c.Dispatch)
	}
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		if a == "--" {
			break // the rest is what is reported or asked about
		}
		if slices.Contains(textFlags(c.Verb), a) {
			i++
		} else if v, ok := strings.CutPrefix(a, "--dispatch="); ok {
			named = append(named, v)
		} else if a == "--dispatch" {
			if i++; i == len(c.Args) {
				return foreign // it takes what is put behind it
			}
			named = append(named, c.Args[i])
		} else if flag, _, _ := strings.Cut(a, "="); flag == "--all" || flag == "--dir" || flag == "--unit" || flag == "--watch" {
			// These lead to other dispatches, or to another workspace's.
			return foreign
		}
	}
	switch {
	case slices.ContainsFunc(named, func(n string) bool { return Named(n) != s.d.ID }):
		return foreign
	case len(named) == 0 && s.j.in.Env.Dispatch != string(s.d.ID):
		return nobodys
	}
	return owned
}

// textFlags are the flags of a worker's verb whose value is the next word, whatever
// that looks like: a value is no name of a dispatch. What a verb does not know makes it
// fail, so no flag of another verb is among them.
func textFlags(verb string) []string {
	switch verb {
	case "report":
		return []string{"--kind", "--artifact"}
	case "request":
		return []string{"--kind", "--to"}
	case "message":
		return []string{"--to"}
	case "check":
		return []string{"--op", "--agent"}
	}
	return nil
}
