package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// receiptOf is the receipt that a dispatch was released with.
func receiptOf(got *dispatch.Dispatch) (audit.Receipt, error) {
	r, err := audit.DecodeReceipt(got.Receipt)
	if err != nil {
		return r, fmt.Errorf("the receipt of %s: %w", got.ID, err)
	}
	return r, nil
}

// printReceipt prints the receipt that a dispatch was released with.
func (d *desk) printReceipt(got *dispatch.Dispatch) error {
	r, err := receiptOf(got)
	if err != nil {
		return err
	}
	if d.env.json {
		doc, err := d.receiptJSON(got)
		if err != nil {
			return err
		}
		return d.env.print("%s\n", doc)
	}
	d.env.printReceipt(r, d.item(got.ID))
	return nil
}

// warnUnseen says of a released dispatch that no call shows its agent; not of one whose
// agent we have run ourselves.
func (d *desk) warnUnseen(got *dispatch.Dispatch) {
	if r, err := receiptOf(got); err == nil && r.Evidence() == "none" {
		d.env.warn("no call of dispatch %s was judged: nothing shows that its agent ran", r.ID)
	}
}

// receiptJSON has the receipt, and its fields beside it too, for scripts that ask for one.
// The item is none of them: the receipt is what the audit shows, an item can be removed.
func (d *desk) receiptJSON(got *dispatch.Dispatch) ([]byte, error) {
	var w wire.Writer
	w.Object("").Raw("receipt", got.Receipt)
	if err := audit.Fields(&w, got.Receipt); err != nil {
		return nil, err
	}
	w.String("item", string(d.item(got.ID)))
	w.End()
	return w.Bytes(), nil
}

func (e *Env) printReceipt(r audit.Receipt, item store.ID) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(e.Stdout, "  %-14s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(e.Stdout, "receipt %s\n", r.ID)
	line("unit", "%s", r.Unit)
	line("agent", "%s", dash(r.Agent))
	line("verdict", "%s", r.Verdict)
	if item != "" {
		line("item", "%s", item)
	}
	line("time", "%s to %s", stamp(r.IssuedAt), stamp(r.EndedAt))
	if !r.ActiveAt.IsZero() {
		line("active since", "%s", stamp(r.ActiveAt))
	}
	line("agents", "%s", dash(strings.Join(r.Tally.Agents, ", ")))
	line("calls", "%d allowed, %d blocked%s", r.Tally.Allowed, r.Tally.Blocked, byCode(r.Tally.ByCode))
	if len(r.Tally.SharedWrites) > 0 {
		line("shared writes", "%s", strings.Join(r.Tally.SharedWrites, ", "))
	}
	if r.Undispatched > 0 {
		line("beside it", "%d calls on unit paths by agents that nobody dispatched", r.Undispatched)
	}
	line("evidence", "%s", r.Evidence())
	line("audit sha256", "%s", r.Tally.SHA256)
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func byCode(m map[string]int) string {
	if len(m) == 0 {
		return ""
	}
	var parts []string
	for _, c := range audit.SortedCodes(m) {
		parts = append(parts, fmt.Sprintf("%s %d", c, m[c]))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
