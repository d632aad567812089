package hooks

import "github.com/seed6310be5c/conduct/guard"

// Kind says what the value of one field of a tool's input is.
type Kind uint8

// The kinds. A path field takes a string or a list of strings; anything else
// in it cannot be judged and is a fault of the call.
const (
	// Text is never a path: file content, queries, titles, numbers.
	Text Kind = iota
	// ReadPath, WritePath and EditPath name a file that is read, written, or both.
	ReadPath
	WritePath
	EditPath
	// Depth says how deep a folder in a ReadPath is shown: with anything but 0 it is searched.
	Depth
	// ListRoot is the folder whose entries are shown, SearchRoot the folder that is searched.
	ListRoot
	SearchRoot
	// Glob is a pattern of paths below the search root; it may be absolute or climb.
	Glob
	// Filter is a pattern of file names that narrows the search root, at every depth.
	Filter
	// Patch is a text in the apply_patch format.
	Patch
	// Command is a command line, CommandDir the folder in which it runs.
	Command
	CommandDir
	// TaskID names a task whose output is read.
	TaskID
	// Prompt is what a launched agent sees first, AgentType its name, LaunchDir its folder.
	Prompt
	AgentType
	LaunchDir
	// URL is an address: of the web no path, else one.
	URL
	// Unread is what cannot be judged, whatever it holds: calls within a call, what
	// others have said.
	Unread
	// Objects is an object or a list of objects with Fields of their own.
	Objects
)

// String is the kind's name in the documentation.
func (k Kind) String() string {
	names := [...]string{
		Text: "text", ReadPath: "file read", WritePath: "file written", EditPath: "file edited",
		Depth:    "depth of what is shown",
		ListRoot: "folder listed", SearchRoot: "search root", Glob: "glob", Filter: "name filter",
		Patch: "patch", Command: "command line", CommandDir: "command's folder", TaskID: "task id",
		Prompt: "prompt", AgentType: "agent type", LaunchDir: "agent's folder",
		URL: "address", Unread: "never judged, so refused", Objects: "list of objects",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// Field is one field of a tool's input.
type Field struct {
	Name string
	Kind Kind
	// Fields are those of each object; only with Objects.
	Fields []Field
}

// Tool is what is known of one tool of a client. A field that is not in Fields
// is judged as every field of an unknown tool is: each string may be a path.
type Tool struct {
	Name   string
	Fields []Field
	// NoPaths says that nothing in the input is a path, whatever fields come.
	NoPaths bool
	// Writes says that the tool changes files.
	Writes bool
	// Implied is what the tool does to the current folder when no root is given: 0, List or Search.
	Implied guard.Op
	// AnyDepth says that a Glob without a slash matches at every depth.
	AnyDepth bool
	// Links says that a Glob is expanded by a library that goes through linked folders.
	Links bool
	// Foreign says that Command is for a program that is no POSIX shell.
	Foreign bool
	// Launch says that the tool starts an agent; Script, that Prompt is a program that does.
	Launch, Script bool
	// Rewrites says that the client lets its hook change Prompt.
	Rewrites bool
}

// field finds a field by its exact name.
func field(fields []Field, name string) (Field, bool) {
	for _, f := range fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

func findTool(tools []Tool, name string) *Tool {
	for i := range tools {
		if tools[i].Name == name {
			return &tools[i]
		}
	}
	return nil
}
