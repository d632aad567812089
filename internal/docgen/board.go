package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
)

// viewers are the views of one item, with the columns that they get.
func viewers() []struct {
	who    string
	fields []string
} {
	return []struct {
		who    string
		fields []string
	}{
		{"the conductor", append(ledger.Shown(ledger.ConductorItem{}), "log")}, // of one item: every event, as it is stored
		{"its own worker", ledger.Shown(ledger.Brief{})},
		{"workers of other items", ledger.Shown(ledger.SiblingItem{})},
		{"the board's page (to come)", ledger.Shown(ledger.PageItem{})},
	}
}

// visibility is the table of who sees which field: it is made of the types that
// the views are encoded from, so that it cannot say less than they show.
func visibility() (string, error) {
	vs := viewers()
	head, names := []string{"field"}, []string{}
	for _, v := range vs {
		head = append(head, v.who)
		for _, f := range v.fields {
			if !slices.Contains(names, f) && f != "siblings" {
				names = append(names, f)
			}
		}
	}
	var rows [][]string
	for _, name := range names {
		row := []string{code(name)}
		for _, v := range vs {
			cell := "–"
			if slices.Contains(v.fields, name) {
				cell = "yes"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	goal := []string{code("goal")}
	for _, shown := range [][]string{
		ledger.Shown(ledger.ConductorBoard{}), ledger.Shown(ledger.Brief{}), ledger.Shown(ledger.SiblingItem{}), ledger.Shown(ledger.PageBoard{}),
	} {
		cell := "–"
		if slices.Contains(shown, "goal") {
			cell = "yes"
		}
		goal = append(goal, cell)
	}
	return table(head, append(rows, goal)), nil
}

// letters is the table of what is seen of mailboxes, made of the types of the views.
func letters() (string, error) {
	var rows [][]string
	for _, v := range []struct {
		what   string
		who    string
		fields []string
	}{
		{"a message, when it is fetched", "the worker that it is for", ledger.Shown(mailbox.Letter{})},
		{"a channel that is open", "the workers of its two items", ledger.Shown(mailbox.Line{})},
		{"the mailbox of two items", "the conductor, and with it every event", ledger.Shown(mailbox.PairView{})},
	} {
		var names []string
		for _, f := range v.fields {
			names = append(names, code(f))
		}
		rows = append(rows, []string{v.what, v.who, strings.Join(names, ", ")})
	}
	return table([]string{"what", "who", "fields"}, rows), nil
}

// shapes is the table of pointers.
func shapes() (string, error) {
	var rows [][]string
	for _, p := range ledger.PointerTypes() {
		rows = append(rows, []string{code(string(p)), p.Shape()})
	}
	return table([]string{"type", "value"}, rows), nil
}

// bounds is the table of what fits on a board.
func bounds() (string, error) {
	var rows [][]string
	for _, b := range []struct {
		what string
		most int
		unit string
	}{
		{"open items", ledger.MaxOpen, ""}, {"items in all, closed ones too", ledger.MaxStored, ""},
		{"events of an item", ledger.MaxEvents, ""}, {"levels of items (`--parent`)", ledger.MaxDepth, ""},
		{"goal", ledger.MaxGoal, "bytes"}, {"title", ledger.MaxTitle, "bytes, one line"}, {"acceptance", ledger.MaxAccept, "bytes"},
		{"decision", ledger.MaxDecision, "bytes"}, {"summary of a report", ledger.MaxSummary, "bytes, one line"},
		{"artifacts of a report", ledger.MaxReported, ""}, {"different artifacts of an item", ledger.MaxArtifacts, ""},
		{"text of a request", ledger.MaxRequest, "bytes, one line"}, {"text of a message", mailbox.MaxText, "bytes, one line"},
		{"channels that are open", mailbox.MaxOpen, ""}, {"messages of a channel", mailbox.MaxMessages, ""},
		{"life of a channel", int(mailbox.MaxTTL / time.Second), "seconds"}, {"messages that `conduct inbox` fetches at once", mailbox.MaxInbox, ""},
		{"events of two items' mailbox", mailbox.MaxEvents, ""},
	} {
		rows = append(rows, []string{b.what, strings.TrimSpace(fmt.Sprintf("%d %s", b.most, b.unit))})
	}
	return table([]string{"what", "at most"}, rows), nil
}

// refusals is the table of the board's errors, each with its code.
func refusals() (string, error) {
	say := map[ledger.Code]string{
		ledger.UnknownItem:         "no item of the board has that id",
		ledger.ItemClosed:          "the item takes no more events, and no items below it",
		ledger.NotBound:            "the dispatch is bound to no item, another one was bound to its item since, or it is not in force any more",
		ledger.AlreadyBound:        "the dispatch works on another item, or the item has a dispatch that is in force",
		ledger.ItemCapExceeded:     "too many open items, or too many items in all",
		ledger.EventCapExceeded:    "the item has too many events; the last eight places are the conductor's, the last one is for the close",
		ledger.ArtifactCapExceeded: "too many artifacts in the report, or in the item",
		ledger.DepthExceeded:       "the parent has a parent",
		ledger.FieldTooLong:        "the message names the field",
		ledger.FieldInvalid:        "the field is empty, has control characters, or a word that is none of its set",
		ledger.BadPointer:          "the message says which shape the value must have",
		ledger.NoChannel:           "the two items have no channel, or the conductor closed it",
		ledger.ChannelExpired:      "the channel's time is up",
		ledger.ChannelExhausted:    "the channel has carried all its messages",
		ledger.ChannelOpen:         "the two items have a channel that is open",
		ledger.ChannelCapExceeded:  "too many channels are open",
	}
	var rows [][]string
	for _, c := range ledger.Codes() {
		text, ok := say[c]
		if !ok {
			return "", fmt.Errorf("code %q has no meaning", c)
		}
		rows = append(rows, []string{code(string(c)), text})
	}
	if len(say) != len(rows) {
		return "", fmt.Errorf("%d meanings for %d codes", len(say), len(rows))
	}
	return table([]string{"code", "meaning"}, rows), nil
}
