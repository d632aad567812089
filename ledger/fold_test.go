package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// somePointers draws pointers of a few values, so that they recur.
func somePointers(t *rapid.T) []ledger.Pointer {
	texts := []string{"pr:1", "pr:2", "commit:0123abc", "path:docs/a.md", "url:https://example.org/a", "ticket:ABC-1"}
	var out []ledger.Pointer
	for _, s := range rapid.SliceOfN(rapid.SampledFrom(texts), 0, 3).Draw(t, "artifacts") {
		out = append(out, pointer(t, s))
	}
	return out
}

func someText(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"one", "two", "a \"quoted\" text", "größer"}).Draw(t, label)
}

// step plans one random event of an item.
func step(t *rapid.T, it *ledger.Item, now time.Time) (ledger.Event, error) {
	worker := rapid.SampledFrom([]store.ID{disp1, disp2}).Draw(t, "dispatch")
	switch rapid.SampledFrom([]string{"bind", "report", "report", "report", "request", "decide", "verdict", "close"}).Draw(t, "what") {
	case "bind":
		return it.PlanBind(worker, rapid.Bool().Draw(t, "busy"), now)
	case "decide":
		return it.PlanDecision(someText(t, "decision"), now)
	case "verdict":
		v := rapid.SampledFrom(dispatch.Verdicts()).Draw(t, "verdict")
		return it.PlanVerdict(v, rapid.SampledFrom([]store.ID{"", worker}).Draw(t, "for"), now)
	case "request":
		return it.PlanRequest(worker, ledger.Request{Kind: ledger.AskRelay, Text: someText(t, "request")}, &ledger.Item{ID: item3}, now)
	case "close":
		if rapid.IntRange(0, 9).Draw(t, "really") > 0 {
			return ledger.Event{}, ledger.ErrSame
		}
		return it.PlanClose(now)
	}
	kind := rapid.SampledFrom(ledger.ReportKinds()).Draw(t, "kind")
	return it.PlanReport(worker, ledger.Report{Kind: kind, Summary: someText(t, "summary"), Artifacts: somePointers(t)}, now)
}

// history is what a random item's life wrote, with every event in it.
func history(t *rapid.T) []ledger.Event {
	b := ledger.Board{}
	e, err := b.PlanCreate(ledger.New{Title: someText(t, "title"), Session: "s1"}, start)
	require.NoError(t, err)
	events := []ledger.Event{e}
	it, err := ledger.Fold(item1, events)
	require.NoError(t, err)
	for i := range rapid.IntRange(0, 40).Draw(t, "steps") {
		before := it
		e, err := step(t, &it, start.Add(time.Duration(i)*time.Second))
		require.Equal(t, before, it, "a plan changes nothing")
		if err != nil {
			continue
		}
		require.NoError(t, it.Apply(e), "what was planned can be applied")
		events = append(events, e)
	}
	return events
}

// What is folded at once is what was folded step by step, and leaving out the
// events that were replaced changes nothing but their number.
func TestFoldAndCompact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := history(t)
		whole, err := ledger.Fold(item1, events)
		require.NoError(t, err)
		compact := ledger.Compact(events)
		got, err := ledger.Fold(item1, compact)
		require.NoError(t, err)
		require.Equal(t, whole, got)
		require.Len(t, compact, whole.Events)
		for i, e := range compact {
			require.Equal(t, i+1, e.Seq)
		}
		// A lost event in the middle is noticed.
		if n := len(compact); n > 2 {
			at := rapid.IntRange(0, n-2).Draw(t, "lost")
			_, err := ledger.Fold(item1, append(append([]ledger.Event{}, compact[:at]...), compact[at+1:]...))
			require.ErrorIs(t, err, store.ErrDamaged)
		}
	})
}

func TestFoldOfOneOfEach(t *testing.T) {
	it, err := ledger.Fold(item1, oneOfEach(t))
	require.NoError(t, err)
	require.Equal(t, ledger.StatusClosed, it.Status)
	require.Equal(t, ledger.StateClosed, it.State)
	require.Equal(t, 1, it.Round)
	require.Equal(t, 1, it.Fails)
	require.Equal(t, dispatch.VerdictNotReady, it.Verdict)
	require.Equal(t, disp1, it.JudgedFor)
	require.Equal(t, "go on\nso", it.Decision)
	require.Equal(t, `a "summary"`, it.Summary)
	require.Len(t, it.Artifacts, 2)
	_, err = ledger.Fold(item1, nil)
	require.ErrorIs(t, err, ledger.UnknownItem)
	_, err = ledger.Fold(item1, oneOfEach(t)[1:])
	require.ErrorIs(t, err, store.ErrDamaged)
	_, err = ledger.Fold(item1, append(oneOfEach(t), ledger.Event{Seq: 8, Kind: ledger.KindDecision}))
	require.ErrorIs(t, err, store.ErrDamaged)
}

// made is an item with some events, and does does one more.
func made(t *testing.T) *ledger.Item {
	b := ledger.Board{}
	it := &ledger.Item{ID: item1}
	do(t, it)(b.PlanCreate(ledger.New{Title: "t"}, start))
	return it
}

func do(t *testing.T, it *ledger.Item) func(ledger.Event, error) {
	return func(e ledger.Event, err error) {
		t.Helper()
		require.NoError(t, err)
		require.NoError(t, it.Apply(e))
	}
}

func say(kind ledger.ReportKind, text string, ps ...ledger.Pointer) ledger.Report {
	return ledger.Report{Kind: kind, Summary: text, Artifacts: ps}
}

// Scripts and other programs hold on to these names and bounds.
func TestNamesAndBounds(t *testing.T) {
	require.Equal(t, []ledger.Code{
		"unknown_item", "item_closed", "not_bound", "already_bound", "item_cap_exceeded", "event_cap_exceeded", "artifact_cap_exceeded",
		"depth_exceeded", "field_too_long", "field_invalid", "bad_pointer", "no_channel", "channel_expired", "channel_exhausted",
		"channel_open", "channel_cap_exceeded",
	}, ledger.Codes())
	require.Equal(t, []ledger.Kind{"create", "bind", "report", "decision", "verdict", "close", "request"}, ledger.Kinds())
	require.Equal(t, []ledger.Status{"new", "working", "blocked", "question", "done", "closed"}, ledger.Statuses())
	require.Equal(t, []ledger.State{"waiting", "bound", "judged", "closed"}, ledger.States())
	require.Equal(t, []ledger.ReportKind{"progress", "done", "blocked", "question"}, ledger.ReportKinds())
	require.Equal(t, []ledger.RequestKind{"relay", "channel"}, ledger.RequestKinds())
	require.Equal(t, []ledger.PointerType{"pr", "commit", "path", "url", "ticket"}, ledger.PointerTypes())
	require.Equal(t, []int{32, 256, 200, 2, 6, 24}, []int{
		ledger.MaxOpen, ledger.MaxStored, ledger.MaxEvents, ledger.MaxDepth, ledger.MaxReported, ledger.MaxArtifacts,
	})
	require.Equal(t, []int{1000, 120, 4000, 1000, 500, 500}, []int{
		ledger.MaxGoal, ledger.MaxTitle, ledger.MaxAccept, ledger.MaxDecision, ledger.MaxSummary, ledger.MaxRequest,
	})
	require.Equal(t, 30*time.Minute, ledger.StaleAfter)
}

// The statuses and states that an item goes through.
func TestLife(t *testing.T) {
	it := made(t)
	at := func(status ledger.Status, state ledger.State, round, events int) {
		t.Helper()
		require.Equal(t, []any{status, state, round, events}, []any{it.Status, it.State, it.Round, it.Events})
	}
	at("new", "waiting", 0, 1)
	do(t, it)(it.PlanBind(disp1, false, start))
	at("working", "bound", 1, 2)
	do(t, it)(it.PlanReport(disp1, say(ledger.Question, "which?"), start))
	at("question", "bound", 1, 3)
	do(t, it)(it.PlanDecision("that", start))
	at("question", "bound", 1, 4)
	do(t, it)(it.PlanReport(disp1, say(ledger.Blocked, "no"), start))
	at("blocked", "bound", 1, 5)
	do(t, it)(it.PlanReport(disp1, say(ledger.Progress, "p"), start))
	at("working", "bound", 1, 6)
	do(t, it)(it.PlanReport(disp1, say(ledger.Done, "d"), start))
	at("done", "bound", 1, 7)
	do(t, it)(it.PlanVerdict("not-ready", disp1, start))
	at("done", "judged", 1, 8)
	do(t, it)(it.PlanBind(disp2, false, start))
	at("working", "bound", 2, 9)
	require.Empty(t, it.Verdict)
	require.Equal(t, 1, it.Fails)
	do(t, it)(it.PlanClose(start))
	at("closed", "closed", 2, 10)
}

// A round fails once, however often it is judged, and not when it is judged ready after
// all.
func TestFails(t *testing.T) {
	it := made(t)
	for _, tt := range []struct {
		verdict dispatch.Verdict
		by      store.ID
		fails   int
	}{
		{dispatch.VerdictNotReady, "", 1}, {dispatch.VerdictNotReady, disp1, 1}, {dispatch.VerdictBlocked, disp1, 1},
		{dispatch.VerdictReady, disp1, 0}, {dispatch.VerdictAbandoned, disp1, 0}, {dispatch.VerdictBlocked, disp1, 1},
	} {
		do(t, it)(it.PlanVerdict(tt.verdict, tt.by, start))
		require.Equal(t, tt.fails, it.Fails, tt)
	}
	do(t, it)(it.PlanBind(disp2, false, start))
	do(t, it)(it.PlanVerdict(dispatch.VerdictNotReady, disp2, start))
	require.Equal(t, 2, it.Fails)
}

// Progress that follows progress takes its place, unless something would be lost.
func TestProgressCoalesces(t *testing.T) {
	it := made(t)
	do(t, it)(it.PlanBind(disp1, false, start))
	for i := range 500 {
		do(t, it)(it.PlanReport(disp1, say(ledger.Progress, fmt.Sprint(i)), start.Add(time.Minute)))
	}
	require.Equal(t, 3, it.Events)
	require.Equal(t, "499", it.Summary)
	do(t, it)(it.PlanReport(disp1, say(ledger.Progress, "with", pointer(t, "pr:1")), start))
	require.Equal(t, 3, it.Events)
	do(t, it)(it.PlanReport(disp1, say(ledger.Progress, "after"), start))
	require.Equal(t, 4, it.Events, "the event with an artifact stays")
	do(t, it)(it.PlanDecision("so", start))
	do(t, it)(it.PlanReport(disp1, say(ledger.Progress, "then"), start))
	require.Equal(t, 6, it.Events, "something was between them")
}

// What was said already is not said again.
func TestRepeated(t *testing.T) {
	it := made(t)
	do(t, it)(it.PlanBind(disp1, false, start))
	_, err := it.PlanBind(disp1, true, start)
	require.ErrorIs(t, err, ledger.ErrSame)
	r := say(ledger.Done, "d", pointer(t, "pr:1"))
	do(t, it)(it.PlanReport(disp1, r, start))
	_, err = it.PlanReport(disp1, r, start.Add(time.Hour))
	require.ErrorIs(t, err, ledger.ErrSame)
	for _, other := range []ledger.Report{say(ledger.Done, "e", pointer(t, "pr:1")), say(ledger.Blocked, "d", pointer(t, "pr:1")), say(ledger.Done, "d"), say(ledger.Done, "d", pointer(t, "pr:2"))} {
		_, err = it.PlanReport(disp1, other, start)
		require.NoError(t, err, "%v says something else", other)
	}
	do(t, it)(it.PlanDecision("so", start))
	_, err = it.PlanDecision("so", start)
	require.ErrorIs(t, err, ledger.ErrSame)
	q, other := ledger.Request{Kind: ledger.AskChannel, Text: "which?"}, &ledger.Item{ID: item2}
	do(t, it)(it.PlanRequest(disp1, q, other, start))
	_, err = it.PlanRequest(disp1, q, other, start)
	require.ErrorIs(t, err, ledger.ErrSame)
	_, err = it.PlanReport(disp1, r, start)
	require.NoError(t, err, "said again to a decision, it is new")
	do(t, it)(it.PlanVerdict("ready", disp1, start))
	do(t, it)(it.PlanDecision("and", start))
	_, err = it.PlanVerdict("ready", disp1, start)
	require.ErrorIs(t, err, ledger.ErrSame, "a release may be repeated, whatever came since")
	do(t, it)(it.PlanVerdict("ready", "", start))
	do(t, it)(it.PlanClose(start))
	_, err = it.PlanClose(start)
	require.ErrorIs(t, err, ledger.ErrSame)
}

// Each refusal has its code, and comes before anything is changed.
func TestRefusals(t *testing.T) {
	board := func(n int, state ledger.State) *ledger.Board {
		b := &ledger.Board{}
		for range n {
			b.Items = append(b.Items, ledger.Item{ID: item2, State: state, Depth: 1, Events: 1})
		}
		return b
	}
	create := func(b *ledger.Board, n ledger.New) error {
		_, err := b.PlanCreate(n, start)
		return err
	}
	with := func(edit func(*ledger.Item), plan func(*ledger.Item) (ledger.Event, error)) error {
		it := made(t)
		do(t, it)(it.PlanBind(disp1, false, start))
		edit(it)
		_, err := plan(it)
		return err
	}
	none := func(*ledger.Item) {}
	shut := func(it *ledger.Item) { do(t, it)(it.PlanClose(start)) }
	full := func(n int) func(*ledger.Item) { return func(it *ledger.Item) { it.Events = n } }
	report := func(r ledger.Report) func(*ledger.Item) (ledger.Event, error) {
		return func(it *ledger.Item) (ledger.Event, error) { return it.PlanReport(disp1, r, start) }
	}
	decide := func(text string) func(*ledger.Item) (ledger.Event, error) {
		return func(it *ledger.Item) (ledger.Event, error) { return it.PlanDecision(text, start) }
	}
	bind := func(id store.ID, busy bool) func(*ledger.Item) (ledger.Event, error) {
		return func(it *ledger.Item) (ledger.Event, error) { return it.PlanBind(id, busy, start) }
	}
	judge := func(v dispatch.Verdict) func(*ledger.Item) (ledger.Event, error) {
		return func(it *ledger.Item) (ledger.Event, error) { return it.PlanVerdict(v, "", start) }
	}
	ask := func(r ledger.Request, to ledger.Item) func(*ledger.Item) (ledger.Event, error) {
		return func(it *ledger.Item) (ledger.Event, error) { return it.PlanRequest(disp1, r, &to, start) }
	}
	port := ledger.Request{Kind: ledger.AskRelay, Text: "which port?"}
	other := ledger.Item{ID: item2, State: ledger.StateBound}
	var many []ledger.Pointer
	for i := range ledger.MaxArtifacts {
		many = append(many, pointer(t, fmt.Sprintf("pr:%d", i+1)))
	}
	x := func(n int) string { return strings.Repeat("x", n) }
	deep := &ledger.Board{Items: []ledger.Item{{ID: item2, State: ledger.StateWaiting, Depth: 2, Events: 1}}}
	for name, c := range map[string]struct {
		err   error
		code  ledger.Code
		field string
	}{
		"title":                   {create(board(0, ""), ledger.New{Title: x(121)}), ledger.FieldTooLong, "title"},
		"no title":                {create(board(0, ""), ledger.New{Title: " "}), ledger.FieldInvalid, "title"},
		"a title of two lines":    {create(board(0, ""), ledger.New{Title: "a\nb"}), ledger.FieldInvalid, "title"},
		"acceptance":              {create(board(0, ""), ledger.New{Title: "t", Acceptance: x(4001)}), ledger.FieldTooLong, "acceptance"},
		"acceptance with escapes": {create(board(0, ""), ledger.New{Title: "t", Acceptance: "a\x1b[2J"}), ledger.FieldInvalid, "acceptance"},
		"session":                 {create(board(0, ""), ledger.New{Title: "t", Session: x(501)}), ledger.FieldTooLong, "session"},
		"goal":                    {ledger.CheckGoal(x(1001)), ledger.FieldTooLong, "goal"},
		"no goal":                 {ledger.CheckGoal(""), ledger.FieldInvalid, "goal"},
		"open items":              {create(board(32, ledger.StateWaiting), ledger.New{Title: "t"}), ledger.ItemCapExceeded, ""},
		"stored items":            {create(board(256, ledger.StateClosed), ledger.New{Title: "t"}), ledger.ItemCapExceeded, ""},
		"no parent":               {create(board(0, ""), ledger.New{Title: "t", Parent: item2}), ledger.UnknownItem, ""},
		"closed parent":           {create(board(1, ledger.StateClosed), ledger.New{Title: "t", Parent: item2}), ledger.ItemClosed, ""},
		"depth":                   {create(deep, ledger.New{Title: "t", Parent: item2}), ledger.DepthExceeded, ""},
		"report to a closed item": {with(shut, report(say(ledger.Done, "d"))), ledger.ItemClosed, ""},
		"decision on a closed":    {with(shut, decide("d")), ledger.ItemClosed, ""},
		"verdict on a closed":     {with(shut, judge("ready")), ledger.ItemClosed, ""},
		"binding a closed":        {with(shut, bind(disp2, false)), ledger.ItemClosed, ""},
		"binding a busy one":      {with(none, bind(disp2, true)), ledger.AlreadyBound, ""},
		"binding the judged": {with(func(it *ledger.Item) { do(t, it)(it.PlanVerdict("ready", disp1, start)) },
			bind(disp1, false)), ledger.AlreadyBound, ""},
		"no dispatch": {with(none, bind("x", false)), ledger.FieldInvalid, "dispatch"},
		"another's": {with(none, func(it *ledger.Item) (ledger.Event, error) {
			return it.PlanReport(disp2, say(ledger.Done, "d"), start)
		}), ledger.NotBound, ""},
		"summary":                  {with(none, report(say(ledger.Done, x(501)))), ledger.FieldTooLong, "summary"},
		"no summary":               {with(none, report(say(ledger.Done, ""))), ledger.FieldInvalid, "summary"},
		"summary with overrides":   {with(none, report(say(ledger.Done, "a\u202eb"))), ledger.FieldInvalid, "summary"},
		"summary with a direction": {with(none, report(say(ledger.Done, "a\u200fb"))), ledger.FieldInvalid, "summary"},
		"summary with no width":    {with(none, report(say(ledger.Done, "a\u200bb"))), ledger.FieldInvalid, "summary"},
		"summary with tags":        {with(none, report(say(ledger.Done, "a\U000e0061b"))), ledger.FieldInvalid, "summary"},
		"summary with selectors":   {with(none, report(say(ledger.Done, "a\U000e0100b"))), ledger.FieldInvalid, "summary"},
		"summary that is not text": {with(none, report(say(ledger.Done, "a\xff"))), ledger.FieldInvalid, "summary"},
		"kind":                     {with(none, report(say("fine", "d"))), ledger.FieldInvalid, "kind"},
		"artifacts of a report":    {with(none, report(say(ledger.Done, "d", many[:7]...))), ledger.ArtifactCapExceeded, "artifact"},
		"artifacts of an item": {with(func(it *ledger.Item) { it.Artifacts = many },
			report(say(ledger.Done, "d", pointer(t, "ticket:A-1")))), ledger.ArtifactCapExceeded, ""},
		"decision":            {with(none, decide(x(1001))), ledger.FieldTooLong, "decision"},
		"no decision":         {with(none, decide("\n")), ledger.FieldInvalid, "decision"},
		"verdict":             {with(none, judge("fine")), ledger.FieldInvalid, "verdict"},
		"reports up to":       {with(full(192), report(say(ledger.Done, "d"))), ledger.EventCapExceeded, ""},
		"decisions up to":     {with(full(199), decide("d")), ledger.EventCapExceeded, ""},
		"verdicts up to":      {with(full(199), judge("ready")), ledger.EventCapExceeded, ""},
		"requests up to":      {with(full(192), ask(port, other)), ledger.EventCapExceeded, ""},
		"request of a closed": {with(shut, ask(port, other)), ledger.ItemClosed, ""},
		"request to a closed": {with(none, ask(port, ledger.Item{ID: item2, State: ledger.StateClosed})), ledger.ItemClosed, ""},
		"request to oneself":  {with(none, ask(port, ledger.Item{ID: item1})), ledger.FieldInvalid, "to"},
		"another's request": {with(none, func(it *ledger.Item) (ledger.Event, error) {
			return it.PlanRequest(disp2, port, &other, start)
		}), ledger.NotBound, ""},
		"unknown request":     {with(none, ask(ledger.Request{Kind: "shout", Text: "x"}, other)), ledger.FieldInvalid, "kind"},
		"long request":        {with(none, ask(ledger.Request{Kind: ledger.AskChannel, Text: x(501)}, other)), ledger.FieldTooLong, "text"},
		"no request":          {with(none, ask(ledger.Request{Kind: ledger.AskChannel}, other)), ledger.FieldInvalid, "text"},
		"an id of no item":    {ledger.Unknown(item1), ledger.UnknownItem, ""},
		"a dispatch of none":  {ledger.Unbound(disp1), ledger.NotBound, ""},
		"a dispatch of other": {ledger.Bound(disp1, item1), ledger.AlreadyBound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, c.err, c.code)
			for _, other := range ledger.Codes() {
				require.Equal(t, other == c.code, errors.Is(c.err, other), other)
			}
			var e *ledger.Error
			require.ErrorAs(t, c.err, &e)
			require.Equal(t, c.field, e.Field)
			require.NotContains(t, e.Error(), "\n")
		})
	}
	// At the bound itself nothing is refused.
	require.NoError(t, create(board(31, ledger.StateWaiting), ledger.New{Title: x(120), Acceptance: x(4000), Session: x(500)}))
	require.NoError(t, create(board(255, ledger.StateClosed), ledger.New{Title: "t"}))
	require.NoError(t, create(&ledger.Board{Items: []ledger.Item{{ID: item2, Depth: 1, Events: 1}}}, ledger.New{Title: "t", Parent: item2}))
	require.NoError(t, with(none, report(say(ledger.Done, x(500), many[:6]...))))
	require.NoError(t, with(full(191), ask(ledger.Request{Kind: ledger.AskChannel, Text: x(500)}, other)))
	require.NoError(t, with(full(191), report(say(ledger.Done, "d"))))
	require.NoError(t, with(full(198), decide(x(1000))))
	require.NoError(t, with(full(199), func(it *ledger.Item) (ledger.Event, error) { return it.PlanClose(start) }))
	require.NoError(t, ledger.CheckGoal(x(1000)))
}
