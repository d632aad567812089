package shell

import (
	"slices"
	"strings"
)

// launches reports the start of another agent program.
func (c *command) launches() bool {
	i := slices.IndexFunc(agentPrograms, func(a struct{ name, prompt string }) bool { return a.name == c.name })
	if i < 0 {
		return false
	}
	l := Launch{Program: c.name, Command: c.index}
	said := strings.Fields(agentPrograms[i].prompt)
	var prompt []string
	for k, a := range c.args {
		t := a.text
		l.Args = append(l.Args, t)
		switch {
		case k > 0 && slices.Contains(said, c.args[k-1].text), !a.dash():
			prompt = append(prompt, t)
		default:
			if name, v, ok := strings.Cut(t, "="); ok && slices.Contains(said, name) {
				prompt = append(prompt, v)
			}
		}
	}
	if len(c.args) == 1 && slices.Contains([]string{"--version", "-v", "-V", "--help", "-h"}, c.args[0].text) {
		return true
	}
	if c.in.text != nil {
		prompt = append(prompt, c.in.text.text)
	}
	l.Prompt = strings.Join(prompt, "\n")
	c.e.out.Launches = append(c.e.out.Launches, l)
	c.e.opaqueBy(c.pos, "it starts another agent program", c.index)
	c.guessAll()
	return true
}
