package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/wire"
)

// selection are the flags that pick a dispatch.
type selection struct {
	unit, agent, id string
	generation      uint64
	flags           *pflag.FlagSet
}

func (s *selection) add(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.unit, "unit", "", "the dispatch of this unit")
	f.StringVar(&s.agent, "agent", "", "the dispatch of this agent")
	f.Var((*onlyOne)(&s.id), "id", "the dispatch with this id")
	f.Uint64Var(&s.generation, "generation", 0, "only if the dispatch has this generation")
}

// onlyOne is the value of a flag that cannot be given anew: with two ids of which the last
// one counts, the wrong dispatch would be ended.
type onlyOne string

func (o *onlyOne) Set(v string) error {
	if *o != "" && string(*o) != v {
		return fmt.Errorf("it is %q already", string(*o))
	}
	*o = onlyOne(v)
	return nil
}

func (o *onlyOne) String() string { return string(*o) }

func (o *onlyOne) Type() string { return "string" }

// pick is add for the conductor's verbs, where --dispatch is another name of --id: the
// verbs of the board and the tools call it so.
func (s *selection) pick(f *pflag.FlagSet) {
	s.add(f)
	f.Lookup("id").Usage += " (or --dispatch)"
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "dispatch" {
			name = "id"
		}
		return pflag.NormalizedName(name)
	})
}

// filled refuses flags that are given and empty, as of a variable of a script that was
// never set: the command would do something else than it says.
func filled(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f.Changed && f.Value.String() == "" {
			return usageError{fmt.Errorf("--%s is empty", name)}
		}
	}
	return nil
}

func (s *selection) selector() (dispatch.Selector, error) {
	if err := filled(s.flags, "unit", "id"); err != nil {
		return dispatch.Selector{}, err
	}
	if s.flags.Changed("generation") && s.generation == 0 {
		return dispatch.Selector{}, usageError{errors.New("--generation 0 is none")}
	}
	return dispatch.Selector{
		ID: dispatchID(s.id), Unit: s.unit, Agent: s.agent,
		AnyAgent: !s.flags.Changed("agent"), Generation: s.generation,
	}, nil
}

func newRenew(env *Env) *cobra.Command {
	var s selection
	var ttl string
	c := &cobra.Command{
		Use:   "renew --unit U --ttl D",
		Short: "give a dispatch more time",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sel, err := s.selector()
			if err != nil {
				return err
			}
			if ttl == "" {
				return usageError{errors.New("--ttl is missing")}
			}
			d, err := config.ParseDuration(ttl)
			if err != nil {
				return fmt.Errorf("ttl %q is %w", ttl, dispatch.ErrTTL)
			}
			desk, err := env.openAsConductor(dispatchesAreTheConductors)
			if err != nil {
				return err
			}
			defer desk.close()
			got, err := desk.book.Renew(cmd.Context(), sel, d)
			if err != nil {
				return err
			}
			return desk.printChanged(got, "renewed until "+got.ExpiresAt.UTC().Format(time.RFC3339))
		},
	}
	s.pick(c.Flags())
	c.Flags().StringVar(&ttl, "ttl", "", "how long from now")
	return c
}

func (d *desk) printChanged(got *dispatch.Dispatch, text string) error {
	if !d.env.json {
		_, err := fmt.Fprintf(d.env.Stdout, "%s %s (generation %d)\n", got.ID, text, got.Generation)
		return err
	}
	var w wire.Writer
	w.Object("")
	d.writeDispatch(&w, got, nil)
	w.Raw("grant", got.Grant.Encode()).End()
	_, err := fmt.Fprintf(d.env.Stdout, "%s\n", w.Bytes())
	return err
}

func newGrant(env *Env) *cobra.Command {
	c := &cobra.Command{
		Use: "grant", Short: "open paths of other units to a dispatched agent", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(newGrantAdd(env), newGrantList(env), newGrantRevoke(env))
	return c
}

type grantOptions struct {
	selection
	read, write []string
	ttl         string
	once        bool
}

func newGrantAdd(env *Env) *cobra.Command {
	var o grantOptions
	c := &cobra.Command{
		Use: "add --unit U --read GLOB | --write FILE", Short: "open a path", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, env, func(d *desk, sel dispatch.Selector) (*dispatch.Dispatch, error) {
				add, err := o.openings(d, cmd.Flags().Changed("ttl"))
				if err != nil {
					return nil, err
				}
				return d.book.AddOpenings(cmd.Context(), sel, add)
			}, "opened "+strings.Join(append(o.read, o.write...), ", "))
		},
	}
	o.pick(c.Flags())
	c.Flags().StringArrayVar(&o.read, "read", nil, "a file, folder (ending in /) or glob that may be read")
	c.Flags().StringArrayVar(&o.write, "write", nil, "a file that may be read and written")
	c.Flags().StringVar(&o.ttl, "ttl", "", "close it again after this time")
	c.Flags().BoolVar(&o.once, "once", false, "for one call only")
	return c
}

func newGrantRevoke(env *Env) *cobra.Command {
	var o grantOptions
	c := &cobra.Command{
		Use: "revoke --unit U --read GLOB | --write FILE", Short: "close a path again", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, env, func(d *desk, sel dispatch.Selector) (*dispatch.Dispatch, error) {
				var paths []string
				for _, p := range append(o.read, o.write...) {
					rel, err := d.rel(p)
					if err != nil {
						return nil, err
					}
					plain := strings.TrimSuffix(rel, "/")
					paths = append(paths, plain, plain+"/")
				}
				return d.book.RevokeOpenings(cmd.Context(), sel, paths)
			}, "closed "+strings.Join(append(o.read, o.write...), ", "))
		},
	}
	o.pick(c.Flags())
	c.Flags().StringArrayVar(&o.read, "read", nil, "what --read opened")
	c.Flags().StringArrayVar(&o.write, "write", nil, "what --write opened")
	return c
}

func (o *grantOptions) run(cmd *cobra.Command, env *Env, change func(*desk, dispatch.Selector) (*dispatch.Dispatch, error), said string) error {
	sel, err := o.selector()
	if err != nil {
		return err
	}
	if len(o.read)+len(o.write) == 0 {
		return usageError{errors.New("--read or --write is missing")}
	}
	if o.unit == "" && o.id == "" {
		return usageError{errors.New("--unit or --id is missing")}
	}
	d, err := env.openAsConductor(dispatchesAreTheConductors)
	if err != nil {
		return err
	}
	defer d.close()
	got, err := change(d, sel)
	if err != nil {
		return err
	}
	return d.printChanged(got, said)
}

func (o *grantOptions) openings(d *desk, ttlGiven bool) ([]grants.Opening, error) {
	var until time.Time
	if ttlGiven {
		ttl, err := config.ParseDuration(o.ttl)
		if err != nil || ttl <= 0 {
			return nil, fmt.Errorf("ttl %q is %w", o.ttl, dispatch.ErrTTL)
		}
		until = d.env.Clock.Now().Add(ttl)
	}
	var out []grants.Opening
	for _, p := range o.read {
		rel, err := d.folder(p)
		if err != nil {
			return nil, err
		}
		out = append(out, grants.Opening{Access: grants.AccessRead, Path: rel, Until: until, Once: o.once})
	}
	for _, p := range o.write {
		rel, err := d.folder(p)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(rel, "/") {
			return nil, usageError{fmt.Errorf("--write %q is a folder: name the files in it", p)}
		}
		out = append(out, grants.Opening{Access: grants.AccessWrite, Path: rel, Exact: true, Until: until, Once: o.once})
	}
	return out, nil
}

func newGrantList(env *Env) *cobra.Command {
	var s selection
	c := &cobra.Command{
		Use: "list --unit U", Short: "show what is open to a dispatched agent", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			sel, err := s.selector()
			if err != nil {
				return err
			}
			d, err := env.open()
			if err != nil {
				return err
			}
			defer d.close()
			got, err := d.book.Find(sel)
			if err != nil {
				return err
			}
			if env.json {
				return d.printChanged(got, "")
			}
			fmt.Fprintf(env.Stdout, "%s unit %s: %s\n", got.ID, got.Unit, strings.Join(got.Grant.Own.Paths, ", "))
			for _, o := range got.Grant.Opened {
				fmt.Fprintf(env.Stdout, "  %-5s %s%s\n", o.Access, o.Path, openingNotes(d, o))
			}
			return nil
		},
	}
	s.pick(c.Flags())
	return c
}

func openingNotes(d *desk, o grants.Opening) string {
	out := ""
	if !o.Until.IsZero() {
		out += " until " + o.Until.UTC().Format(time.RFC3339)
	}
	if o.Once {
		out += " for one call"
		if _, spent := d.book.Spent(o.ID); spent {
			out += " (used)"
		}
	}
	return out
}

type releaseOptions struct {
	selection
	verdict  string
	observed bool
}

func newRelease(env *Env) *cobra.Command {
	var o releaseOptions
	c := &cobra.Command{
		Use:     "release [--unit U] --verdict ready|not-ready|blocked|abandoned",
		Aliases: []string{"done"},
		Short:   "end a dispatch with a verdict, and print its receipt",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd, env) },
	}
	o.pick(c.Flags())
	c.Flags().StringVar(&o.verdict, "verdict", "", "ready, not-ready, blocked or abandoned")
	c.Flags().BoolVar(&o.observed, "require-observed", false, "fail when no call of the agent was judged")
	return c
}

func (o *releaseOptions) run(cmd *cobra.Command, env *Env) error {
	sel, err := o.selector()
	if err != nil {
		return err
	}
	verdict, err := verdictOf(o.verdict)
	if err != nil {
		return err
	}
	d, err := env.openAsConductor(dispatchesAreTheConductors)
	if err != nil {
		return err
	}
	defer d.close()
	if o.observed {
		if err := d.observed(sel); err != nil {
			return err
		}
	}
	got, err := d.release(cmd.Context(), sel, verdict)
	if err != nil {
		return err
	}
	d.warnUnseen(got)
	if err := d.printReceipt(got); err != nil {
		return err
	}
	d.tidy(cmd.Context())
	return nil
}

// verdictOf reads a verdict. Workflows that print it in capitals pass it on so.
func verdictOf(word string) (dispatch.Verdict, error) {
	if word == "" {
		return "", usageError{errors.New("--verdict is missing")}
	}
	word = strings.ToLower(word)
	return dispatch.Verdict(word), oneOf("verdict", word, "ready", "not-ready", "blocked", "abandoned")
}

// release ends a dispatch, with all that its end means elsewhere.
func (d *desk) release(ctx context.Context, sel dispatch.Selector, v dispatch.Verdict) (*dispatch.Dispatch, error) {
	got, err := d.book.Release(ctx, sel, v, d.receipt)
	if err != nil {
		return nil, err
	}
	d.judge(ctx, got)
	d.undefine()
	return got, nil
}

// observed fails when no call was judged under the dispatch.
func (d *desk) observed(sel dispatch.Selector) error {
	sel.Expired = true
	got, err := d.book.Find(sel)
	if err != nil {
		return err
	}
	t, err := d.log.Tally(string(got.ID))
	if err != nil {
		return err
	}
	if t.Allowed+t.Blocked == 0 {
		return hint(fmt.Errorf("no call of dispatch %s was judged, so nothing shows that its agent ran", got.ID),
			"conduct doctor shows whether the hook is called; release without --require-observed")
	}
	return nil
}

func (d *desk) receipt(got *dispatch.Dispatch) ([]byte, error) {
	t, err := d.log.Tally(string(got.ID))
	if err != nil {
		return nil, fmt.Errorf("cannot read the audit of %s: %w", got.ID, err)
	}
	n, err := d.log.Count(audit.Undispatched, got.IssuedAt, got.EndedAt)
	if err != nil {
		return nil, fmt.Errorf("cannot read the audit: %w", err)
	}
	r := audit.Receipt{
		ID: string(got.ID), Unit: got.Unit, Agent: got.Agent, Verdict: string(got.Verdict), IssuedAt: got.IssuedAt,
		ActiveAt: got.ActiveAt(), EndedAt: got.EndedAt, Tally: t, Undispatched: n,
	}
	return r.Encode(), nil
}
