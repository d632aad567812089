package install

import (
	"path/filepath"
	"strings"
)

// mark opens every command line of ours. It does nothing in a shell, and it is
// how a line is known again that an older version wrote. Nothing in the line
// may name a version: some programs ask anew whether they may trust a hook
// whenever its text changes.
const mark = ": conduct-hook; "

// failed ends a command line with the block of every program: exit 2 and a
// reason. Most other exit codes mean "allowed", and so does a silent 2 to some.
const failed = `[ $s = 2 ] && echo "conduct: blocked" >&2 || ` +
	`echo "conduct: blocked, since the guard is missing or has failed (exit $s): run conduct doctor" >&2; exit 2; `

// places are where a guard is looked for that is not on the PATH: programs
// that are started from a desktop see a short one.
const places = `PATH=$PATH:$HOME/.local/bin:$HOME/go/bin:/usr/local/bin:/opt/homebrew/bin:/home/linuxbrew/.linuxbrew/bin; `

// Command returns the command line of a client's hook, for a POSIX shell.
// Each scope has its own:
//
//   - local: nothing is started where the workspace has no .conduct; else the
//     guard decides, and where it is missing or fails, the call is blocked.
//   - user: the guard decides everywhere; where it is missing or fails, the call
//     is blocked in and below workspaces only.
//   - project: as user, but the guard is found on the PATH, and whoever has none
//     and no workspace notices nothing.
//
// Exit 2 with a text is what every program takes for a block. All other ends of
// a guard are "allowed" to most of them, so the line turns them into that.
func Command(opts Options) string {
	switch opts.Scope {
	case Project:
		return mark + places + inWorkspace(`[ -s "$(command -v `+Program+`)" ] && `+Program+opts.flags())
	case User:
		guard := quote(filepath.ToSlash(opts.Guard))
		return mark + inWorkspace("[ -s "+guard+" ] && "+guard+opts.flags())
	}
	guard := quote(filepath.ToSlash(opts.Guard))
	// An empty file would run and succeed: an update that was cut short leaves one.
	return mark + opts.here() + "{ [ -s " + guard + " ] && " + guard + opts.flags() + "; } || { s=$?; " + failed + "}; fi"
}

// Notice returns the command line for events that judge nothing: a guard that is
// missing or fails is then no reason to stop anybody. Some programs take an exit
// of 2 after a subagent's end as "go on", others as the loss of a person's prompt.
func Notice(opts Options) string {
	guard := quote(filepath.ToSlash(opts.Guard))
	switch opts.Scope {
	case Project:
		return mark + places + "command -v " + Program + " >/dev/null 2>&1 && " + Program + opts.flags() + " || :"
	case User:
		return mark + "[ -s " + guard + " ] && " + guard + opts.flags() + " || :"
	}
	return mark + opts.here() + "[ -s " + guard + " ] && " + guard + opts.flags() + " || :; fi"
}

// here begins the lines of one workspace.
func (o Options) here() string {
	return "if [ -d " + quote(filepath.ToSlash(o.workspace())+"/.conduct") + ` ] || [ -n "$CONDUCT_DIR$CONDUCT_DISPATCH" ]; then `
}

// flags are the guard's arguments.
func (o Options) flags() string {
	out := " --client " + o.Client
	if o.Agent != "" {
		out += " --agent " + quote(o.Agent)
	}
	if o.Scope == Local {
		out += " --dir " + quote(filepath.ToSlash(o.workspace()))
	}
	return out
}

// inWorkspace runs the guard and, when that fails, looks for a workspace from
// the project's folder and the current one upwards. An exit of 2 is the guard's own
// block. Only what is built into the shell is used.
func inWorkspace(guard string) string {
	return "{ " + guard + `; } || { s=$?; b=$CONDUCT_DIR$CONDUCT_DISPATCH; [ $s != 2 ] || b=1; ` +
		`for d in "$CLAUDE_PROJECT_DIR" "$PWD"; do case $d in /*) while :; do ` +
		`[ ! -e "$d/.conduct/workspace.json" ] || b=1; [ -n "$d" ] || break; d=${d%/*}; done;; esac; done; ` +
		`[ -z "$b" ] || { ` + failed + "}; }"
}

// quote makes one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
