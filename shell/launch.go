package shell

import (
	"slices"
	"strings"
)

// launches reports the start of another agent program.
func (c *command) launches() bool {
	i := slices.IndexFunc(agentPrograms, func(a struct{ name, prompt string }) bool { return a.name == c.name })
	if i < 0 {
		return c.runsPackage()
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

// runsPackage follows a package runner that starts an agent program: npx and the
// like, also as "npm exec" and "pnpm dlx".
func (c *command) runsPackage() bool {
	if !inList("npx bunx pnpx uvx pipx npm pnpm yarn bun uv", c.name) {
		return false
	}
	for i, a := range c.args {
		name := a.text
		if at := strings.LastIndexByte(name, '@'); at > 0 {
			name = name[:at] // its version
		}
		for _, p := range agentPackages {
			if p.name == name {
				name = p.program
			}
		}
		if !slices.ContainsFunc(agentPrograms, func(p struct{ name, prompt string }) bool { return p.name == name && len(name) > 1 }) {
			continue
		}
		words := slices.Clone(c.args[i:])
		words[0].text = name
		c.unknown("it runs a program that is not known")
		c.e.invoke(c.s, words, c.in, c.values)
		return true
	}
	return false
}
