package mcpserver

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Action is what work_ledger_record writes down.
type Action string

// The actions.
const (
	ActGoal    Action = "goal"
	ActCreate  Action = "create"
	ActBind    Action = "bind"
	ActDecide  Action = "decide"
	ActVerdict Action = "verdict"
	ActClose   Action = "close"
	ActAccept  Action = "accept" // changes nothing: what is to be checked before the verdict

	ActRelay        Action = "relay"
	ActChannelOpen  Action = "channel_open"
	ActChannelClose Action = "channel_close"
)

// Actions lists the actions.
func Actions() []Action {
	var out []Action
	for _, a := range actions() {
		out = append(out, a.name)
	}
	return out
}

// action is an action with the arguments that it needs, and those that it may have.
type action struct {
	name      Action
	need, may []string
}

func actions() []action {
	return []action{
		{ActGoal, []string{"goal"}, nil},
		{ActCreate, []string{"title"}, []string{"acceptance", "parent", "session"}},
		{ActBind, []string{"item", "dispatch"}, nil},
		{ActDecide, []string{"item", "decision"}, nil},
		{ActVerdict, []string{"item", "verdict"}, nil},
		{ActClose, []string{"item"}, nil},
		{ActAccept, []string{"item"}, nil},
		{ActRelay, []string{"from", "to", "text"}, nil},
		{ActChannelOpen, []string{"from", "to"}, []string{"ttl", "messages"}},
		{ActChannelClose, []string{"from", "to"}, nil},
	}
}

// Fields says what arguments an action needs, and which it may have beside them.
func (a Action) Fields() (need, may []string) {
	for _, known := range actions() {
		if known.name == a {
			return known.need, known.may
		}
	}
	return nil, nil
}

func (r RecordArgs) check() error {
	need, may := r.Action.Fields()
	return checkAction(r, string(r.Action), need, may)
}

// MessageAction is what work_message does.
type MessageAction string

// The actions of work_message.
const (
	MessageSend MessageAction = "send"
	MessageRead MessageAction = "read"
)

// MessageActions lists the actions of work_message.
func MessageActions() []MessageAction { return []MessageAction{MessageSend, MessageRead} }

func (m MessageArgs) check() error {
	if m.Action == MessageSend {
		return checkAction(m, string(m.Action), []string{"to", "text"}, []string{"dispatch"})
	}
	return checkAction(m, string(m.Action), nil, []string{"dispatch", "again"})
}

// checkAction holds the arguments of a tool against those that its action needs, and
// may have.
func checkAction(args any, action string, need, may []string) error {
	v := reflect.ValueOf(args)
	for _, f := range argsOf(v.Type()) {
		given := !v.Field(f.index).IsZero()
		switch {
		case f.name == "action":
		case !given && slices.Contains(need, f.name):
			return usage(fmt.Sprintf("%q is missing: the action %q needs %s", f.name, action, quoted(need)), "give "+f.name)
		case given && !slices.Contains(need, f.name) && !slices.Contains(may, f.name):
			return usage(fmt.Sprintf("%q is no argument of the action %q, which takes %s", f.name, action, quoted(append(slices.Clip(need), may...))), "leave out "+f.name)
		}
	}
	return nil
}

func quoted(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}
