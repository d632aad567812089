package ledger

import (
	"reflect"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// The views are allow-lists: what is not a field of one is not shown in it, and a
// new field of Item stays hidden until somebody adds it here. Each is encoded from
// its type alone, under the names in its tags.

// ConductorItem is an item as the conductor sees it.
type ConductorItem struct {
	Item         store.ID  `view:"item"`
	Parent       store.ID  `view:"parent"`
	Title        string    `view:"title"`
	Acceptance   string    `view:"acceptance"`
	Status       Status    `view:"status"`
	State        State     `view:"state"`
	Stale        bool      `view:"stale"`
	Orphaned     bool      `view:"orphaned"`
	Round        int       `view:"round"`
	Fails        int       `view:"fails"`
	Decision     string    `view:"decision"`
	Verdict      string    `view:"verdict"`
	Summary      string    `view:"summary"`
	Artifacts    []Pointer `view:"artifacts"`
	Unread       int       `view:"unread"`
	Dispatch     store.ID  `view:"dispatch"`
	Unit         string    `view:"unit"`
	Session      string    `view:"session"`
	CreatedAt    time.Time `view:"created_at"`
	LastReportAt time.Time `view:"last_report_at"`
	UpdatedAt    time.Time `view:"updated_at"`
	Events       int       `view:"events"`
}

// ConductorBoard is the board as the conductor sees it.
type ConductorBoard struct {
	Goal  string          `view:"goal"`
	Items []ConductorItem `view:"items"`
}

// PageItem is an item as the board's page shows it: to people who look over the
// conductor's shoulder, so without the keys of sessions and dispatches.
type PageItem struct {
	Item         store.ID  `view:"item"`
	Parent       store.ID  `view:"parent"`
	Title        string    `view:"title"`
	Acceptance   string    `view:"acceptance"`
	Status       Status    `view:"status"`
	State        State     `view:"state"`
	Stale        bool      `view:"stale"`
	Orphaned     bool      `view:"orphaned"`
	Round        int       `view:"round"`
	Fails        int       `view:"fails"`
	Decision     string    `view:"decision"`
	Verdict      string    `view:"verdict"`
	Summary      string    `view:"summary"`
	Artifacts    []Pointer `view:"artifacts"`
	Unread       int       `view:"unread"`
	CreatedAt    time.Time `view:"created_at"`
	LastReportAt time.Time `view:"last_report_at"`
	UpdatedAt    time.Time `view:"updated_at"`
	Events       int       `view:"events"`
}

// PageBoard is the board as its page shows it.
type PageBoard struct {
	Goal  string     `view:"goal"`
	Items []PageItem `view:"items"`
}

// Brief is all that a worker sees: its own item, and the others by SiblingItem.
type Brief struct {
	Item         store.ID      `view:"item"`
	Title        string        `view:"title"`
	Acceptance   string        `view:"acceptance"`
	Round        int           `view:"round"`
	Decision     string        `view:"decision"`
	Status       Status        `view:"status"`
	Summary      string        `view:"summary"`
	Artifacts    []Pointer     `view:"artifacts"`
	LastReportAt time.Time     `view:"last_report_at"`
	Unread       int           `view:"unread"`
	Knobs        Knobs         `view:"knobs"`
	Changed      []Change      `view:"changed"`
	Siblings     []SiblingItem `view:"siblings"`
	Log          []OwnEvent    `view:"log"`
}

// OwnEvent is an event of a worker's own item as that worker sees it: what workers
// said of it in all rounds, and what was decided. What the conductor thinks of it is
// hidden from the worker, and so is a verdict, with its place and its time.
type OwnEvent struct {
	Time      time.Time `view:"time"`
	Kind      Kind      `view:"kind"`
	Report    string    `view:"report"`  // report
	Request   string    `view:"request"` // request
	To        store.ID  `view:"to"`      // request
	Text      string    `view:"text"`    // report, decision, request
	Artifacts []Pointer `view:"artifacts"`
}

// OwnKinds lists the kinds of events that a worker sees of its own item.
func OwnKinds() []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool { return k == KindVerdict })
}

// Knobs are the settings of a worker's own dispatch as they count now.
type Knobs struct {
	Sandbox  knobs.Value `view:"sandbox"`
	Approval knobs.Value `view:"approval"`
	Opaque   knobs.Value `view:"opaque"`
}

// Change is a turn of one of them, of which the worker was not told yet.
type Change struct {
	Knob  knobs.Name  `view:"knob"`
	Value knobs.Value `view:"value"`
	By    string      `view:"by"`
	Time  time.Time   `view:"time"`
}

// SiblingItem is an open item as the worker of another one sees it. The title is
// the conductor's text; nothing in it is a worker's.
type SiblingItem struct {
	Item         store.ID  `view:"item"`
	Title        string    `view:"title"`
	Status       Status    `view:"status"`
	Artifacts    []Pointer `view:"artifacts"`
	LastReportAt time.Time `view:"last_report_at"`
}

// Present is what a view needs to know beside the board: nothing that is derived
// from it is stored.
type Present struct {
	Now time.Time
	// Live says whether a dispatch is in force.
	Live func(store.ID) bool
	// Unread counts the messages that wait for an item.
	Unread func(store.ID) int
	// Unit names the unit of a dispatch, "" where that is not known any more.
	Unit func(store.ID) string
}

// Stale says that a worker in force has been silent for long.
func (it *Item) Stale(p Present) bool {
	last := it.BoundAt
	if it.ReportedAt.After(last) {
		last = it.ReportedAt
	}
	return it.State == StateBound && it.Status == StatusWorking && p.Live(it.Dispatch) && p.Now.Sub(last) > StaleAfter
}

// Orphaned says that the worker is gone and nobody has judged what it left.
func (it *Item) Orphaned(p Present) bool { return it.State == StateBound && !p.Live(it.Dispatch) }

// Conductor is the view of one item for the conductor.
func (it *Item) Conductor(p Present) ConductorItem {
	return ConductorItem{
		Item: it.ID, Parent: it.Parent, Title: it.Title, Acceptance: it.Acceptance, Status: it.Status, State: it.State,
		Stale: it.Stale(p), Orphaned: it.Orphaned(p), Round: it.Round, Fails: it.Fails, Decision: it.Decision,
		Verdict: string(it.Verdict), Summary: it.Summary, Artifacts: it.Artifacts, Unread: p.Unread(it.ID), Dispatch: it.Dispatch, Unit: p.Unit(it.Dispatch), Session: it.Session,
		CreatedAt: it.CreatedAt, LastReportAt: it.ReportedAt, UpdatedAt: it.UpdatedAt, Events: it.Events,
	}
}

// Conductor is the view of the board for the conductor.
func (b *Board) Conductor(p Present) ConductorBoard {
	v := ConductorBoard{Goal: b.Goal}
	for i := range b.Items {
		v.Items = append(v.Items, b.Items[i].Conductor(p))
	}
	return v
}

// Page is the view of the board for its page.
func (b *Board) Page(p Present) PageBoard {
	v := PageBoard{Goal: b.Goal}
	for i := range b.Items {
		it := &b.Items[i]
		v.Items = append(v.Items, PageItem{
			Item: it.ID, Parent: it.Parent, Title: it.Title, Acceptance: it.Acceptance, Status: it.Status, State: it.State,
			Stale: it.Stale(p), Orphaned: it.Orphaned(p), Round: it.Round, Fails: it.Fails, Decision: it.Decision,
			Verdict: string(it.Verdict), Summary: it.Summary, Artifacts: it.Artifacts, Unread: p.Unread(it.ID), CreatedAt: it.CreatedAt,
			LastReportAt: it.ReportedAt, UpdatedAt: it.UpdatedAt, Events: it.Events,
		})
	}
	return v
}

// Brief is the view of the board for the worker of one item.
func (b *Board) Brief(own store.ID, p Present) (Brief, error) {
	it, err := b.Find(own)
	if err != nil {
		return Brief{}, err
	}
	v := Brief{
		Item: it.ID, Title: it.Title, Acceptance: it.Acceptance, Round: it.Round, Decision: it.Decision,
		Status: it.Status, Summary: it.Summary, Artifacts: it.Artifacts, LastReportAt: it.ReportedAt, Unread: p.Unread(it.ID),
	}
	for i := range b.Items {
		if s := &b.Items[i]; s.ID != own && s.Open() {
			v.Siblings = append(v.Siblings, s.sibling())
		}
	}
	return v, nil
}

// Tell adds to a brief the knobs of the worker's own dispatch, and the turns of which
// it is told with this brief.
func (v *Brief) Tell(set knobs.Settings, turned []knobs.Event) {
	v.Knobs = Knobs{Sandbox: set.Sandbox, Approval: set.Approval, Opaque: set.Opaque}
	for _, e := range turned {
		v.Changed = append(v.Changed, Change{Knob: e.Knob, Value: e.Value, By: e.By, Time: e.Time})
	}
}

// Recount adds to a brief what has happened to the worker's own item.
func (v *Brief) Recount(events []Event) {
	for _, e := range events {
		if slices.Contains(OwnKinds(), e.Kind) {
			v.Log = append(v.Log, OwnEvent{
				Time: e.Time, Kind: e.Kind, Report: string(e.Report), Request: string(e.Request), To: e.To, Text: e.Text, Artifacts: e.Artifacts,
			})
		}
	}
}

func (it *Item) sibling() SiblingItem {
	return SiblingItem{Item: it.ID, Title: it.Title, Status: it.Status, Artifacts: it.Artifacts, LastReportAt: it.ReportedAt}
}

// Encode writes a view as one JSON object.
func Encode(view any) []byte {
	var w wire.Writer
	w.Object("")
	WriteFields(&w, view)
	w.End()
	return w.Bytes()
}

// WriteFields writes the fields of a view into an object that is open.
func WriteFields(w *wire.Writer, view any) { writeFields(w, reflect.ValueOf(view)) }

// Shown lists the names of the fields of a view's type.
func Shown(view any) []string {
	var out []string
	t := reflect.TypeOf(view)
	for i := range t.NumField() {
		out = append(out, t.Field(i).Tag.Get("view"))
	}
	return slices.Clip(out)
}

func writeFields(w *wire.Writer, v reflect.Value) {
	for i := range v.NumField() {
		writeField(w, v.Type().Field(i).Tag.Get("view"), v.Field(i))
	}
}

// writeField writes a field of one of the kinds that views have.
func writeField(w *wire.Writer, name string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case time.Time:
		w.Time(name, x)
		return
	case []string:
		w.Array(name)
		for _, s := range x {
			w.String("", s)
		}
		w.End()
		return
	case []Pointer:
		w.Array(name)
		for _, p := range x {
			w.String("", p.String())
		}
		w.End()
		return
	}
	switch v.Kind() {
	case reflect.String:
		w.String(name, v.String())
	case reflect.Int:
		w.Int(name, v.Int())
	case reflect.Bool:
		w.Bool(name, v.Bool())
	case reflect.Struct:
		w.Object(name)
		writeFields(w, v)
		w.End()
	case reflect.Slice:
		w.Array(name)
		for i := range v.Len() {
			w.Object("")
			writeFields(w, v.Index(i))
			w.End()
		}
		w.End()
	default:
		// A test encodes every view, so this is met there and nowhere else.
		panic("a view has a field of kind " + v.Kind().String())
	}
}
