package cli

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/internal/broker"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/workspace"
)

// brokered are the verbs that a confined command has run outside, where the board is.
// Whatever they name, they are the worker's of the dispatch that the command runs under.
func brokered() []string { return []string{"brief", "report", "request", "message", "inbox"} }

// leadingVerb is the verb that a command line begins with, behind nothing but --json,
// and where it stands.
func leadingVerb(args []string) (verb string, at int) {
	for i, a := range args {
		if a != "--json" {
			return a, i
		}
	}
	return "", 0
}

// outside has a verb run by the process that has confined this one, if there is one and
// the verb is one for it.
func (e *Env) outside(ctx context.Context, args []string) (code int, done bool) {
	address := e.Getenv(broker.Var)
	if verb, _ := leadingVerb(args); address == "" || !slices.Contains(brokered(), verb) {
		return 0, false
	}
	a, err := broker.Ask(ctx, address, args)
	if err == nil {
		_, err = e.Stdout.Write(a.Stdout)
	}
	if err != nil {
		e.json = asksJSON(args)
		return e.report(hint(err, "put what you have to say into your answer")), true
	}
	_, _ = e.Stderr.Write(a.Stderr) // the exit code says the same
	return a.Exit, true
}

// verbsOf runs what a command of a dispatch asks for: one of the worker's verbs, for that
// dispatch and in this workspace.
func (d *desk) verbsOf(id store.ID) broker.Run {
	return func(ctx context.Context, args []string) broker.Answer {
		var out, errs bytes.Buffer
		env := &Env{
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Clock: d.env.Clock, Self: d.env.Self,
			Terminal: func() bool { return false },
			Getwd:    func() (string, error) { return d.ws.Root, nil },
			Getenv: func(name string) string {
				return map[string]string{varDispatch: string(id), workspace.Var: d.ws.Dir}[name]
			},
		}
		verb, at := leadingVerb(args)
		if !slices.Contains(brokered(), verb) || elsewhere(args) {
			env.json = asksJSON(args)
			code := env.report(hint(usageError{errors.New("a confined command runs a worker's verbs, in its own workspace, and no others")}, "conduct brief"))
			return broker.Answer{Exit: code, Stdout: out.Bytes(), Stderr: errs.Bytes()}
		}
		// With the verb at the beginning, no other is even made.
		args = slices.Concat([]string{verb}, args[:at], args[at+1:])
		code := Run(ctx, args, env)
		return broker.Answer{Exit: code, Stdout: out.Bytes(), Stderr: errs.Bytes()}
	}
}

// elsewhere says whether a command line may name another workspace.
func elsewhere(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return a == "--dir" || strings.HasPrefix(a, "--dir=") })
}
