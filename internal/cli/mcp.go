package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/mcpserver"
)

// mcpProgram serves the tools. It is another program, since what it links would cost
// every other command half of its time again.
const mcpProgram = "conduct-mcp"

type mcpOptions struct {
	as, client string
	print      bool
}

func newMCP(env *Env) *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use: "mcp --as worker|conductor", Short: "serve the board and the dispatches as tools (MCP) over stdin and stdout", Args: cobra.NoArgs,
		Long: `Serves tools to an agent program that speaks MCP, until its input ends. A worker has
work_brief, work_report, work_request and work_message; a conductor has
work_ledger_read, work_ledger_record, work_dispatch and work_release. A server lists
the tools of one of the two, and does not know the others. What the tools do, the
commands do, with the same checks and the same JSON: brief, report, request, message
and inbox; board, channel, dispatch and release.

The agent program starts it, as its settings say; --print-config prints what belongs
into them.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	c.Flags().StringVar(&o.as, "as", "", "whose tools: worker or conductor")
	c.Flags().BoolVar(&o.print, "print-config", false, "print what belongs into the settings of a client, and serve nothing")
	c.Flags().StringVar(&o.client, "client", "", "with --print-config: the agent program")
	return c
}

func (o *mcpOptions) run(ctx context.Context, env *Env) error {
	if o.as == "" {
		return usageError{errors.New("--as is missing: worker or conductor")}
	}
	role := mcpserver.Role(o.as)
	if err := oneOf("as", o.as, "worker", "conductor"); err != nil {
		return err
	}
	if o.print {
		return o.printConfig(env, role)
	}
	if o.client != "" {
		return usageError{errors.New("--client goes with --print-config")}
	}
	if mine := env.mine(); mine != "" && role == mcpserver.AsConductor {
		return hint(fmt.Errorf("%w: this runs under dispatch %s, and these tools are the conductor's", dispatch.ErrConflict, mine), "conduct mcp --as worker")
	}
	if env.Serve == nil {
		return env.becomeServer(role)
	}
	return env.Serve(ctx, env.server(role), env.Stdin, env.Stdout)
}

// server has the tools of a role. Each call opens the workspace anew: it may be made
// after the server has begun, and nothing is held between two calls.
func (e *Env) server(role mcpserver.Role) *mcpserver.Server {
	o := mcpserver.Options{Version: version(), Own: e.mine()}
	if role == mcpserver.AsWorker {
		o.Worker = served{e}
	} else {
		o.Conductor = served{e}
	}
	return mcpserver.New(o)
}

// mcpServer is the program that has a server, if it lies beside this one.
func (e *Env) mcpServer() (path string, ok bool) {
	path = filepath.Join(filepath.Dir(e.Program), mcpProgram)
	_, err := os.Stat(path)
	return path, e.Program != "" && err == nil
}

// becomeServer replaces this process by the program that has a server, which lies
// beside it.
func (e *Env) becomeServer(role mcpserver.Role) error {
	path, ok := e.mcpServer()
	if !ok {
		return hint(fmt.Errorf("there is no program %q beside %q", mcpProgram, e.Program), "go install github.com/seed6310be5c/conduct/cmd/conduct-mcp@latest")
	}
	argv := []string{mcpProgram, "--as", string(role)}
	if e.dir != "" {
		argv = append(argv, "--dir", e.dir)
	}
	return fmt.Errorf("start %q: %w", path, syscall.Exec(path, argv, os.Environ()))
}

func (o *mcpOptions) printConfig(env *Env, role mcpserver.Role) error {
	names := mcpserver.Clients()
	if o.client == "" {
		return usageError{fmt.Errorf("--client is missing: one of %s", strings.Join(names, ", "))}
	}
	if err := oneOf("client", o.client, names...); err != nil {
		return err
	}
	c := mcpserver.ConfigFor(o.client, role, env.dir)
	env.note("this belongs into %s", c.File)
	return env.print("%s", c.Text)
}
