// Package all lists every client. What is not a front end needs one client at most.
package all

import (
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/claudecode"
	"github.com/seed6310be5c/conduct/hooks/codex"
	"github.com/seed6310be5c/conduct/hooks/copilot"
	"github.com/seed6310be5c/conduct/hooks/cursor"
	"github.com/seed6310be5c/conduct/hooks/geminicli"
	"github.com/seed6310be5c/conduct/hooks/generic"
	"github.com/seed6310be5c/conduct/hooks/kiro"
	"github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/hooks/qwencode"
)

// Clients are the clients in the order in which the documentation names them.
func Clients() []hooks.Client {
	return []hooks.Client{
		claudecode.New(), codex.New(), geminicli.New(), qwencode.New(), opencode.New(), copilot.New(), cursor.New(), kiro.New(), generic.New(),
	}
}

// ByName finds the client with that name on the command line. It makes no other:
// the hook's process asks for one and has no time for the rest.
func ByName(name string) (hooks.Client, bool) {
	switch name {
	case claudecode.Name:
		return claudecode.New(), true
	case codex.Name:
		return codex.New(), true
	case geminicli.Name:
		return geminicli.New(), true
	case qwencode.Name:
		return qwencode.New(), true
	case opencode.Name:
		return opencode.New(), true
	case copilot.Name:
		return copilot.New(), true
	case cursor.Name:
		return cursor.New(), true
	case kiro.Name:
		return kiro.New(), true
	case generic.Name:
		return generic.New(), true
	}
	return nil, false
}
