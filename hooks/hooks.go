// Package hooks is the contract between the guard and an agent program: what
// its hook sends, what answer it honours. Each client is a package below it.
package hooks

import (
	"errors"

	"github.com/seed6310be5c/conduct/guard"
)

// MaxPayload is the size in bytes above which a payload is bad.
const MaxPayload = 64 << 20

// ErrPayload is returned by Decode for bytes that are no payload of the client.
var ErrPayload = errors.New("unreadable payload")

// Client knows one agent program.
type Client interface {
	// Name is the client's name on the command line.
	Name() string

	// Decode reads what the hook got on stdin. Every error is an ErrPayload. It
	// keeps to the bytes: no file system, no clock.
	Decode(payload []byte) (guard.Call, error)

	// Encode writes the answer in the client's own form. An allowed call without a
	// rewrite is answered with silence, except where the client needs an answer.
	Encode(a Answer) Response

	// ProjectDirs are the environment variables in which the client names the project's folder.
	ProjectDirs() []string

	// SessionVar is the environment variable in which commands of a session find its id, or "".
	SessionVar() string
}

// Settled is a Client whose settings can be looked through for other hooks.
type Settled interface {
	// Settings are the files in which it may find hooks, of projects and of a home.
	Settings(projects []string, home string) []string
	// Rewrites says whether settings have a hook beside ours that may change a call
	// of a tool. Two hooks that change one call are a race: one change is lost.
	Rewrites(settings []byte, tool string) bool
}

// Checked is a Client that says whether it was checked against its program. One
// that does not say was.
type Checked interface {
	// Verified says whether the program was run and its hook recorded; else the client
	// was written from documents alone.
	Verified() bool
}

// Verified says whether a client was checked against its program.
func Verified(c Client) bool {
	checked, ok := c.(Checked)
	return !ok || checked.Verified()
}

// Answer is what the guard has to say to a call.
type Answer struct {
	Decision guard.Decision
	// Payload is what was read, for a rewrite that must send back what it does not change.
	Payload []byte
	// Prompt, if not "", replaces the launch's prompt. Only for calls whose Launch.Rewrites is set.
	Prompt string
	// Command, if not "", is what runs in place of the call's command line. Only for
	// calls whose command has Rewrites set.
	Command string
	// Dispatch, if not "", is set as the argument of that name. Only for calls whose
	// Board has Rewrites set.
	Dispatch string
	// Event is the event that was decoded; Other when nothing could be.
	Event guard.Event
}

// Response is what the hook's process does last.
type Response struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}
