package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mcpserver"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// desk is a worker and a conductor of the test's own: it keeps what it was given.
type desk struct {
	got any
	do  func(context.Context) (mcpserver.Answer, error)
}

func (d *desk) take(ctx context.Context, args any) (mcpserver.Answer, error) {
	d.got = args
	if d.do != nil {
		return d.do(ctx)
	}
	return mcpserver.Answer{JSON: []byte(`{"ok":true}`)}, nil
}

func (d *desk) Brief(ctx context.Context, a mcpserver.BriefArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Report(ctx context.Context, a mcpserver.ReportArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Request(ctx context.Context, a mcpserver.RequestArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Message(ctx context.Context, a mcpserver.MessageArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Read(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Record(ctx context.Context, a mcpserver.RecordArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Dispatch(ctx context.Context, a mcpserver.DispatchArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func (d *desk) Release(ctx context.Context, a mcpserver.ReleaseArgs) (mcpserver.Answer, error) {
	return d.take(ctx, a)
}

func worker(d *desk, own string) *mcpserver.Server {
	return mcpserver.New(mcpserver.Options{Worker: d, Own: own})
}

func conductor(d *desk) *mcpserver.Server {
	return mcpserver.New(mcpserver.Options{Conductor: d})
}

func names(s *mcpserver.Server) []string {
	var out []string
	for _, t := range s.Tools() {
		out = append(out, t.Name)
	}
	return out
}

// A worker's server has no tool of the conductor's, and the other way round.
func TestToolsOfEachRole(t *testing.T) {
	w, c := worker(&desk{}, ""), conductor(&desk{})
	require.Equal(t, []string{"work_brief", "work_report", "work_request", "work_message"}, names(w))
	require.Equal(t, []string{"work_ledger_read", "work_ledger_record", "work_dispatch", "work_release"}, names(c))
	for _, pair := range []struct{ s, other *mcpserver.Server }{{w, c}, {c, w}} {
		for _, name := range names(pair.other) {
			r := pair.s.Call(context.Background(), name, nil)
			require.True(t, r.Failed)
			require.Contains(t, string(r.JSON), `"code":"usage"`)
		}
	}
}

// The tools as clients see them.
func TestGolden(t *testing.T) {
	for name, s := range map[string]*mcpserver.Server{
		"worker": worker(&desk{}, ""), "worker-own": worker(&desk{}, "01"), "conductor": conductor(&desk{}),
	} {
		var all []any
		for _, tool := range s.Tools() {
			all = append(all, map[string]any{
				"name": tool.Name, "title": tool.Title, "about": tool.About, "input": json.RawMessage(tool.Input), "output": json.RawMessage(tool.Output),
				"read_only": tool.ReadOnly, "idempotent": tool.Idempotent, "destructive": tool.Destructive,
			})
		}
		var got bytes.Buffer
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(t, enc.Encode(map[string]any{"instructions": s.Instructions(), "tools": all}))
		file := filepath.Join("testdata", name+".json")
		if *update {
			require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got.String(), "go test ./mcpserver -update")
	}
}

// What a call is given, and what is wrong with others: the code is always usage.
func TestArguments(t *testing.T) {
	report := mcpserver.ReportArgs{Dispatch: "01A", Kind: ledger.Done, Summary: "it works", Artifacts: []string{"pr:12"}}
	for _, c := range []struct {
		tool, args string
		want       any
		says       string
	}{
		{tool: "work_brief", args: `{"dispatch":"01A"}`, want: mcpserver.BriefArgs{Dispatch: "01A"}},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"it works","artifacts":["pr:12"]}`, want: report},
		{tool: "work_ledger_read", args: ``, want: mcpserver.ReadArgs{}},
		{tool: "work_ledger_read", args: `null`, want: mcpserver.ReadArgs{}},
		{tool: "work_ledger_read", args: `{}`, want: mcpserver.ReadArgs{}},
		{tool: "work_ledger_read", args: `{"item":null}`, want: mcpserver.ReadArgs{}},
		{tool: "work_ledger_read", args: `{"item":"01B"}`, want: mcpserver.ReadArgs{Item: "01B"}},
		{tool: "work_ledger_record", args: `{"action":"goal","goal":"ship"}`, want: mcpserver.RecordArgs{Action: "goal", Goal: "ship"}},
		{tool: "work_ledger_record", args: `{"action":"verdict","item":"01B","verdict":"not-ready"}`, want: mcpserver.RecordArgs{Action: "verdict", Item: "01B", Verdict: dispatch.VerdictNotReady}},
		{tool: "work_dispatch", args: `{"unit":"U03","max_depth":2,"read_only":true,"exempt":["a","b"]}`, want: mcpserver.DispatchArgs{Unit: "U03", MaxDepth: 2, ReadOnly: true, Exempt: []string{"a", "b"}}},
		{tool: "work_release", args: `{"unit":"U03","verdict":"ready","generation":3}`, want: mcpserver.ReleaseArgs{Unit: "U03", Verdict: dispatch.VerdictReady, Generation: 3}},
		// A text that is too long for the ledger is the ledger's to refuse.
		{tool: "work_ledger_record", args: `{"action":"create","title":"` + strings.Repeat("x", 121) + `"}`, want: mcpserver.RecordArgs{Action: "create", Title: strings.Repeat("x", 121)}},

		{tool: "work_request", args: `{"dispatch":"01A","kind":"relay","to":"01B","text":"t"}`, want: mcpserver.RequestArgs{Dispatch: "01A", Kind: ledger.AskRelay, To: "01B", Text: "t"}},
		{tool: "work_message", args: `{"dispatch":"01A","action":"send","to":"01B","text":"t"}`, want: mcpserver.MessageArgs{Dispatch: "01A", Action: "send", To: "01B", Text: "t"}},
		{tool: "work_message", args: `{"dispatch":"01A","action":"read","again":true}`, want: mcpserver.MessageArgs{Dispatch: "01A", Action: "read", Again: true}},
		{tool: "work_ledger_read", args: `{"channels":true}`, want: mcpserver.ReadArgs{Channels: true}},
		{tool: "work_ledger_record", args: `{"action":"channel_open","from":"01A","to":"01B","messages":4}`, want: mcpserver.RecordArgs{Action: "channel_open", From: "01A", To: "01B", Messages: 4}},
		{tool: "work_request", args: `{"dispatch":"01A","kind":"shout","to":"01B","text":"t"}`, says: `is not one of relay, channel`},
		{tool: "work_request", args: `{"dispatch":"01A","kind":"relay","text":"t"}`, says: `\"to\" is missing`},
		{tool: "work_message", args: `{"action":"read"}`, says: `\"dispatch\" is missing`},
		{tool: "work_message", args: `{"dispatch":"01A","action":"send","to":"01B"}`, says: `\"text\" is missing: the action \"send\" needs`},
		{tool: "work_message", args: `{"dispatch":"01A","action":"send","to":"01B","text":"t","again":true}`, says: `\"again\" is no argument of the action \"send\"`},
		{tool: "work_message", args: `{"dispatch":"01A","action":"read","to":"01B"}`, says: `\"to\" is no argument of the action \"read\"`},
		{tool: "work_ledger_read", args: `{"with":"01B"}`, says: `\"item\" is missing`},
		{tool: "work_ledger_read", args: `{"item":"01B","channels":true}`, says: `\"channels\" goes without \"item\"`},
		{tool: "work_ledger_record", args: `{"action":"channel_open","from":"01A","to":"01B","messages":51}`, says: `51 is out of range: 1 to 50`},

		{tool: "work_brief", args: ``, says: `"dispatch" is missing`},
		{tool: "work_brief", args: `{}`, says: `"dispatch" is missing`},
		{tool: "work_brief", args: `{"dispatch":null}`, says: `"dispatch" is missing`},
		{tool: "work_brief", args: `{"dispatch":"01A","dispatch":"01B"}`, says: `the arguments cannot be read`},
		{tool: "work_brief", args: `{"dispatch":"01A","Dispatch":"01B"}`, says: `the arguments cannot be read`},
		{tool: "work_brief", args: `{"DISPATCH":"01A"}`, says: `there is no argument \"DISPATCH\"`},
		{tool: "work_brief", args: `{"dispatch":"01A"}{}`, says: `the arguments cannot be read`},
		{tool: "work_brief", args: `{"dispatch":"01A"`, says: `the arguments cannot be read`},
		{tool: "work_brief", args: `["01A"]`, says: `the arguments cannot be read`},
		{tool: "work_brief", args: `{"dispatch":7}`, says: `\"dispatch\": expected`},
		{tool: "work_brief", args: `{"dispatch":"` + strings.Repeat("x", 4097) + `"}`, says: `too long`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"great","summary":"x"}`, says: `\"great\" is not one of progress, done, blocked, question`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done"}`, says: `\"summary\" is missing`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"x","item":"01B"}`, says: `there is no argument \"item\"`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"x","artifacts":"pr:12"}`, says: `\"artifacts\": expected`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"x","artifacts":[1]}`, says: `\"artifacts\": expected`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"x","artifacts":["a","a","a","a","a","a","a"]}`, says: `7 elements: at most 6`},
		{tool: "work_report", args: `{"dispatch":"01A","kind":"done","summary":"x","artifacts":["` + strings.Repeat("x", 4097) + `"]}`, says: `too long`},
		{tool: "work_ledger_record", args: `{}`, says: `\"action\" is missing`},
		{tool: "work_ledger_record", args: `{"action":"delete","item":"01B"}`, says: `is not one of goal, create`},
		{tool: "work_ledger_record", args: `{"action":"goal"}`, says: `\"goal\" is missing`},
		{tool: "work_ledger_record", args: `{"action":"bind","item":"01B"}`, says: `\"dispatch\" is missing: the action \"bind\" needs \"item\", \"dispatch\"`},
		{tool: "work_ledger_record", args: `{"action":"close","item":"01B","title":"x"}`, says: `\"title\" is no argument of the action \"close\", which takes \"item\"`},
		{tool: "work_dispatch", args: `{}`, says: `\"unit\" is missing`},
		{tool: "work_dispatch", args: `{"unit":"U03","role":"boss"}`, says: `is not one of reviewer, worker`},
		{tool: "work_dispatch", args: `{"unit":"U03","max_depth":10}`, says: `10 is out of range: 0 to 9`},
		{tool: "work_dispatch", args: `{"unit":"U03","max_depth":-1}`, says: `-1 is out of range`},
		{tool: "work_dispatch", args: `{"unit":"U03","max_depth":1.5}`, says: `\"max_depth\": `},
		{tool: "work_dispatch", args: `{"unit":"U03","read_only":"yes"}`, says: `\"read_only\": expected`},
		{tool: "work_release", args: `{"verdict":"ready"}`, says: `one of \"dispatch\" and \"unit\" is needed`},
		{tool: "work_release", args: `{"verdict":"ready","unit":""}`, says: `one of \"dispatch\" and \"unit\" is needed`},
		{tool: "work_release", args: `{"verdict":"ready","unit":"U03","dispatch":"01A"}`, says: `one of \"dispatch\" and \"unit\" is needed`},
		{tool: "work_release", args: `{"unit":"U03"}`, says: `\"verdict\" is missing`},
		{tool: "work_release", args: `{"unit":"U03","verdict":"READY"}`, says: `is not one of ready`},
		{tool: "work_release", args: `{"unit":"U03","verdict":"ready","generation":0}`, says: `0 is out of range: at least 1`},
		{tool: "work_release", args: `{"unit":"U03","verdict":"ready","generation":-1}`, says: `is out of range`},
	} {
		d := &desk{}
		s := worker(d, "")
		if !slices.Contains(names(s), c.tool) {
			s = conductor(d)
		}
		r := s.Call(context.Background(), c.tool, []byte(c.args))
		if c.says == "" {
			require.False(t, r.Failed, "%s %s: %s", c.tool, c.args, r.JSON)
			require.Equal(t, c.want, d.got)
			continue
		}
		require.Nil(t, d.got, c.args)
		code, message, hint := refused(t, r)
		require.Equal(t, "usage", code, c.args)
		require.Contains(t, message, strings.ReplaceAll(c.says, `\"`, `"`), c.args)
		require.NotEmpty(t, hint, c.args)
	}
}

func refused(t *testing.T, r mcpserver.Result) (code, message, hint string) {
	t.Helper()
	require.True(t, r.Failed, "%s", r.JSON)
	var doc struct {
		Error struct{ Code, Message, Hint string }
	}
	dec := json.NewDecoder(bytes.NewReader(r.JSON))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&doc))
	return doc.Error.Code, doc.Error.Message, doc.Error.Hint
}

// Where the environment says which dispatch it is, a worker need not.
func TestOwnDispatchNeedNotBeNamed(t *testing.T) {
	d := &desk{}
	require.False(t, worker(d, "01A").Call(context.Background(), "work_brief", []byte(`{}`)).Failed)
	require.Equal(t, mcpserver.BriefArgs{}, d.got)
	require.True(t, worker(&desk{}, "").Call(context.Background(), "work_brief", []byte(`{}`)).Failed)
}

// Every action takes exactly what the table says.
func TestActions(t *testing.T) {
	values := map[string]any{
		"goal": "g", "item": "i", "title": "t", "acceptance": "a", "parent": "p", "session": "s", "dispatch": "d", "decision": "d", "verdict": "ready",
		"from": "f", "to": "t", "text": "t", "ttl": "1h", "messages": 5,
	}
	for _, a := range mcpserver.Actions() {
		need, may := a.Fields()
		require.NotEmpty(t, need, a)
		call := func(fields []string) mcpserver.Result {
			doc := map[string]any{"action": a}
			for _, f := range fields {
				doc[f] = values[f]
			}
			args, err := json.Marshal(doc)
			require.NoError(t, err)
			return conductor(&desk{}).Call(context.Background(), "work_ledger_record", args)
		}
		require.False(t, call(need).Failed, a)
		require.False(t, call(slices.Concat(need, may)).Failed, a)
		for i, f := range need {
			_, message, _ := refused(t, call(slices.Delete(slices.Clone(need), i, i+1)))
			require.Contains(t, message, strconv.Quote(f)+" is missing")
		}
		for f := range values {
			if !slices.Contains(need, f) && !slices.Contains(may, f) {
				_, message, _ := refused(t, call(append(slices.Clone(need), f)))
				require.Contains(t, message, strconv.Quote(f)+" is no argument of")
			}
		}
	}
}

// A refusal keeps its code; anything else that goes wrong has one too.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err                 error
		code, message, hint string
	}{
		{&mcpserver.Error{Code: "not_bound", Message: "m", Hint: "h"}, "not_bound", "m", "h"},
		{errors.Join(&mcpserver.Error{Code: "conflict", Message: "m"}), "conflict", "m", ""},
		{errors.New("the disk is full"), "failed", "the disk is full", ""},
	} {
		d := &desk{do: func(context.Context) (mcpserver.Answer, error) { return mcpserver.Answer{}, c.err }}
		code, message, hint := refused(t, conductor(d).Call(context.Background(), "work_ledger_read", nil))
		require.Equal(t, []string{c.code, c.message, c.hint}, []string{code, message, hint})
	}
}

// What a refusal is written as is read back; nothing else is taken for one.
func TestDecodeError(t *testing.T) {
	require.Equal(t, &mcpserver.Error{Code: "c", Message: "m", Hint: "h"}, mcpserver.DecodeError([]byte(`{"error":{"code":"c","message":"m","hint":"h","more":1}}`)))
	for _, doc := range []string{``, `{}`, `{"error":{}}`, `{"error":"c"}`, `{"item":"x"}`, `{"error":{"code":7}}`} {
		require.ErrorContains(t, mcpserver.DecodeError([]byte(doc)), "cannot be read", doc)
	}
}

// A defect is an answer, and not the end of the process.
func TestPanicIsARefusal(t *testing.T) {
	d := &desk{do: func(context.Context) (mcpserver.Answer, error) { panic("index out of range") }}
	code, message, hint := refused(t, conductor(d).Call(context.Background(), "work_ledger_read", nil))
	require.Equal(t, "internal", code)
	require.Contains(t, message, "index out of range")
	require.NotEmpty(t, hint)
}

// A call that hangs has an answer when the time is up, also where it does not look
// at its context; and its context has ended.
func TestCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var ended error
		d := &desk{do: func(ctx context.Context) (mcpserver.Answer, error) {
			<-release
			ended = ctx.Err()
			return mcpserver.Answer{}, nil
		}}
		began := time.Now()
		code, _, hint := refused(t, conductor(d).Call(context.Background(), "work_ledger_read", nil))
		require.Equal(t, "timeout", code)
		require.NotEmpty(t, hint)
		require.Equal(t, mcpserver.DefaultLimit, time.Since(began))
		close(release)
		synctest.Wait()
		require.ErrorIs(t, ended, context.DeadlineExceeded)
	})
}

// The notes of a call come with its answer.
func TestNotes(t *testing.T) {
	d := &desk{do: func(context.Context) (mcpserver.Answer, error) {
		return mcpserver.Answer{JSON: []byte(`{}`), Notes: []string{"no hook"}}, nil
	}}
	require.Equal(t, mcpserver.Result{JSON: []byte(`{}`), Notes: []string{"no hook"}}, conductor(d).Call(context.Background(), "work_ledger_read", nil))
}

// No argument makes a call do more than be refused or be given on.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{`{"action":"create","title":"t"}`, `{"action":"bind","item":"i","dispatch":"d"}`, `{"action":"goal","goal":null}`, `[]`, `{"a":{"a":1}}`, ``} {
		f.Add([]byte(args))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		for _, name := range []string{"work_ledger_record", "work_dispatch", "work_release", "work_ledger_read"} {
			d := &desk{}
			r := conductor(d).Call(context.Background(), name, args)
			require.Equal(t, r.Failed, d.got == nil)
			require.True(t, json.Valid(r.JSON))
			if r.Failed {
				code, _, _ := refused(t, r)
				require.Equal(t, "usage", code)
			}
			if rec, ok := d.got.(mcpserver.RecordArgs); ok {
				require.Contains(t, mcpserver.Actions(), rec.Action)
			}
		}
	})
}
