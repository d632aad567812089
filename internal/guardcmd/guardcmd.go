// Package guardcmd is the command line of the hook. It has no flag library: the
// process starts before every tool call.
package guardcmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/internal/gate"
)

// usage is exit code 2, which clients take as a block when there is a text.
const usage = 2

// Main runs the hook and returns its exit code.
func Main(args []string) int { return Run(args, gate.Options{Stdin: os.Stdin}, os.Stdout, os.Stderr) }

// Run is Main with its streams. What base leaves empty is the process's own.
func Run(args []string, base gate.Options, stdout, stderr io.Writer) int {
	name, err := parse(args, &base)
	if err == nil {
		if c, ok := all.ByName(name); ok {
			base.Client = c
		} else {
			err = fmt.Errorf("unknown client %q", name)
		}
	}
	if err != nil {
		fmt.Fprintf(stderr, "conduct-guard: %s\nhint: conduct-guard --client claude-code [--dispatch ID | --agent NAME] [--dir DIR]\n", err)
		return usage
	}
	sys := gate.System(base.Client)
	if base.Getenv == nil {
		base.Getenv = sys.Getenv
	}
	if base.Clock == nil {
		base.Clock = sys.Clock
	}
	return write(gate.Run(base), stdout, stderr)
}

// write sends the answer. One that cannot be sent must still block, so its
// exit code is then that of a block with a text.
func write(r hooks.Response, stdout, stderr io.Writer) int {
	if len(r.Stderr) > 0 {
		_, _ = stderr.Write(r.Stderr) // the exit code says it too
	}
	if len(r.Stdout) > 0 {
		if _, err := stdout.Write(r.Stdout); err != nil {
			fmt.Fprintf(stderr, "conduct-guard: cannot answer: %s\n", err)
			return usage
		}
	}
	return r.Exit
}

func parse(args []string, o *gate.Options) (client string, err error) {
	into := map[string]*string{"client": &client, "dispatch": &o.Dispatch, "agent": &o.Agent, "dir": &o.Dir}
	for len(args) > 0 {
		name, value, joined := strings.Cut(strings.TrimLeft(args[0], "-"), "=")
		to, ok := into[name]
		if !ok || !strings.HasPrefix(args[0], "-") {
			return "", fmt.Errorf("unknown argument %q", args[0])
		}
		args = args[1:]
		if !joined {
			if len(args) == 0 {
				return "", fmt.Errorf("--%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		*to = value
	}
	if client == "" {
		return "", fmt.Errorf("--client is missing")
	}
	return client, nil
}
