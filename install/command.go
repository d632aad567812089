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

// Command returns the command line of Claude Code's hook, for a POSIX shell.
// Each scope has its own:
//
//   - local: nothing is started where the workspace has no .conduct; else the
//     guard decides, and where it is missing or fails, the call is blocked.
//   - user: the guard decides everywhere; where it is missing or fails, the call
//     is blocked in and below workspaces only.
//   - project: as user, but the guard is found on the PATH, and whoever has none
//     and no workspace notices nothing.
func Command(opts Options) string { return commandFor("claude-code", opts) }

// commandFor is Command for any client.
func commandFor(client string, opts Options) string {
	switch opts.Scope {
	case Project:
		return mark + places + inWorkspace("command -v "+Program+" >/dev/null 2>&1 && "+Program+" --client "+client)
	case User:
		guard := quote(filepath.ToSlash(opts.Guard))
		return mark + inWorkspace("[ -s "+guard+" ] && "+guard+" --client "+client)
	}
	guard, root := quote(filepath.ToSlash(opts.Guard)), quote(filepath.ToSlash(opts.Root))
	// An empty file would run and succeed: an update that was cut short leaves one.
	return mark + "if [ -d " + quote(filepath.ToSlash(opts.Root)+"/.conduct") + ` ] || [ -n "$CONDUCT_DIR$CONDUCT_DISPATCH" ]; then ` +
		"{ [ -s " + guard + " ] && " + guard + " --client " + client + " --dir " + root + "; } || { s=$?; " + failed + "}; fi"
}

// Notice returns the command line for events that judge nothing: a guard that is
// missing or fails is then no reason to stop anybody. Some programs take an exit
// of 2 after a subagent's end as "go on", others as the loss of a person's prompt.
func Notice(opts Options) string { return noticeFor("claude-code", opts) }

// noticeFor is Notice for any client.
func noticeFor(client string, opts Options) string {
	guard, root := quote(filepath.ToSlash(opts.Guard)), quote(filepath.ToSlash(opts.Root))
	switch opts.Scope {
	case Project:
		return mark + places + "command -v " + Program + " >/dev/null 2>&1 && " + Program + " --client " + client + " || :"
	case User:
		return mark + "[ -s " + guard + " ] && " + guard + " --client " + client + " || :"
	}
	return mark + "if [ -d " + quote(filepath.ToSlash(opts.Root)+"/.conduct") + ` ] || [ -n "$CONDUCT_DIR$CONDUCT_DISPATCH" ]; then ` +
		"[ -s " + guard + " ] && " + guard + " --client " + client + " --dir " + root + " || :; fi"
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
