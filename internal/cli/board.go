package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	boardfile "github.com/seed6310be5c/conduct/ledger/file"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

func newBoard(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "board", Short: "the conductor's ledger: what was given out, reported, decided and judged", Args: cobra.NoArgs,
		Long: `One board for the workspace: an item for each piece of work, with everything that
happened to it. conduct dispatch --item binds a dispatch to an item; its worker
reads conduct brief and writes conduct report, and sees of the other items no
more than title, status and pointers. The board is the conductor's: an agent that
was dispatched cannot run these commands.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newBoardGoal(env), newBoardCreate(env), newBoardBind(env), newBoardDecide(env), newBoardVerdict(env),
		newBoardClose(env), newBoardAccept(env), newBoardShow(env), newBoardWait(env), newBoardRemove(env))
	return c
}

// board is the workspace's.
func (d *desk) board() *boardfile.Store { return boardfile.Open(d.store) }

// onBoard opens the workspace for a verb of the conductor's.
func (e *Env) onBoard(do func(*desk) error) error {
	if mine := e.mine(); mine != "" {
		return hint(fmt.Errorf("%w: this runs under dispatch %s, and the board is the conductor's", dispatch.ErrConflict, mine),
			"conduct brief, or conduct report")
	}
	d, err := e.open()
	if err != nil {
		return err
	}
	defer d.close()
	return boardHint(do(d))
}

// boardHint adds to a damaged board what to do about it: the janitor leaves it alone.
func boardHint(err error) error {
	if errors.Is(err, store.ErrDamaged) {
		return hint(err, "correct that file, or conduct board remove --item ID")
	}
	return err
}

// present is the time, and who is in force.
func (d *desk) present() ledger.Present {
	return ledger.Present{Now: d.env.Clock.Now(), Live: d.inForce, Unread: d.mail().Unread, Unit: d.dispatchUnit}
}

// dispatchUnit is the unit of a dispatch, "" where its record is gone or cannot be read.
func (d *desk) dispatchUnit(id store.ID) string {
	if id == "" {
		return ""
	}
	got, err := d.book.Read(id)
	if err != nil {
		return ""
	}
	return got.Unit
}

// inForce says whether a dispatch is, or may be, since it cannot be read.
func (d *desk) inForce(id store.ID) bool {
	if id == "" {
		return false
	}
	got, err := d.book.Read(id)
	if err != nil {
		return !errors.Is(err, store.ErrNotFound)
	}
	return got.Live()
}

// itemFlag adds the flag that names an item.
func itemFlag(c *cobra.Command, to *string, usage string) { c.Flags().StringVar(to, "item", "", usage) }

func itemID(s string) (store.ID, error) {
	if s == "" {
		return "", usageError{errors.New("--item is missing")}
	}
	return store.ID(strings.ToUpper(s)), nil
}

func newBoardGoal(env *Env) *cobra.Command {
	return &cobra.Command{
		Use: "goal TEXT", Short: "say what all the items are for", Args: wanted("TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.onBoard(func(d *desk) error {
				if err := d.board().SetGoal(cmd.Context(), args[0]); err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", goalJSON(args[0]))
				}
				return env.print("goal: %s\n", args[0])
			})
		},
	}
}

func goalJSON(text string) []byte {
	var w wire.Writer
	w.Object("").String("goal", text).End()
	return w.Bytes()
}

func newBoardCreate(env *Env) *cobra.Command {
	var n ledger.New
	var parent, session string
	c := &cobra.Command{
		Use: "create --title T [--acceptance A] [--parent ITEM]", Short: "add an item, and print its id", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n.Title == "" {
				return usageError{errors.New("--title is missing")}
			}
			if err := filled(cmd.Flags(), "parent"); err != nil {
				return err
			}
			return env.onBoard(func(d *desk) error {
				n.Session, n.Parent = env.session(session), store.ID(strings.ToUpper(parent))
				it, err := d.create(cmd.Context(), n)
				if err != nil {
					return err
				}
				if env.json {
					return d.printItem(it, "")
				}
				return env.print("%s\n", it.ID)
			})
		},
	}
	c.Flags().StringVar(&n.Title, "title", "", "what it is, in one line that every worker sees")
	c.Flags().StringVar(&n.Acceptance, "acceptance", "", "when it is done; its own worker sees it")
	c.Flags().StringVar(&parent, "parent", "", "the item that it is a part of")
	c.Flags().StringVar(&session, "session", "", "the conductor's session (default: as the client's variable says)")
	return c
}

// create adds an item.
func (d *desk) create(ctx context.Context, n ledger.New) (ledger.Item, error) {
	now := d.env.Clock.Now()
	id, err := d.book.Mint(now)
	if err != nil {
		return ledger.Item{}, err
	}
	return d.board().Create(ctx, id, func(b *ledger.Board) (ledger.Event, error) { return b.PlanCreate(n, now) })
}

func newBoardBind(env *Env) *cobra.Command {
	var item, id string
	c := &cobra.Command{
		Use: "bind --item ITEM --dispatch ID", Short: "give an item to a dispatch that is in force", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			to, err := itemID(item)
			if err != nil {
				return err
			}
			if id == "" {
				return usageError{errors.New("--dispatch is missing")}
			}
			return env.onBoard(func(d *desk) error {
				it, err := d.bindLive(cmd.Context(), dispatchID(id), to)
				if err != nil {
					return err
				}
				return d.printItem(it, "bound to dispatch "+string(it.Dispatch))
			})
		},
	}
	itemFlag(c, &item, "the item")
	c.Flags().StringVar(&id, "dispatch", "", "the dispatch")
	return c
}

// bindLive binds a dispatch that has to be in force.
func (d *desk) bindLive(ctx context.Context, id, to store.ID) (ledger.Item, error) {
	got, err := d.book.Find(dispatch.Selector{ID: id})
	if err != nil {
		return ledger.Item{}, err
	}
	if !got.Live() {
		return ledger.Item{}, hint(fmt.Errorf("%w: dispatch %s is %s", dispatch.ErrConflict, got.ID, got.Now),
			"conduct dispatch --unit %s --item %s", got.Unit, to)
	}
	return d.bind(ctx, got.ID, to)
}

// change makes one change to the item that a flag names and prints it.
func (e *Env) change(item, said string, do func(*desk, store.ID) (ledger.Item, error)) error {
	id, err := itemID(item)
	if err != nil {
		return err
	}
	return e.onBoard(func(d *desk) error {
		it, err := do(d, id)
		if err != nil {
			return err
		}
		return d.printItem(it, said)
	})
}

// change makes one change to an item; that there is nothing to change is no error.
func (d *desk) change(ctx context.Context, id store.ID, plan boardfile.Plan) (ledger.Item, error) {
	it, err := d.board().Change(ctx, id, plan)
	if errors.Is(err, ledger.ErrSame) {
		err = nil
	}
	return it, err
}

func (d *desk) decide(ctx context.Context, id store.ID, text string) (ledger.Item, error) {
	return d.change(ctx, id, func(it *ledger.Item) (ledger.Event, error) { return it.PlanDecision(text, d.env.Clock.Now()) })
}

func (d *desk) verdict(ctx context.Context, id store.ID, v dispatch.Verdict) (ledger.Item, error) {
	return d.workedOn(d.change(ctx, id, func(it *ledger.Item) (ledger.Event, error) { return it.PlanVerdict(v, "", d.env.Clock.Now()) }))
}

func (d *desk) closeItem(ctx context.Context, id store.ID) (ledger.Item, error) {
	it, err := d.workedOn(d.change(ctx, id, func(it *ledger.Item) (ledger.Event, error) { return it.PlanClose(d.env.Clock.Now()) }))
	if err == nil {
		d.shutChannels(ctx, id)
	}
	return it, err
}

// workedOn warns of an item that is judged or closed while its worker may still work.
func (d *desk) workedOn(it ledger.Item, err error) (ledger.Item, error) {
	if err == nil && d.inForce(it.Dispatch) {
		d.env.warn("dispatch %s still works on item %s (conduct release --id %s --verdict VERDICT ends it)", it.Dispatch, it.ID, it.Dispatch)
	}
	return it, err
}

func newBoardDecide(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "decide --item ITEM TEXT", Short: "tell an item's worker what was decided", Args: wanted("TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return env.change(item, "decided", func(d *desk, id store.ID) (ledger.Item, error) {
				return d.decide(cmd.Context(), id, args[0])
			})
		},
	}
	itemFlag(c, &item, "the item")
	return c
}

func newBoardVerdict(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "verdict --item ITEM ready|not-ready|blocked|abandoned", Short: "judge an item (conduct release does so by itself)", Args: wanted("VERDICT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v := dispatch.Verdict(strings.ToLower(args[0]))
			return env.change(item, "judged "+string(v), func(d *desk, id store.ID) (ledger.Item, error) {
				return d.verdict(cmd.Context(), id, v)
			})
		},
	}
	itemFlag(c, &item, "the item")
	return c
}

func newBoardClose(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "close --item ITEM", Short: "end an item: it takes no more reports, and is nobody's sibling", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return env.change(item, "closed", func(d *desk, id store.ID) (ledger.Item, error) { return d.closeItem(cmd.Context(), id) })
		},
	}
	itemFlag(c, &item, "the item")
	return c
}

func newBoardRemove(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "remove --item ITEM", Short: "delete an item that is closed or damaged, with its events", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := itemID(item)
			if err != nil {
				return err
			}
			return env.onBoard(func(d *desk) error {
				err := d.board().Remove(cmd.Context(), id)
				if errors.Is(err, boardfile.ErrOpen) {
					return hint(fmt.Errorf("%w: %w", dispatch.ErrConflict, err), "conduct board close --item %s", id)
				}
				if err == nil {
					err = d.mail().Forget(cmd.Context(), id)
				}
				if err != nil {
					return err
				}
				if env.json {
					var w wire.Writer
					w.Object("").String("removed", string(id)).End()
					return env.print("%s\n", w.Bytes())
				}
				return env.print("%s removed\n", id)
			})
		},
	}
	itemFlag(c, &item, "the item")
	return c
}

func newBoardShow(env *Env) *cobra.Command {
	var item string
	c := &cobra.Command{
		Use: "show [--item ITEM]", Short: "show the board, or one item with its events", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := filled(cmd.Flags(), "item"); err != nil {
				return err
			}
			return env.onBoard(func(d *desk) error {
				if item != "" {
					return d.showItem(item)
				}
				v, err := d.boardView()
				if err != nil {
					return err
				}
				if env.json {
					return env.print("%s\n", ledger.Encode(v))
				}
				return env.printBoard(v)
			})
		},
	}
	itemFlag(c, &item, "only this one, with its events")
	return c
}

func (e *Env) print(format string, args ...any) error {
	_, err := fmt.Fprintf(e.Stdout, format, args...)
	return err
}

func (d *desk) printItem(it ledger.Item, said string) error {
	if d.env.json {
		return d.env.print("%s\n", d.encode(it))
	}
	return d.env.print("%s %s\n", it.ID, said)
}

// encode is an item as the conductor sees it.
func (d *desk) encode(it ledger.Item) []byte { return ledger.Encode(it.Conductor(d.present())) }

func (e *Env) printBoard(v ledger.ConductorBoard) error {
	if v.Goal != "" {
		fmt.Fprintf(e.Stdout, "goal: %s\n", oneLine(v.Goal))
	}
	if len(v.Items) == 0 {
		return e.print("no items\n")
	}
	w := tabwriter.NewWriter(e.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ITEM\tUNIT\tSTATUS\tSTATE\tROUND\tVERDICT\tTITLE")
	for _, it := range v.Items {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", it.Item, dash(it.Unit), it.Status, stateOf(it), it.Round, dash(it.Verdict), it.Title)
	}
	return w.Flush()
}

// stateOf is the state with what is derived.
func stateOf(it ledger.ConductorItem) string {
	out := string(it.State)
	if it.Stale {
		out += ", stale"
	}
	if it.Orphaned {
		out += ", orphaned"
	}
	return out
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// boardView is the board as the conductor sees it.
func (d *desk) boardView() (ledger.ConductorBoard, error) {
	b, err := d.board().Board()
	if err != nil {
		return ledger.ConductorBoard{}, err
	}
	return b.Conductor(d.present()), nil
}

func (d *desk) showItem(item string) error {
	v, log, err := d.itemView(store.ID(strings.ToUpper(item)))
	if err != nil {
		return err
	}
	if d.env.json {
		return d.env.print("%s\n", itemJSON(v, log))
	}
	return d.env.printItem(v, log)
}

// line prints a named line, and nothing for what is empty.
func (e *Env) line(name, text string) {
	if text != "" {
		fmt.Fprintf(e.Stdout, "  %-12s %s\n", name, strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", 15)))
	}
}

func (e *Env) printItem(v ledger.ConductorItem, log []entry) error {
	fmt.Fprintf(e.Stdout, "%s %s\n", v.Item, v.Title)
	e.line("parent", string(v.Parent))
	e.line("acceptance", v.Acceptance)
	e.line("status", string(v.Status))
	e.line("state", stateOf(v))
	e.line("round", fmt.Sprintf("%d, %d failed", v.Round, v.Fails))
	e.line("verdict", v.Verdict)
	e.line("dispatch", string(v.Dispatch))
	e.line("unit", v.Unit)
	e.line("decision", v.Decision)
	e.line("summary", v.Summary)
	e.line("artifacts", pointers(v.Artifacts))
	for _, l := range log {
		fmt.Fprintf(e.Stdout, "%s %s\n", stamp(l.at), l.text)
	}
	return nil
}

func pointers(ps []ledger.Pointer) string {
	var out []string
	for _, p := range ps {
		out = append(out, p.String())
	}
	return strings.Join(out, " ")
}

// bind binds a dispatch to an item, or says that it is bound to it already.
func (d *desk) bind(ctx context.Context, id, to store.ID) (ledger.Item, error) {
	it, err := d.board().Bind(ctx, id, to, func(it *ledger.Item) (ledger.Event, error) {
		return it.PlanBind(id, d.inForce(it.Dispatch), d.env.Clock.Now())
	})
	if errors.Is(err, ledger.ErrSame) {
		err = nil
	}
	return it, err
}
