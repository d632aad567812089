package guard

// Event is what an agent program reports.
type Event uint8

// The events. Everything else a client sends is Other and passes.
const (
	Other      Event = iota
	ToolCall         // before a tool runs: the one that is judged
	LaunchDone       // after a launch tool: its result may name the agent
	AgentStart       // a subagent begins
	AgentStop        // a subagent has ended
	TurnStart        // the main agent begins a turn: no launch is open any more
)

// Op is a set of operations on a path.
type Op uint8

// The operations.
const (
	Read   Op = 1 << iota
	Write     // create, change, remove, move, re-own
	List      // the entries of one folder
	Search    // a subtree
)

// Target is one path that a call may touch, as the agent wrote it.
type Target struct {
	Op   Op
	Path string
	// Base is the folder that a relative Path is relative to; "" is the call's Cwd.
	Base string
	// Implied says that the agent wrote no path and the tool uses Base.
	Implied bool
	// Pattern narrows a Search (or is a glob of its own, with Path as its root):
	// only what matches it below Path is touched. Braces, classes, "**" and
	// ".." are understood; a leading "!" excludes and narrows nothing.
	Pattern string
	// AnyDepth says that this client matches a pattern without a slash at every depth.
	AnyDepth bool
	// Follows says that this search goes through links.
	Follows bool
	// Guess marks a string of a field that no table knows: it is judged when it names
	// something that exists or looks like a path, also relative to each workspace's root.
	Guess bool
}

// Command is a shell command line.
type Command struct {
	Text string
	Cwd  string // "" is the call's Cwd
	// Foreign marks a shell that is no POSIX shell: opaque.
	Foreign bool
	// Guess marks a string of a field that no table knows and that is called like a
	// command's: one that does not parse is none.
	Guess bool
	// Rewrites says that this client runs another command when the hook says so,
	// without skipping a prompt of the person's.
	Rewrites bool
}

// Launch is the call of a tool that starts another agent.
type Launch struct {
	// AgentType is the agent name asked for, "" when the call names none.
	AgentType string
	// Prompt is the text that the new agent will see first.
	Prompt string
	// Rewrites says that this client lets the hook change Prompt.
	Rewrites bool
	// Dir is the working folder of the new agent when the call sets one. What is not
	// absolute says that it has one of its own which is not known.
	Dir string
	// Key is the id of this launch inside ids of agents (Qwen Code), or "".
	Key string
	// Inlined are paths that the program itself puts into the new agent's context
	// because the prompt mentions them. No call is made for it, so they are judged
	// here, for the dispatch that is launched.
	Inlined []Target
	// Script marks a program that starts agents (Claude Code's Workflow).
	Script bool
}

// Call is one event of an agent program, decoded.
type Call struct {
	Client  string
	Event   Event
	Session string
	// AgentID is the subagent's id, "" for a call without one. It is the client's
	// id: which agent this is, never where it belongs.
	AgentID   string
	AgentType string
	// Marks says that this client marks the calls of its subagents, so that a
	// call without AgentID and AgentType is the main agent's.
	Marks bool
	// Apart says that this client's subagents call under sessions of their own: what a
	// session launched says nothing about who calls in it.
	Apart bool
	// Marked says that this call is a subagent's.
	Marked bool
	// PerSession says that this client's agent ids can recur in another session.
	PerSession bool
	// CallID names the call, however many hooks report it; "" when the client sends none.
	CallID string
	// LaunchKey is the launch call's id inside AgentID (Qwen Code), or "".
	LaunchKey string
	// Opening is the text that started this agent, where the payload tells it: the
	// launching side's words, not the agent's.
	Opening string
	// Transcript is the file that opens with the prompt which started this agent
	// (Claude Code), or "".
	Transcript string
	// Transcripts is the folder of the client's transcripts, as far as the payload tells.
	Transcripts string
	// Started is the agent id in a launch's result (LaunchDone), or "".
	Started string

	// Tasks are the ids of the tasks whose output the call reads.
	Tasks []string

	Tool     string
	Cwd      string // "" when the payload has none
	Targets  []Target
	Commands []Command
	Launch   *Launch // the call is a launch (ToolCall) or was one (LaunchDone)
	Board    *BoardTool
	// Writes says that the tool changes something, as far as its table or its name says.
	Writes bool
	// Fault says why this call of a dispatched agent cannot be judged (a patch
	// that does not parse, a path that is no text); "" when it can.
	Fault string
}
