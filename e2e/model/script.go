// Package model plays the models of agent programs from a script: servers on the
// loopback that speak the programs' own protocols, decide what each agent calls
// next, and keep what each call's result was.
package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Call is one call of a tool.
type Call struct {
	// Key names the call within its role, for Result; it is "" where nobody asks.
	Key string
	// Name is the tool's, Namespace is what its protocol puts beside it, if anything.
	Name, Namespace string
	// Args are the tool's arguments.
	Args map[string]any
	// Input, if not "", is the raw text of a tool that takes no arguments.
	Input string
}

// As returns the call under a key.
func (c Call) As(key string) Call {
	c.Key = key
	return c
}

// Turn is one answer of a model: calls, or a text that ends the agent's work.
type Turn struct {
	// Before, if set, runs before the answer is given.
	Before func()
	Calls  []Call
	Text   string
}

// Script has the turns of every role. An agent's role is what follows Marker in
// the first message of a user that has one.
type Script map[string][]Turn

// Marker stands before the role in a prompt.
const Marker = "ROLE="

var role = regexp.MustCompile(Marker + `([a-z0-9-]+)`)

// Prompt is a prompt for an agent with a role.
func Prompt(role, text string) string { return Marker + role + " " + text }

// result is what a program made of a call.
type result struct{ id, text string }

// request is what a protocol's reader makes of a body.
type request struct {
	// texts are the messages of users in their order.
	texts   []string
	results []result
	tools   []string
	model   string
	stream  bool
}

// role is the role of the agent that asks, "" for none.
func (r request) role() string {
	for _, t := range r.texts {
		if m := role.FindStringSubmatch(t); m != nil {
			return m[1]
		}
	}
	return ""
}

// reply is what a protocol's writer writes.
type reply struct {
	id    int
	model string
	text  string
	calls []numbered
}

// numbered is a call with the id under which its result comes back.
type numbered struct {
	Call
	id string
}

// memory is what a server knows of the agents that it plays.
type memory struct {
	mu      sync.Mutex
	script  Script
	ids     func(n int) string
	n       int
	played  map[string]int
	names   map[string]string // call's id to role and key
	results map[string]string // role and key to result
	bodies  map[string][]string
	tools   map[string][]string
}

func newMemory(script Script, ids func(int) string) *memory {
	return &memory{
		script: script, ids: ids, played: map[string]int{}, names: map[string]string{}, results: map[string]string{},
		bodies: map[string][]string{}, tools: map[string][]string{},
	}
}

func name(role, key string) string { return role + "\x00" + key }

// answer takes a request's results and plays the next turn of its role. What has
// no tools is no agent: programs ask for titles and summaries too.
func (m *memory) answer(r request, body []byte) reply {
	who := r.role()
	turn := m.take(who, r, body)
	if turn.Before != nil {
		turn.Before()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	out := reply{id: m.n, model: r.model, text: turn.Text}
	for _, c := range turn.Calls {
		m.n++
		id := m.ids(m.n)
		m.names[id] = name(who, c.Key)
		out.calls = append(out.calls, numbered{c, id})
	}
	return out
}

// take notes what came and returns the turn that is next.
func (m *memory) take(who string, r request, body []byte) Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, got := range r.results {
		if n, ok := m.names[got.id]; ok {
			m.results[n] = got.text
		}
	}
	m.bodies[who] = append(m.bodies[who], time.Now().Format(time.TimeOnly)+"\n"+string(body))
	if len(r.tools) == 0 {
		return Turn{Text: "ok"}
	}
	for _, t := range r.tools {
		if !slices.Contains(m.tools[who], t) {
			m.tools[who] = append(m.tools[who], t)
		}
	}
	at := m.played[who]
	if at >= len(m.script[who]) {
		return Turn{Text: "done"}
	}
	m.played[who]++
	return m.script[who][at]
}

// Result returns what the program sent as the result of a call, and whether it sent any.
func (s *Server) Result(role, key string) (string, bool) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	text, ok := s.memory.results[name(role, key)]
	return text, ok
}

// Played returns how many turns of a role were played.
func (s *Server) Played(role string) int {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return s.memory.played[role]
}

// Saw says whether anything that was sent for a role has a text in it.
func (s *Server) Saw(role, text string) bool {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return slices.ContainsFunc(s.memory.bodies[role], func(b string) bool { return strings.Contains(b, text) })
}

// Tools returns the names of the tools that a role was offered.
func (s *Server) Tools(role string) []string {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return slices.Clone(s.memory.tools[role])
}

// Bodies returns everything that was sent, for a person to look at.
func (s *Server) Bodies() string {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	var b strings.Builder
	for who, all := range s.memory.bodies {
		for i, body := range all {
			fmt.Fprintf(&b, "== %q %d\n%s\n", who, i, body)
		}
	}
	return b.String()
}
