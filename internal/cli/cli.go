// Package cli is the command line of conduct: one file for each verb. It reads
// flags, calls the domain packages and prints; it alone knows exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/mcpserver"
	"github.com/seed6310be5c/conduct/sandbox"
)

// Env is what the commands take from their process.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Getwd  func() (string, error)
	Clock  dispatch.Clock
	// Self is how the program was called: os.Args[0].
	Self string
	// Program is our own program, which a sandbox starts as its first process; it must
	// call sandbox.Init. "" is that there is none, and so no sandbox.
	Program string
	// Terminal says that a person sits at Stdin.
	Terminal func() bool
	// Forget drops what was typed at Stdin and not read yet; nil where nobody types.
	Forget func()
	// Serve serves tools over two streams; nil in the program that links no server.
	Serve Serve

	json bool
	dir  string
}

// Serve serves the tools of a server until its client goes.
type Serve func(context.Context, *mcpserver.Server, io.Reader, io.Writer) error

// Main runs a command line and returns its exit code.
func Main(args []string) int {
	if handled, code := sandbox.Init(args); handled {
		return code
	}
	return run(args, nil)
}

// MainMCP runs the verb mcp with a server.
func MainMCP(args []string, serve Serve) int {
	if handled, code := sandbox.Init(args); handled {
		return code
	}
	return run(append([]string{"mcp"}, args...), serve)
}

func run(args []string, serve Serve) int {
	program, err := sandbox.Self()
	if err != nil {
		program = "" // then commands cannot be confined, and doctor says so
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return Run(ctx, args, &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Getwd: os.Getwd,
		Clock: &system.Clock{}, Self: os.Args[0], Terminal: system.Terminal, Forget: system.Forget, Program: program, Serve: serve,
	})
}

// Run is Main with its surroundings.
func Run(ctx context.Context, args []string, in *Env) int {
	out, copied := &output{Writer: in.Stdout}, *in
	env := &copied
	env.Stdout = out
	if code, done := env.outside(ctx, args); done {
		return code
	}
	root := newRoot(env, args)
	root.SetArgs(args)
	called, err := root.ExecuteContextC(ctx)
	err = meant(called, err)
	// Flags behind the one that is wrong have not been read.
	env.json = env.json || err != nil && asksJSON(args)
	if out.err != nil && (err == nil || errors.Is(err, out.err)) {
		// An id or a receipt that nobody gets to see is no success.
		env.json, err = false, fmt.Errorf("cannot print the answer: %w", out.err)
	}
	code := env.report(err)
	if env.json && out.err != nil {
		env.json = false // where the object could not be printed, the line may be
		env.report(err)
	}
	return code
}

// output remembers that something could not be printed.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// asksJSON says whether a command line has --json, however wrong the rest is.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// verb makes the command of that name.
type verb struct {
	name string
	make func(*Env) *cobra.Command
}

func verbs() []verb {
	return []verb{
		{"mcp", newMCP},
		{"init", newInit}, {"unit", newUnit}, {"dispatch", newDispatch}, {"grant", newGrant}, {"renew", newRenew},
		{"release", newRelease}, {"status", newStatus}, {"check", newCheck}, {"log", newLog}, {"janitor", newJanitor},
		{"off", newOff}, {"on", newOn}, {"exec", newExec}, {"run", newRun}, {"demo", newDemo}, {"doctor", newDoctor},
		{"version", newVersion}, {"guard", newGuard}, {"board", newBoard}, {"brief", newBrief}, {"report", newReport},
		{"request", newRequest}, {"message", newMessage}, {"inbox", newInbox}, {"channel", newChannel},
		{"knob", newKnob}, {"approve", newApprove},
	}
}

// newRoot makes the command for a command line. Where that begins with a verb, the
// others are left out: to make them all takes longer than many a verb's own work.
func newRoot(env *Env, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "conduct",
		Short: "a scope guard for parallel AI subagents",
		Long: `conduct dispatches an agent to one unit of a workspace. Until the release, what
the agent's tools would read, search or write in another unit is blocked by
conduct-guard, which the agent program's hook asks before every tool call.

Exit codes: 0 done, 1 failed, 2 usage, 3 conflict, 4 not found, 5 locked,
6 damaged record, 7 blocked (check), 8 no sandbox.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, args, err) })
	root.PersistentFlags().BoolVar(&env.json, "json", false, "print one JSON object, errors too")
	root.PersistentFlags().StringVar(&env.dir, "dir", "", "the folder to start from (default: the current one)")
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	for _, v := range verbs() {
		if len(args) > 0 && args[0] == v.name {
			c := v.make(env)
			wrapArgs(c)
			root.AddCommand(c)
			root.CompletionOptions.DisableDefaultCmd = true
			return root
		}
	}
	addAll(root, env)
	return root
}

// addAll adds every command, and cobra's own.
func addAll(root *cobra.Command, env *Env) {
	for _, v := range verbs() {
		root.AddCommand(v.make(env))
	}
	root.InitDefaultCompletionCmd() // it takes the output as it is now
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		// Cobra's own have no check: they would print the help for what they do not know.
		switch c.Name() {
		case "completion":
			c.Args, c.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			c.Run, c.RunE = nil, helpOn
		}
		wrapArgs(c)
	}
}

// helpOn prints the help of a command that exists.
func helpOn(cmd *cobra.Command, args []string) error {
	found, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q", strings.Join(args, " "))
	}
	if err != nil {
		return hint(usageError{err}, "conduct help")
	}
	return found.Help()
}

// command wants something to run behind the flags.
func command(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("no command to run is given behind --")
	}
	return nil
}

// atMostOne wants one argument or none.
func atMostOne(name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return wanted(name)(c, args)
	}
}

// wanted wants one argument for each name, as the usage line calls them.
func wanted(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("argument %s is missing", names[len(args)])
		case len(args) > len(names):
			return fmt.Errorf("argument %q is one too many: quote what has spaces", args[len(names)])
		}
		return nil
	}
}

// wrapArgs makes wrong arguments a usage error.
func wrapArgs(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if err == nil {
				return nil
			}
			if strings.HasPrefix(err.Error(), unknownCommand) && !cmd.HasSubCommands() {
				err = fmt.Errorf("argument %q is one too many", args[0])
			}
			return usageError{err}
		}
	}
	for _, sub := range c.Commands() {
		wrapArgs(sub)
	}
}

// start returns the absolute folder that a command starts from.
func (e *Env) start() (string, error) {
	wd, err := e.Getwd()
	if e.dir == "" {
		if err != nil {
			return "", errors.New("the current folder is gone")
		}
		return wd, nil
	}
	if filepath.IsAbs(e.dir) {
		return filepath.Clean(e.dir), nil
	}
	if err != nil {
		return "", errors.New("the current folder is gone")
	}
	return filepath.Join(wd, e.dir), nil
}
