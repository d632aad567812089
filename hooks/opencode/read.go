package opencode

import (
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/wire"
)

// errNobody is the error of a call whose session was not found.
var errNobody = fmt.Errorf("%w: nobody's call: its session was not found", hooks.ErrPayload)

// read takes apart what the plugin sends.
func read(payload []byte) (sent, error) {
	var s sent
	err := hooks.Outer(payload, func(r *wire.Reader, name string) error {
		switch name {
		case "type":
			return hooks.ReadText(r, &s.Event)
		case "tool_name":
			return hooks.ReadText(r, &s.Tool)
		case "directory":
			return hooks.ReadText(r, &s.Directory)
		case "worktree":
			return hooks.ReadText(r, &s.Worktree)
		case "opening":
			return hooks.ReadText(r, &s.Opening)
		case "input":
			return members(r, s.input)
		case "output":
			return members(r, s.output)
		case "properties":
			return members(r, s.properties)
		case "session_lookup":
			return members(r, s.Owner.member)
		}
		return r.Skip()
	})
	return s, err
}

// members reads an object by its members; anything else is skipped.
func members(r *wire.Reader, member func(r *wire.Reader, name string) error) error {
	if r.Kind() != '{' {
		return r.Skip()
	}
	return r.Object(func(name string) error { return member(r, name) })
}

func (s *sent) input(r *wire.Reader, name string) (err error) {
	switch name {
	case "sessionID":
		return hooks.ReadText(r, &s.Session)
	case "callID":
		return hooks.ReadText(r, &s.Call)
	case "args":
		s.After, err = r.Raw()
		return err
	}
	return r.Skip()
}

func (s *sent) output(r *wire.Reader, name string) (err error) {
	switch name {
	case "args":
		s.Args, err = r.Raw()
		return err
	case "metadata":
		return members(r, func(r *wire.Reader, name string) error {
			if name != "sessionId" || r.Kind() != '"' {
				return r.Skip()
			}
			return hooks.ReadText(r, &s.Started)
		})
	}
	return r.Skip()
}

func (s *sent) properties(r *wire.Reader, name string) error {
	if name == "sessionID" && r.Kind() == '"' {
		return hooks.ReadText(r, &s.Session)
	}
	return r.Skip()
}

func (o *owner) member(r *wire.Reader, name string) error {
	to, ok := map[string]*string{
		"id": &o.ID, "parentID": &o.Parent, "agent": &o.Agent, "title": &o.Title, "directory": &o.Directory,
	}[name]
	if !ok {
		return r.Skip()
	}
	return hooks.ReadText(r, to)
}

// mentions are the paths that opencode reads into a new agent's context, because the
// prompt mentions them: as its own pattern finds them, relative to the checkout.
// In place of (?<![\w`])@(\.?[^\s`,.]*(?:\.[^\s`,.]+)*).
func mentions(prompt, worktree string) []guard.Target {
	var out []guard.Target
	seen := map[string]bool{}
	for at := 0; ; {
		i := strings.IndexByte(prompt[at:], '@')
		if i < 0 {
			return out
		}
		before := at + i
		at = before + 1
		if before > 0 && wordOrTick(prompt[before-1]) {
			continue
		}
		name := mention(prompt[at:])
		at += len(name)
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if len(out) == maxMentions {
			// What is not looked at cannot pass.
			return append(out, guard.Target{Op: guard.Read, Path: "\x00"})
		}
		out = append(out, guard.Target{Op: guard.Read, Path: name, Base: worktree, Guess: true})
	}
}

// maxMentions bounds how many paths of a prompt are judged.
const maxMentions = 256

func wordOrTick(c byte) bool {
	return c == '`' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}

// mention is the longest text that begins s and is taken for a path: a dot belongs to it
// where it opens it, or where something follows.
func mention(s string) string {
	end := 0
	if strings.HasPrefix(s, ".") {
		end = 1
	}
	plain := func(from int) int {
		if n := strings.IndexFunc(s[from:], func(r rune) bool { return strings.ContainsRune("`,.", r) || space(r) }); n >= 0 {
			return from + n
		}
		return len(s)
	}
	end = plain(end)
	for end < len(s) && s[end] == '.' {
		next := plain(end + 1)
		if next == end+1 {
			break
		}
		end = next
	}
	return s[:end]
}

// space is what \s means in JavaScript.
func space(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return r >= 0x2000 && r <= 0x200a
}
