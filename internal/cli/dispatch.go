package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/internal/agents"
	"github.com/seed6310be5c/conduct/nearest"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
)

type dispatchOptions struct {
	unit, agent, role, stage, note, session  string
	from, agentFrom, item, board, acceptance string
	exempt, read, write, denyTools           []string
	readOnly, observe, requireHook           bool
	shared, ttl, opaque, confine, git, bind  string
	onBlock, askWait                         string
	maxDepth                                 int
}

func newDispatch(env *Env) *cobra.Command {
	var o dispatchOptions
	c := &cobra.Command{
		Use:   "dispatch --unit U [--agent NAME]",
		Short: "give an agent a unit, before it is launched",
		Long: `Writes a dispatch record and its grant, and prints the id and the line for the
agent's prompt. From then on an agent of that name reaches its own unit and
shared paths, and no other unit, until conduct release or the time is up.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDispatch(cmd, env, o) },
	}
	o.add(c.Flags())
	c.Flags().BoolVar(&o.requireHook, "require-hook", false, "refuse where no hook is installed that would hold the agent to its unit")
	return c
}

// add adds the flags of a dispatch.
func (o *dispatchOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.unit, "unit", "", "the unit: its name, or its path relative to the workspace")
	f.StringVar(&o.from, "from", "", "a dispatch record of the AI-DLC workflow, which names unit, agent, stage and exempt files")
	f.StringVar(&o.agent, "agent", "", "the agent's name; without one, any agent that no other dispatch names")
	f.StringVar(&o.agentFrom, "agent-from", "", "write an agent definition of its own for this dispatch, after this one; it goes with the dispatch")
	f.StringVar(&o.item, "item", "", "bind it to this item of the board")
	f.StringVar(&o.board, "board", "", "make an item of the board with this title, and bind it to that")
	f.StringVar(&o.acceptance, "acceptance", "", "with --board: when the item is done; its own worker sees it")
	f.StringVar(&o.role, "role", "", "reviewer (shared paths are read-only) or worker")
	f.StringVar(&o.stage, "stage", "", "a word for the record")
	f.StringVar(&o.note, "note", "", "a text for the record")
	f.StringVar(&o.session, "session", "", "the conductor's session (default: as the client's variable says)")
	f.StringArrayVar(&o.exempt, "exempt", nil, "a file of another unit that may be read")
	f.StringArrayVar(&o.read, "read", nil, "a file, folder (ending in /) or glob of other units that may be read")
	f.StringArrayVar(&o.write, "write", nil, "a file or folder (ending in /) of others, or shared, that may be written too")
	f.BoolVar(&o.readOnly, "read-only", false, "no writes in the workspace")
	f.StringVar(&o.shared, "shared", "", "read: shared paths are read-only")
	f.StringVar(&o.ttl, "ttl", "", "how long at the most, up to 7d (default 6h)")
	f.IntVar(&o.maxDepth, "max-depth", 0, "how many levels of agents it may launch itself")
	f.StringArrayVar(&o.denyTools, "deny-tool", nil, "a tool that is denied, by name or glob")
	f.StringVar(&o.opaque, "opaque", "", "commands that are not understood: confine (default; blocked where no sandbox works), block or allow")
	f.StringVar(&o.confine, "confine", "", "which commands run confined: opaque, those that are not understood (default), or all")
	f.StringVar(&o.git, "git", "", "git in confined commands: hide (default), or allow: they may read the repository, with what siblings have committed")
	f.StringVar(&o.onBlock, "on-block", "", "what becomes of a call that is not allowed: block (default), or ask: a person may allow it once (conduct approve)")
	f.StringVar(&o.askWait, "ask-wait", "", "how long the hook waits for an answer, now or once it asks (default 20s)")
	f.StringVar(&o.bind, "bind", "", "agent, or session: every session but this one")
	f.BoolVar(&o.observe, "observe", false, "judge and log, block nothing")
}

func runDispatch(cmd *cobra.Command, env *Env, o dispatchOptions) error {
	ttlGiven := cmd.Flags().Changed("ttl")
	if err := filled(cmd.Flags(), "item", "board"); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	d, err := env.openAsConductor(dispatchesAreTheConductors)
	if err != nil {
		return err
	}
	defer d.close()
	got, err := d.dispatch(cmd.Context(), o, ttlGiven)
	if err != nil {
		return err
	}
	if err := d.printDispatch(got); err != nil {
		return err
	}
	if o.board != "" && !env.json {
		// Scripts read two lines.
		fmt.Fprintf(env.Stderr, "conduct: made item %s\n", d.item(got.ID))
	}
	d.tidy(cmd.Context())
	return nil
}

// dispatched is a dispatch that was made, and whether a hook holds its agent to it.
type dispatched struct {
	*dispatch.Dispatch
	hooked bool
}

// dispatch makes a dispatch of options that were checked.
func (d *desk) dispatch(ctx context.Context, o dispatchOptions, ttlGiven bool) (dispatched, error) {
	hooked := d.hookInstalled()
	if o.requireHook && !hooked {
		return dispatched{}, errNoHook(d.ws.Root)
	}
	q, err := d.request(o, ttlGiven)
	if err != nil {
		return dispatched{}, err
	}
	d.warnOverlap(q.Unit)
	if err := d.log.Prepare(); err != nil {
		return dispatched{}, err
	}
	d.chooseSandbox(ctx, &q.Grant)
	got, err := d.openBound(ctx, o, q)
	if err != nil {
		return dispatched{}, err
	}
	if err := d.define(ctx, o, got); err != nil {
		return dispatched{}, err
	}
	if o.bind == "session" && q.Conductor == "" {
		d.env.warn("this session is not known, so the dispatch binds every session; name it with --session")
	}
	if !hooked {
		d.env.warn("no hook of an agent program is installed here, so nothing holds the agent to its unit (conduct init --client NAME)")
	}
	return dispatched{got, hooked}, nil
}

func oneOf(flag, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return usageError{fmt.Errorf("--%s %q is not one of %s", flag, value, strings.Join(allowed, ", "))}
}

func (o *dispatchOptions) check() error {
	if o.unit == "" && o.from == "" {
		return usageError{fmt.Errorf("--unit is missing")}
	}
	if o.maxDepth < 0 || o.maxDepth > 9 {
		return usageError{fmt.Errorf("--max-depth %d is not between 0 and 9", o.maxDepth)}
	}
	if slices.Contains(o.denyTools, "") {
		return usageError{fmt.Errorf("--deny-tool: the name of a tool is empty")}
	}
	for _, err := range []error{
		oneOf("role", o.role, "reviewer", "worker"), oneOf("shared", o.shared, "read", "write"),
		oneOf("opaque", o.opaque, "confine", "block", "allow"), oneOf("bind", o.bind, "agent", "session"),
		oneOf("confine", o.confine, "opaque", "all"), oneOf("git", o.git, "hide", "allow"), oneOf("on-block", o.onBlock, "block", "ask"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// request makes a dispatch request of the options and of conduct.yaml.
func (d *desk) request(o dispatchOptions, ttlGiven bool) (dispatch.Request, error) {
	var q dispatch.Request
	if err := o.fill(d, d.env.Clock.Now()); err != nil {
		return q, err
	}
	c, err := d.settings()
	if err != nil {
		return q, err
	}
	set, err := unitSet(d.ws.Root, c)
	if err != nil {
		return q, err
	}
	disk := unit.NewDisk()
	u, err := set.Lookup(disk, o.unit)
	if err != nil {
		return q, d.unknownUnit(set, o.unit, err)
	}
	if o.agentFrom != "" {
		if o.agent == "" {
			o.agent = agents.Name(o.agentFrom, u.Name)
		}
		if err := agents.Check(d.ws.Root, d.env.Getenv("HOME"), o.agentFrom, o.agent); err != nil {
			return q, err
		}
	}
	if err := d.takes(o); err != nil {
		return q, err
	}
	ttl := dispatch.DefaultTTL
	if c.TTL > 0 {
		ttl = c.TTL
	}
	if ttlGiven {
		if ttl, err = config.ParseDuration(o.ttl); err != nil {
			return q, fmt.Errorf("ttl %q is %w", o.ttl, dispatch.ErrTTL)
		}
	}
	if ttl <= 0 || ttl > dispatch.MaxLife { // before anything is written
		return q, fmt.Errorf("ttl %s is %w: more than 0, at most 7d", ttl, dispatch.ErrTTL)
	}
	g, err := d.grant(o, c, set, u, disk)
	if err != nil {
		return q, err
	}
	if g.AskWait, err = parseWait(o.askWait); err != nil {
		return q, err
	}
	if g.Ask {
		if err := d.noteWait(&g); err != nil {
			return q, err
		}
	}
	return dispatch.Request{
		Unit: u, Agent: o.agent, Role: o.role, Stage: o.stage, Note: o.note, Conductor: d.env.session(o.session),
		TTL: ttl, Grant: g,
	}, nil
}

// session is the conductor's session: as given, or as the client's variable says.
func (e *Env) session(given string) string {
	if given != "" {
		return given
	}
	for _, c := range all.Clients() {
		if v := c.SessionVar(); v != "" {
			if s := e.Getenv(v); s != "" {
				return s
			}
		}
	}
	return ""
}

func (d *desk) grant(o dispatchOptions, c config.Config, set unit.Set, u unit.Unit, disk unit.FS) (grants.Grant, error) {
	aliases, err := set.RealPlaces(disk)
	if err != nil {
		return grants.Grant{}, err
	}
	g := grants.Grant{
		Layouts: c.Layouts, Listed: set.Listed, Aliases: aliases, Fold: unit.Folds(disk, set.Root),
		ReadOnly: o.readOnly, SharedRead: o.shared == "read" || o.shared == "" && (o.role == "reviewer" || c.Shared == "read"),
		DenyTools: o.denyTools, MaxDepth: o.maxDepth, Opaque: opaquePolicy(o.opaque, c.Opaque),
		Commands: c.Commands, Denied: c.CommandsDeny, Git: o.git == "allow", ConfineAll: cmp.Or(o.confine, c.Confine) == "all",
		Observe: o.observe || c.Enforce == "observe", Strict: c.Strict, FirstTouch: c.Bind == "first-touch",
		Sessions: o.bind == "session", Quiet: c.Audit == "blocked", Ask: o.onBlock == "ask",
	}
	if g.ConfineAll && g.Opaque != grants.OpaqueConfine {
		return g, hint(usageError{fmt.Errorf("with every command confined, opaque cannot be %q", g.Opaque)}, "--confine opaque, or --opaque confine")
	}
	for _, p := range o.exempt {
		rel, err := d.rel(p)
		if err != nil {
			return g, err
		}
		g.Opened = append(g.Opened, grants.Opening{Access: grants.AccessRead, Path: strings.TrimSuffix(rel, "/"), Exact: true})
	}
	for _, p := range o.read {
		rel, err := d.folder(p)
		if err != nil {
			return g, err
		}
		g.Opened = append(g.Opened, grants.Opening{Access: grants.AccessRead, Path: rel})
	}
	for _, p := range o.write {
		rel, err := d.folder(p)
		if err != nil {
			return g, err
		}
		g.Opened = append(g.Opened, grants.Opening{Access: grants.AccessWrite, Path: rel})
	}
	for _, p := range u.Reads {
		rel, err := d.folder(p)
		if err != nil {
			return g, err
		}
		g.Opened = append(g.Opened, grants.Opening{Access: grants.AccessRead, Path: rel})
	}
	return g, nil
}

// opaquePolicy is the flag's, else the workspace's, else "confine", which blocks
// where no sandbox works.
func opaquePolicy(flag, conf string) grants.Opaque {
	for _, v := range []string{flag, conf} {
		if v != "" {
			return grants.Opaque(v)
		}
	}
	return grants.OpaqueConfine
}

// chooseSandbox notes in a grant which sandbox works here: the hook, which has no time
// to try one out, goes by it.
func (d *desk) chooseSandbox(ctx context.Context, g *grants.Grant) {
	if g.Opaque != grants.OpaqueConfine {
		return
	}
	d.probe(ctx, g)
}

// probe tries the sandboxes out and notes the first that works.
func (d *desk) probe(ctx context.Context, g *grants.Grant) {
	b, err := d.sandbox(ctx, "auto")
	if err != nil {
		d.env.warn("no sandbox works here, so commands that are not understood will be blocked (conduct doctor)")
		return
	}
	g.Sandbox = b.Name()
}

// unknownUnit adds to an error what was looked at and what is nearest.
func (d *desk) unknownUnit(set unit.Set, name string, err error) error {
	if len(set.Layouts) == 0 && len(set.Listed) == 0 {
		return hint(err, "conduct init --layout 'construction/units/{unit}', or list units in %s", config.File)
	}
	var places, names []string
	for _, l := range set.Layouts {
		places = append(places, l.String())
	}
	if len(set.Listed) > 0 {
		places = append(places, "units in "+config.File)
	}
	if units, lerr := set.All(unit.NewDisk(), 0); lerr == nil {
		for _, u := range units {
			names = append(names, u.Name)
		}
	}
	err = fmt.Errorf("%w (looked at: %s)", err, strings.Join(places, ", "))
	if n, ok := nearest.Nearest(name, names); ok {
		return hint(err, "did you mean --unit %s? conduct unit list", n)
	}
	return hint(err, "conduct unit list")
}

// warnOverlap says which live dispatches share paths with a unit.
func (d *desk) warnOverlap(u unit.Unit) {
	if !u.Listed {
		return // units of a layout do not overlap
	}
	found, err := d.book.List(false)
	if err != nil {
		return
	}
	for _, other := range found.Dispatches {
		if !other.Live() || other.Unit == u.Name {
			continue
		}
		for _, p := range u.Paths {
			for _, q := range other.Grant.Own.Paths {
				a, b := unit.Split(p), unit.Split(q)
				if a.Under(b, false) || b.Under(a, false) {
					d.env.warn("unit %q shares %q with unit %q, which is dispatched to %q", u.Name, p, other.Unit, other.Agent)
				}
			}
		}
	}
}

// conflictHint adds to a conflict when the other one was last active.
func (d *desk) conflictHint(err error) error {
	var c *dispatch.ConflictError
	if !asError(err, &c) {
		return err
	}
	last := "no call seen yet"
	if t, terr := d.log.Tally(string(c.Holder.ID)); terr == nil && !t.Last.IsZero() {
		last = "last call " + t.Last.UTC().Format(time.RFC3339)
	}
	return hint(fmt.Errorf("%w, %s", err, last), "conduct release --id %s --verdict abandoned", c.Holder.ID)
}

func (d *desk) printDispatch(got dispatched) error {
	if d.env.json {
		return d.env.print("%s\n", d.dispatchJSON(got))
	}
	return d.env.print("%s\n%s\n", got.ID, got.Line())
}

func (d *desk) dispatchJSON(got dispatched) []byte {
	var w wire.Writer
	w.Object("")
	d.writeDispatch(&w, got.Dispatch, nil)
	w.Raw("grant", got.Grant.Encode()).String("launch_line", got.Line()).Bool("hook_installed", got.hooked).End()
	return w.Bytes()
}
