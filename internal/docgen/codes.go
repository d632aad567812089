package main

import (
	"fmt"
	"strings"

	"github.com/seed6310be5c/conduct/guard"
)

// meanings says what each code means.
func meanings() map[guard.Code]string {
	return map[guard.Code]string{
		guard.Internal:       "the guard itself failed, or took longer than its deadline of 2 s, while a dispatch is in force",
		guard.SiblingUnit:    "the path is in a unit that is not the agent's, or the call would remove or move a folder above one",
		guard.SiblingSearch:  "the search or list starts above other units, or its pattern can reach one",
		guard.ReadOnly:       "a write by a read-only dispatch, or to a shared path that is read-only for it",
		guard.ToolDenied:     "the tool filter of the dispatch denies the tool, or `commands_deny` the command",
		guard.DepthExceeded:  "the agent would launch an agent deeper than `--max-depth` allows",
		guard.LaunchMismatch: "a launch names a dispatch that is not in force or not the launcher's, or cannot be tied to one",
		guard.Protected:      "records, hook settings, git's hooks, config and object store, the guard's own program, those of the machine and of the PATH, other agents' transcripts",
		guard.ControlCommand: "a dispatched agent runs a command of `conduct` that is the conductor's",
		guard.Expired:        "a path in a unit, and the time of the agent's dispatch is up",
		guard.Released:       "a path in a unit, and the agent's dispatch has been released",
		guard.Ambiguous:      "a path in a unit, and dispatches of several units fit the caller",
		guard.Undispatched:   "`strict: true` and nobody dispatched the caller; or the dispatch id that it was started with is unknown",
		guard.Unresolvable:   "where the path leads cannot be told: a link loop, no permission, control characters, a relative path without a folder",
		guard.OpaqueCommand:  "what the command does cannot be told, and it may not run (`opaque: block`) or cannot run confined (the reason is in the text); or it does not parse at all",
		guard.RecordDamaged:  "a record that may be the caller's cannot be read",
		guard.BadPayload:     "the hook's payload cannot be read, and a dispatch is in force",
		guard.OwnUnit:        "a path in the agent's own unit",
		guard.Shared:         "a path in no unit",
		guard.Exempt:         "a path in another unit that the grant opens (`--exempt`, `--read`, `conduct grant add`, `reads:`)",
		guard.NoTarget:       "the call touches no path",
		guard.NotDispatched:  "the caller is not dispatched: the conductor, or an agent that nobody dispatched",
		guard.Idle:           "no dispatch is in force",
		guard.StoodAside:     "`conduct off` or `CONDUCT_OFF=1`",
		guard.WouldBlock:     "observed only: the log has the code that would have been",
	}
}

// codes is the table of decision codes.
func codes() (string, error) {
	say := meanings()
	var blocked, allowed [][]string
	for _, c := range guard.Codes() {
		meaning, ok := say[c]
		if !ok {
			return "", fmt.Errorf("code %q has no meaning", c)
		}
		if c.Allows() {
			allowed = append(allowed, []string{code(c.String()), "allowed", meaning, ""})
			continue
		}
		text := strings.TrimPrefix(guard.Refusal(c), "conduct: ")
		blocked = append(blocked, []string{code(c.String()), "blocked", meaning, text})
	}
	if len(say) != len(blocked)+len(allowed) {
		return "", fmt.Errorf("%d meanings for %d codes", len(say), len(blocked)+len(allowed))
	}
	return table([]string{"code", "call", "meaning", "what the agent is told"}, append(blocked, allowed...)), nil
}
