package cli

import (
	"fmt"
	"slices"
	"sort"

	"github.com/spf13/cobra"

	"github.com/seed6310be5c/conduct/audit"
)

type logOptions struct {
	unit    string
	blocked bool
}

func newLog(env *Env) *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use: "log [--unit U] [--blocked]", Short: "show the judged calls", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run(env) },
	}
	c.Flags().StringVar(&o.unit, "unit", "", "only calls of dispatches of this unit")
	c.Flags().BoolVar(&o.blocked, "blocked", false, "only calls that were blocked, or would have been")
	return c
}

func (o *logOptions) run(env *Env) error {
	d, err := env.open()
	if err != nil {
		return err
	}
	defer d.close()
	lines, err := d.lines(o)
	if err != nil {
		return err
	}
	for i := range lines {
		if env.json {
			_, err = fmt.Fprintf(env.Stdout, "%s\n", lines[i].Public())
		} else {
			l := &lines[i]
			_, err = fmt.Fprintf(env.Stdout, "%s %-22s %s\n", clockTime(l.Time), l.Agent, describe(l))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lines collects the calls of every stream in the order of their times.
func (d *desk) lines(o *logOptions) ([]audit.Line, error) {
	var out []audit.Line
	for stream := range d.log.Streams() {
		if o.unit != "" && !d.isOf(stream, o.unit) {
			continue
		}
		for line, err := range d.log.Read(stream) {
			if err != nil {
				return nil, err
			}
			if line.Event != "" || o.blocked && line.Allowed && line.Would == "" {
				continue
			}
			out = append(out, line)
		}
	}
	sort.SliceStable(out, func(i, k int) bool { return out[i].Time.Before(out[k].Time) })
	return out, nil
}

// isOf says whether a stream is that of a dispatch of a unit.
func (d *desk) isOf(stream, name string) bool {
	got, err := d.own(stream)
	return err == nil && (got.Unit == name || slices.Contains(got.Grant.Own.Paths, name))
}
