package ledger_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// A sight is what somebody gets to see of a board, as bytes.
type sight func(*ledger.Board) []byte

// unitOf names the unit of the first item's dispatch.
func unitOf(id store.ID) string {
	if id == disp1 {
		return "U03"
	}
	return ""
}

func present() ledger.Present {
	return ledger.Present{Now: start.Add(time.Hour), Live: func(id store.ID) bool { return id == disp1 }, Unread: unread, Unit: unitOf}
}

func unread(store.ID) int { return 3 }

func own(id store.ID) sight {
	return func(b *ledger.Board) []byte {
		v, err := b.Brief(id, present())
		if err != nil {
			return []byte(err.Error())
		}
		return ledger.Encode(v)
	}
}

func page(b *ledger.Board) []byte { return ledger.Encode(b.Page(present())) }

// The fields of an Item that a viewer sees something of; all others are hidden
// from it. Which view shows them is written down here once more, by hand.
var (
	ownFields     = []string{"ID", "Title", "Acceptance", "Round", "Decision", "Status", "Summary", "Artifacts", "ReportedAt"}
	siblingFields = []string{"ID", "Title", "Status", "Artifacts", "ReportedAt", "State"} // of the state: open or not
	pageHidden    = []string{"Depth", "JudgedFor", "Session", "Last", "Bare"}
)

func hiddenFrom(shown []string) []string {
	var out []string
	t := reflect.TypeFor[ledger.Item]()
	for i := range t.NumField() {
		if !slices.Contains(shown, t.Field(i).Name) {
			out = append(out, t.Field(i).Name)
		}
	}
	return out
}

// change gives a field of an item another value, whatever its type.
func change(t *rapid.T, it *ledger.Item, field string) {
	v := reflect.ValueOf(it).Elem().FieldByName(field)
	switch old := v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(old.Add(time.Duration(rapid.IntRange(1, 1e6).Draw(t, "later")) * time.Second)))
	case []ledger.Pointer:
		v.Set(reflect.ValueOf(append(slices.Clip(old), pointer(t, fmt.Sprintf("pr:%d", rapid.IntRange(100, 999).Draw(t, "pr"))))))
	default:
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "more"))
		case reflect.Int:
			v.SetInt(v.Int() + int64(rapid.IntRange(1, 9).Draw(t, "plus")))
		case reflect.Bool:
			v.SetBool(!v.Bool())
		default:
			t.Fatalf("no change for a field of type %s", v.Type())
		}
	}
}

// someBoard is a random board of items with random lives; there is always item1.
func someBoard(t *rapid.T) *ledger.Board {
	b := &ledger.Board{Goal: someText(t, "goal")}
	for i, id := range []store.ID{item1, item2, disp1, disp2}[:rapid.IntRange(2, 4).Draw(t, "items")] {
		events := history(t)
		it, err := ledger.Fold(id, events)
		require.NoError(t, err)
		if i < 2 && !it.Open() {
			it.State, it.Status = ledger.StateWaiting, ledger.StatusNew // these two are to be seen
		}
		b.Items = append(b.Items, it)
	}
	return b
}

func clone(b *ledger.Board) *ledger.Board {
	return &ledger.Board{Goal: b.Goal, Items: slices.Clone(b.Items)}
}

// interferes says whether a change of one hidden field of a random board changes
// what is seen. whose picks the items that are changed.
func interferes(t *rapid.T, see sight, field string, whose func(*ledger.Item) bool) bool {
	before := someBoard(t)
	after := clone(before)
	for i := range after.Items {
		if whose(&after.Items[i]) {
			change(t, &after.Items[i], field)
		}
	}
	return string(see(before)) != string(see(after))
}

func mine(it *ledger.Item) bool    { return it.ID == item1 }
func another(it *ledger.Item) bool { return it.ID == item2 }

// hiding is a viewer, whose items, and a field of theirs that it may not see.
type hiding struct {
	name  string
	see   sight
	whose func(*ledger.Item) bool
	field string
}

func hidings() []hiding {
	var out []hiding
	add := func(name string, see sight, whose func(*ledger.Item) bool, fields []string) {
		for _, f := range fields {
			out = append(out, hiding{name + " " + f, see, whose, f})
		}
	}
	add("own", own(item1), mine, hiddenFrom(ownFields))
	add("sibling", own(item1), another, hiddenFrom(siblingFields))
	add("page", page, another, pageHidden)
	return out
}

// TestNonInterference is what the views promise: whatever a viewer may not see can
// change as it will, and the bytes of its view stay.
func TestNonInterference(t *testing.T) {
	require.Greater(t, len(hidings()), 30)
	for _, h := range hidings() {
		t.Run(h.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				require.False(t, interferes(t, h.see, h.field, h.whose), "the view shows %s", h.field)
			})
		})
	}
}

// leak is a view that shows one field too many, of every item.
func leak(see sight, field string) sight {
	return func(b *ledger.Board) []byte {
		out := see(b)
		for i := range b.Items {
			out = fmt.Appendf(out, "%v", reflect.ValueOf(b.Items[i]).FieldByName(field).Interface())
		}
		return out
	}
}

// TestNonInterferenceFindsLeaks plants a leak of each hidden field: the property
// above must fail with every one of them.
func TestNonInterferenceFindsLeaks(t *testing.T) {
	for _, h := range hidings() {
		t.Run(h.name, func(t *testing.T) {
			found := false
			rapid.Check(t, func(t *rapid.T) {
				if !found {
					found = interferes(t, leak(h.see, h.field), h.field, h.whose)
				}
			})
			require.True(t, found, "a leak of %s is not found", h.field)
		})
	}
}

// The lists of fields above are complete: a change of a field that is in one of
// them does show.
func TestShownFieldsShow(t *testing.T) {
	for name, c := range map[string]struct {
		see    sight
		whose  func(*ledger.Item) bool
		fields []string
	}{
		"own":     {own(item1), mine, ownFields},
		"sibling": {own(item1), another, slices.DeleteFunc(slices.Clone(siblingFields), func(f string) bool { return f == "State" })},
	} {
		for _, f := range c.fields {
			t.Run(name+" "+f, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { require.True(t, interferes(t, c.see, f, c.whose)) })
			})
		}
	}
}

// The goal is the conductor's.
func TestGoalIsHiddenFromWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := someBoard(t)
		seen := own(item1)(b)
		b.Goal += "more"
		require.Equal(t, string(seen), string(own(item1)(b)))
	})
}

// TestWhatOthersDoStaysTheirs is non-interference once more, by events: two boards
// on which the conductor and a sibling did the same, with other words, look the same
// to a worker.
func TestWhatOthersDoStaysTheirs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := history(t)
		other := make([]ledger.Event, len(events))
		secret := rapid.StringMatching(`[a-z ]{1,20}x`).Draw(t, "secret")
		verdict := rapid.SampledFrom(dispatch.Verdicts()).Draw(t, "verdict")
		for i, e := range events {
			switch e.Kind {
			case ledger.KindReport, ledger.KindDecision, ledger.KindRequest:
				e.Text = secret
			case ledger.KindVerdict:
				e.Verdict, e.Dispatch = verdict, ""
			case ledger.KindCreate:
				e.Acceptance, e.Session = secret, secret
			}
			other[i] = e
		}
		mine, err := ledger.Fold(item1, oneOfEach(t)[:2])
		require.NoError(t, err)
		seen := map[string]bool{}
		for _, es := range [][]ledger.Event{events, other} {
			theirs, err := ledger.Fold(item2, es)
			require.NoError(t, err)
			seen[string(own(item1)(&ledger.Board{Items: []ledger.Item{mine, theirs}}))] = true
		}
		require.Len(t, seen, 1)
	})
}

// The fields of an Event that a worker sees of its own item's log; all others are hidden
// from it.
var ownEventFields = []string{"Time", "Kind", "Report", "Text", "Artifacts", "Request", "To"}

func hiddenOfEvents() []string {
	var out []string
	t := reflect.TypeFor[ledger.Event]()
	for i := range t.NumField() {
		if !slices.Contains(ownEventFields, t.Field(i).Name) {
			out = append(out, t.Field(i).Name)
		}
	}
	return append(out, "a verdict")
}

// recounted is the log of a brief as its bytes. leak adds one field of every event.
func recounted(events []ledger.Event, leak string) string {
	var v ledger.Brief
	v.Recount(events)
	out := string(ledger.Encode(v))
	for i := range events {
		if f := reflect.ValueOf(events[i]).FieldByName(leak); f.IsValid() {
			out += fmt.Sprint(f.Interface())
		} else if leak != "" {
			out += string(events[i].Kind)
		}
	}
	return out
}

// others is a log with other values in a hidden field, or with one more verdict somewhere.
func others(t *rapid.T, events []ledger.Event, hidden string) []ledger.Event {
	out := slices.Clone(events)
	if hidden == "a verdict" {
		more := ledger.Event{Time: start.Add(time.Hour), Kind: ledger.KindVerdict, Verdict: "ready", Text: "hidden", Dispatch: disp2}
		return slices.Insert(out, rapid.IntRange(1, len(out)).Draw(t, "at"), more)
	}
	for i := range out {
		switch f := reflect.ValueOf(&out[i]).Elem().FieldByName(hidden); f.Kind() {
		case reflect.String:
			f.SetString(f.String() + rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "more"))
		default:
			f.SetInt(f.Int() + int64(rapid.IntRange(1, 9).Draw(t, "plus")))
		}
	}
	return out
}

// TestOwnLogNonInterference: what a worker may not see of its own item's events can
// change as it will, a verdict can come or not, and the bytes of the log stay. A planted
// leak of each is found.
func TestOwnLogNonInterference(t *testing.T) {
	require.Contains(t, hiddenOfEvents(), "Verdict")
	for _, hidden := range hiddenOfEvents() {
		t.Run(hidden, func(t *testing.T) {
			found := false
			rapid.Check(t, func(t *rapid.T) {
				events := history(t)
				changed := others(t, events, hidden)
				require.Equal(t, recounted(events, ""), recounted(changed, ""))
				found = found || recounted(events, hidden) != recounted(changed, hidden)
			})
			require.True(t, found, "a leak of %s is not found", hidden)
		})
	}
}

// A view is encoded as its type says, under the names that the documentation gives.
func TestEncode(t *testing.T) {
	b := &ledger.Board{Goal: "ship"}
	for _, id := range []store.ID{item1, item2} {
		it, err := ledger.Fold(id, oneOfEach(t)[:5])
		require.NoError(t, err)
		b.Items = append(b.Items, it)
	}
	brief, err := b.Brief(item1, present())
	require.NoError(t, err)
	brief.Tell(knobs.Settings{Sandbox: knobs.ReadOnly, Approval: knobs.Ask, Opaque: knobs.Block},
		[]knobs.Event{{Seq: 3, Time: start, Knob: knobs.Approval, Value: knobs.Ask, By: "me"}})
	brief.Recount(oneOfEach(t)[:6])
	require.JSONEq(t, `{"item":"`+string(item1)+`","title":"Pay by card","acceptance":"a\nb","round":1,"decision":"go on\nso",
		"status":"done","summary":"a \"summary\"","artifacts":["pr:12","commit:0123abc"],"last_report_at":"2026-05-04T03:02:01Z","unread":3,"knobs":{"sandbox":"read-only","approval":"ask","opaque":"block"},
		"changed":[{"knob":"approval","value":"ask","by":"me","time":"2026-05-04T03:02:01Z"}],"siblings":[{"item":"`+string(item2)+`","title":"Pay by card","status":"done",
		"artifacts":["pr:12","commit:0123abc"],"last_report_at":"2026-05-04T03:02:01Z"}],"log":[
		{"time":"2026-05-04T03:02:01Z","kind":"create","report":"","request":"","to":"","text":"","artifacts":[]},
		{"time":"2026-05-04T03:02:01Z","kind":"bind","report":"","request":"","to":"","text":"","artifacts":[]},
		{"time":"2026-05-04T03:02:01Z","kind":"report","report":"done","request":"","to":"","text":"a \"summary\"","artifacts":["pr:12","commit:0123abc"]},
		{"time":"2026-05-04T03:02:01Z","kind":"decision","report":"","request":"","to":"","text":"go on\nso","artifacts":[]},
		{"time":"2026-05-04T03:02:01Z","kind":"request","report":"","request":"relay","to":"`+string(item3)+`","text":"which port?","artifacts":[]}]}`,
		string(ledger.Encode(brief)))
	for _, v := range []struct{ view, item any }{
		{b.Conductor(present()), ledger.ConductorItem{}}, {b.Page(present()), ledger.PageItem{}}, {brief, ledger.SiblingItem{}},
	} {
		var doc map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(ledger.Encode(v.view), &doc))
		require.ElementsMatch(t, ledger.Shown(v.view), keys(doc))
		list := doc["items"]
		if list == nil {
			list = doc["siblings"]
		}
		var items []map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(list, &items))
		require.NotEmpty(t, items)
		require.ElementsMatch(t, ledger.Shown(v.item), keys(items[0]))
		require.NotContains(t, ledger.Shown(v.item), "")
	}
	for _, v := range []any{ledger.Knobs{}, ledger.Change{}, ledger.OwnEvent{}} {
		require.NotContains(t, ledger.Shown(v), "")
	}
	_, err = b.Brief(disp1, present())
	require.ErrorIs(t, err, ledger.UnknownItem)
}

func keys(m map[string]json.RawMessage) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	return out
}

// What is derived follows the time and the dispatch.
func TestDerived(t *testing.T) {
	live := map[store.ID]bool{disp1: true}
	p := ledger.Present{Now: start, Live: func(id store.ID) bool { return live[id] }, Unread: unread, Unit: unitOf}
	it := made(t)
	is := func(stale, orphaned bool) {
		t.Helper()
		v := it.Conductor(p)
		require.Equal(t, []bool{stale, orphaned}, []bool{v.Stale, v.Orphaned})
	}
	is(false, false)
	do(t, it)(it.PlanBind(disp1, false, start))
	p.Now = start.Add(ledger.StaleAfter)
	is(false, false)
	p.Now = p.Now.Add(time.Second)
	is(true, false)
	do(t, it)(it.PlanReport(disp1, say(ledger.Progress, "p"), p.Now))
	is(false, false)
	p.Now = p.Now.Add(ledger.StaleAfter + 1)
	is(true, false)
	live[disp1] = false
	is(false, true)
	live[disp1] = true
	do(t, it)(it.PlanReport(disp1, say(ledger.Done, "d"), p.Now))
	p.Now = p.Now.Add(time.Hour)
	is(false, false)
	live[disp1] = false
	is(false, true)
	do(t, it)(it.PlanVerdict("ready", disp1, p.Now))
	is(false, false)
}

// The closed ones are no longer anybody's siblings.
func TestClosedAreNoSiblings(t *testing.T) {
	b := &ledger.Board{}
	for _, n := range []int{2, 7} {
		it, err := ledger.Fold([]store.ID{item1, item2}[n/7], oneOfEach(t)[:n])
		require.NoError(t, err)
		b.Items = append(b.Items, it)
	}
	v, err := b.Brief(item1, present())
	require.NoError(t, err)
	require.Empty(t, v.Siblings)
}
