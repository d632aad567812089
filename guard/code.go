package guard

// Code says why a call was allowed or blocked. The zero value is Internal,
// which blocks. The set is closed.
type Code uint8

// The codes that block, then those that allow.
const (
	Internal Code = iota
	SiblingUnit
	SiblingSearch
	ReadOnly
	ToolDenied
	DepthExceeded
	LaunchMismatch
	Protected
	ControlCommand
	Expired
	Released
	Ambiguous
	Undispatched
	Unresolvable
	OpaqueCommand
	RecordDamaged
	BadPayload

	OwnUnit
	Shared
	Exempt
	NoTarget
	NotDispatched
	Idle
	StoodAside
	WouldBlock
)

var codeNames = [...]string{
	Internal: "internal", SiblingUnit: "sibling_unit", SiblingSearch: "sibling_search",
	ReadOnly: "read_only", ToolDenied: "tool_denied", DepthExceeded: "depth_exceeded",
	LaunchMismatch: "launch_mismatch", Protected: "protected", ControlCommand: "control_command",
	Expired: "expired", Released: "released", Ambiguous: "ambiguous", Undispatched: "undispatched",
	Unresolvable: "unresolvable", OpaqueCommand: "opaque_command", RecordDamaged: "record_damaged",
	BadPayload: "bad_payload",
	OwnUnit:    "own_unit", Shared: "shared", Exempt: "exempt", NoTarget: "no_target",
	NotDispatched: "not_dispatched", Idle: "idle", StoodAside: "stood_aside", WouldBlock: "would_block",
}

// Codes lists every code, those that block first.
func Codes() []Code {
	all := make([]Code, len(codeNames))
	for i := range all {
		all[i] = Code(i)
	}
	return all
}

// String is the name that logs and answers show.
func (c Code) String() string {
	if int(c) < len(codeNames) {
		return codeNames[c]
	}
	return codeNames[Internal]
}

// Allows says whether a call with this code goes through.
func (c Code) Allows() bool { return c >= OwnUnit && int(c) < len(codeNames) }

// String lists the operations in the words of the command line.
func (o Op) String() string {
	switch {
	case o&Write != 0:
		return "write"
	case o&Search != 0:
		return "search"
	case o&List != 0:
		return "list"
	case o&Read != 0:
		return "read"
	}
	return "none"
}

// Decision is the answer to one call.
type Decision struct {
	Code   Code
	Would  Code // with WouldBlock: the code that would have been
	Waived Code // with Exempt: the code that would have been, but for a person's yes
	Op     Op
	Target string // as the agent wrote it
	Path   string // where it leads, relative to the workspace; only for own, shared and exempt paths, else ""
	Unit   string // the unit that Path is in, "" for none
	Reason string // the text for the agent; never empty when blocked
}

// Allowed says whether the call goes through.
func (d Decision) Allowed() bool { return d.Code.Allows() }
