package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Kind is what happened to an item.
type Kind string

// The kinds of events.
const (
	KindCreate   Kind = "create"
	KindBind     Kind = "bind"     // a dispatch begins a round
	KindReport   Kind = "report"   // the worker says where it stands
	KindDecision Kind = "decision" // the conductor answers
	KindVerdict  Kind = "verdict"
	KindClose    Kind = "close"
	KindRequest  Kind = "request" // the worker asks the conductor to pass something on, or for a channel
)

// Kinds lists the kinds of events.
func Kinds() []Kind {
	return []Kind{KindCreate, KindBind, KindReport, KindDecision, KindVerdict, KindClose, KindRequest}
}

// Event is one thing that happened to an item. Which of the fields it has depends
// on its kind; the others are empty.
type Event struct {
	// Seq is its place among the item's events, from 1. A report of progress that
	// takes the place of another one has that one's.
	Seq        int
	Time       time.Time
	Kind       Kind
	Dispatch   store.ID         // bind, report, request; verdict, when a release brought it
	Session    string           // create: the conductor's
	Parent     store.ID         // create
	Depth      int              // create
	Title      string           // create
	Acceptance string           // create
	Report     ReportKind       // report
	Text       string           // report: the summary; decision; request
	Artifacts  []Pointer        // report
	Verdict    dispatch.Verdict // verdict
	Request    RequestKind      // request
	To         store.ID         // request: the item that it is about
}

// key is the same for events that say the same, whenever they happened.
func (e *Event) key() string {
	parts := []string{
		string(e.Kind), string(e.Dispatch), e.Session, string(e.Parent), strconv.Itoa(e.Depth), e.Title, e.Acceptance,
		string(e.Report), e.Text, string(e.Verdict), string(e.Request), string(e.To),
	}
	for _, p := range e.Artifacts {
		parts = append(parts, p.String())
	}
	return store.Key(parts...)
}

// bare says that it is a report of progress that points to nothing.
func (e *Event) bare() bool {
	return e.Kind == KindReport && e.Report == Progress && len(e.Artifacts) == 0
}

// Encode writes an event as one JSON object, without a line break.
func (e *Event) Encode() []byte {
	var w wire.Writer
	w.Object("").Int("schema", Schema)
	e.write(&w)
	w.End()
	return w.Bytes()
}

// write writes the fields that an event of its kind has.
func (e *Event) write(w *wire.Writer) {
	w.Int("seq", int64(e.Seq)).Time("time", e.Time).String("kind", string(e.Kind))
	switch e.Kind {
	case KindCreate:
		w.String("session", e.Session).String("parent", string(e.Parent)).Int("depth", int64(e.Depth)).
			String("title", e.Title).String("acceptance", e.Acceptance)
	case KindBind:
		w.String("dispatch", string(e.Dispatch))
	case KindReport:
		w.String("dispatch", string(e.Dispatch)).String("report", string(e.Report)).String("summary", e.Text)
		writePointers(w, e.Artifacts)
	case KindDecision:
		w.String("decision", e.Text)
	case KindVerdict:
		w.String("dispatch", string(e.Dispatch)).String("verdict", string(e.Verdict))
	case KindRequest:
		w.String("dispatch", string(e.Dispatch)).String("request", string(e.Request)).String("to", string(e.To)).String("text", e.Text)
	}
}

func writePointers(w *wire.Writer, ps []Pointer) {
	w.Array("artifacts")
	for _, p := range ps {
		w.String("", p.String())
	}
	w.End()
}

// fieldsOf is how many fields an event of a kind has when it is written.
func fieldsOf(k Kind) int {
	switch k {
	case KindCreate:
		return 9
	case KindBind, KindDecision:
		return 5
	case KindVerdict:
		return 6
	case KindReport, KindRequest:
		return 8
	}
	return 4
}

// DecodeEvent reads an event. What is not exactly one, within all bounds, is
// store.ErrDamaged.
func DecodeEvent(data []byte) (Event, error) {
	var e Event
	fields, schema := 0, int64(0)
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		fields++
		if name == "schema" {
			schema, err = r.Int()
			return err
		}
		return e.field(r, name)
	})
	if err == nil {
		err = r.End()
	}
	switch {
	case err != nil:
	case schema != Schema:
		err = fmt.Errorf("schema %d, this program knows %d", schema, Schema)
	case !slices.Contains(Kinds(), e.Kind):
		err = fmt.Errorf("unknown kind %q", e.Kind)
	case fields != fieldsOf(e.Kind):
		err = errors.New("a field is missing, or not of its kind")
	case e.Seq < 1 || e.Seq > MaxEvents || e.Time.IsZero():
		err = errors.New("it has no place or no time")
	default:
		err = e.check()
	}
	if err != nil {
		return Event{}, fmt.Errorf("event: %w: %w", store.ErrDamaged, err)
	}
	return e, nil
}

// field reads one field. Each kind of event has fields of its own, so that a field
// which another kind has makes their number wrong or the check fail.
func (e *Event) field(r *wire.Reader, name string) (err error) {
	switch name {
	case "seq":
		e.Seq, err = number(r)
	case "depth":
		e.Depth, err = number(r)
	case "time":
		e.Time, err = r.Time()
	case "artifacts":
		e.Artifacts, err = readPointers(r)
	default:
		to := e.text(name)
		if to == nil {
			return fmt.Errorf("unknown field %q", name)
		}
		*to, err = r.String()
	}
	return err
}

func (e *Event) text(name string) *string {
	switch name {
	case "kind":
		return (*string)(&e.Kind)
	case "dispatch":
		return (*string)(&e.Dispatch)
	case "session":
		return &e.Session
	case "parent":
		return (*string)(&e.Parent)
	case "title":
		return &e.Title
	case "acceptance":
		return &e.Acceptance
	case "report":
		return (*string)(&e.Report)
	case "request":
		return (*string)(&e.Request)
	case "to":
		return (*string)(&e.To)
	case "summary", "decision", "text":
		return &e.Text
	case "verdict":
		return (*string)(&e.Verdict)
	}
	return nil
}

// number reads a small number that is not negative.
func number(r *wire.Reader) (int, error) {
	n, err := r.Int()
	if err == nil && (n < 0 || n > 1<<30) {
		err = fmt.Errorf("%d is no number of events", n)
	}
	return int(n), err
}

func readPointers(r *wire.Reader) ([]Pointer, error) {
	texts, err := r.Strings()
	if err != nil {
		return nil, err
	}
	var out []Pointer
	for _, s := range texts {
		p, err := ParsePointer(s)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// check checks an event alone against the bounds. What the item says to it is Apply's.
func (e *Event) check() error {
	switch e.Kind {
	case KindCreate:
		return errors.Join(checkLine("title", e.Title, MaxTitle), checkText("acceptance", e.Acceptance, MaxAccept, true),
			checkText("session", e.Session, MaxSession, false), checkPlace(e.Parent, e.Depth))
	case KindBind:
		return CheckID("dispatch", e.Dispatch)
	case KindReport:
		return errors.Join(CheckID("dispatch", e.Dispatch), checkReport(e.Report), checkLine("summary", e.Text, MaxSummary),
			checkArtifacts(e.Artifacts))
	case KindDecision:
		return checkDecision(e.Text)
	case KindVerdict:
		if e.Dispatch != "" && !e.Dispatch.Valid() {
			return CheckID("dispatch", e.Dispatch)
		}
		return checkVerdict(e.Verdict)
	case KindRequest:
		return errors.Join(CheckID("dispatch", e.Dispatch), checkRequest(e.Request), CheckID("to", e.To), checkLine("text", e.Text, MaxRequest))
	}
	return nil
}

// CheckID checks that a field holds an id as they are minted.
func CheckID(field string, id store.ID) error {
	if !id.Valid() {
		return refuse(FieldInvalid, "%s %q is no id", field, string(id)).in(field)
	}
	return nil
}

func checkPlace(parent store.ID, depth int) error {
	switch {
	case parent == "" && depth == 1:
		return nil
	case depth > MaxDepth:
		return refuse(DepthExceeded, "an item below item %q would lie %d deep: at most %d", string(parent), depth, MaxDepth).of(parent)
	case depth < 2:
		return refuse(FieldInvalid, "depth %d does not fit to the parent %q", depth, string(parent)).in("depth")
	}
	return CheckID("parent", parent)
}

func checkReport(k ReportKind) error {
	if !slices.Contains(ReportKinds(), k) {
		return refuse(FieldInvalid, "kind %q is not one of progress, done, blocked, question", string(k)).in("kind")
	}
	return nil
}

func checkRequest(k RequestKind) error {
	if !slices.Contains(RequestKinds(), k) {
		return refuse(FieldInvalid, "kind %q is not one of relay, channel", string(k)).in("kind")
	}
	return nil
}

func checkVerdict(v dispatch.Verdict) error {
	if !slices.Contains(dispatch.Verdicts(), v) {
		return refuse(FieldInvalid, "verdict %q is not one of ready, not-ready, blocked, abandoned", string(v)).in("verdict")
	}
	return nil
}

func checkDecision(text string) error {
	return errors.Join(notEmpty("decision", text), checkText("decision", text, MaxDecision, true))
}

func checkArtifacts(ps []Pointer) error {
	if len(ps) > MaxReported {
		return refuse(ArtifactCapExceeded, "%d artifacts in one report: at most %d", len(ps), MaxReported).in("artifact")
	}
	return nil
}
