package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// place is a workspace, and the programs as they are built.
type place struct {
	t         *testing.T
	bin, root string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, bin: t.TempDir(), root: t.TempDir()}
	out, err := exec.Command("go", "build", "-o", p.bin+string(filepath.Separator), "../conduct", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	for _, u := range []string{"U03", "U04"} {
		require.NoError(t, os.MkdirAll(filepath.Join(p.root, "units", u), 0o755))
	}
	p.conduct("init", "--layout", "units/{unit}")
	return p
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, "conduct"), args...)
	cmd.Dir, cmd.Env = p.root, []string{"HOME=" + p.root, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func (p *place) conduct(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).Output()
	require.NoError(p.t, err)
	return strings.TrimSpace(string(out))
}

// connect starts a server and the SDK's client. What it writes to the error stream
// is kept: it must be nothing.
func (p *place) connect(role string, env ...string) *mcp.ClientSession {
	p.t.Helper()
	cmd := p.command("mcp", "--as", role)
	cmd.Env = append(cmd.Env, env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(p.t, err)
	p.t.Cleanup(func() {
		require.NoError(p.t, session.Close())
		require.Empty(p.t, errs.String())
		require.True(p.t, cmd.ProcessState.Success(), cmd.ProcessState)
	})
	return session
}

// call returns the object of a call, or the code of its refusal.
func (p *place) call(s *mcp.ClientSession, tool string, args map[string]any) (doc map[string]any, code string) {
	p.t.Helper()
	r, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(p.t, err)
	doc = r.StructuredContent.(map[string]any)
	text, err := json.Marshal(doc)
	require.NoError(p.t, err)
	require.JSONEq(p.t, string(text), r.Content[0].(*mcp.TextContent).Text)
	if refused, ok := doc["error"].(map[string]any); ok {
		require.True(p.t, r.IsError)
		return nil, refused["code"].(string)
	}
	require.False(p.t, r.IsError)
	return doc, ""
}

func listed(t *testing.T, s *mcp.ClientSession) []string {
	t.Helper()
	all, err := s.ListTools(context.Background(), nil)
	require.NoError(t, err)
	var names []string
	for _, tool := range all.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// A round of work, from the item to the verdict, by the programs that are installed;
// and each kind of refusal with its code.
func TestARound(t *testing.T) {
	p := newPlace(t)
	conductor, worker := p.connect("conductor"), p.connect("worker")
	require.ElementsMatch(t, []string{"work_ledger_read", "work_ledger_record", "work_dispatch", "work_release"}, listed(t, conductor))
	require.ElementsMatch(t, []string{"work_brief", "work_report", "work_request", "work_message"}, listed(t, worker))

	item, _ := p.call(conductor, "work_ledger_record", map[string]any{"action": "create", "title": "pay by card", "acceptance": "charged once"})
	other, _ := p.call(conductor, "work_ledger_record", map[string]any{"action": "create", "title": "send the bill"})
	got, code := p.call(conductor, "work_dispatch", map[string]any{"unit": "U03", "agent": "w", "item": item["item"]})
	require.Empty(t, code)
	require.Equal(t, "conduct:"+got["id"].(string), got["launch_line"])
	id := got["id"]

	brief, code := p.call(worker, "work_brief", map[string]any{"dispatch": id})
	require.Empty(t, code)
	require.Equal(t, "charged once", brief["acceptance"])
	require.Len(t, brief["siblings"], 1)
	report := map[string]any{"dispatch": id, "kind": "done", "summary": "it works", "artifacts": []string{"pr:12"}}
	said, code := p.call(worker, "work_report", report)
	require.Empty(t, code)
	require.Equal(t, map[string]any{"item": item["item"], "status": "done", "repeated": false}, said)
	said, _ = p.call(worker, "work_report", report)
	require.Equal(t, true, said["repeated"])

	for _, c := range []struct {
		s    *mcp.ClientSession
		tool string
		args map[string]any
		code string
	}{
		{worker, "work_brief", nil, "usage"},
		{worker, "work_brief", map[string]any{"dispatch": other["item"]}, "undispatched"},
		{worker, "work_report", map[string]any{"dispatch": id, "kind": "done", "summary": ""}, "field_invalid"},
		{worker, "work_report", map[string]any{"dispatch": id, "kind": "done", "summary": strings.Repeat("x", 501)}, "field_too_long"},
		{worker, "work_report", map[string]any{"dispatch": id, "kind": "done", "summary": "x", "artifacts": []string{"see below"}}, "bad_pointer"},
		{worker, "work_report", map[string]any{"dispatch": id, "kind": "fine", "summary": "x"}, "usage"},
		{conductor, "work_ledger_read", map[string]any{"item": id}, "unknown_item"},
		{conductor, "work_ledger_record", map[string]any{"action": "bind", "item": other["item"], "dispatch": id}, "already_bound"},
		{conductor, "work_ledger_record", map[string]any{"action": "close"}, "usage"},
		{conductor, "work_dispatch", map[string]any{"unit": "U03", "agent": "w"}, "conflict"},
		{conductor, "work_dispatch", map[string]any{"unit": "U9"}, "not_found"},
		{conductor, "work_dispatch", map[string]any{"unit": "U04", "ttl": "soon"}, "usage"},
		{conductor, "work_release", map[string]any{"unit": "U03", "verdict": "ready", "generation": 9}, "conflict"},
		{conductor, "work_release", map[string]any{"unit": "U04", "verdict": "ready"}, "not_found"},
	} {
		_, code := p.call(c.s, c.tool, c.args)
		require.Equal(t, c.code, code, "%s %v", c.tool, c.args)
	}

	// The two workers write to each other, when the conductor lets them.
	second, _ := p.call(conductor, "work_dispatch", map[string]any{"unit": "U04", "item": other["item"]})
	send := map[string]any{"dispatch": id, "action": "send", "to": other["item"], "text": "which table?"}
	_, code = p.call(worker, "work_message", send)
	require.Equal(t, "no_channel", code)
	_, code = p.call(worker, "work_request", map[string]any{"dispatch": id, "kind": "channel", "to": other["item"], "text": "for a question"})
	require.Empty(t, code)
	_, code = p.call(conductor, "work_ledger_record", map[string]any{"action": "channel_open", "from": item["item"], "to": other["item"]})
	require.Empty(t, code)
	_, code = p.call(worker, "work_message", send)
	require.Empty(t, code)
	inbox, _ := p.call(worker, "work_message", map[string]any{"dispatch": second["id"], "action": "read"})
	require.Equal(t, "which table?", inbox["messages"].([]any)[0].(map[string]any)["text"])
	written, _ := p.call(conductor, "work_ledger_read", map[string]any{"item": item["item"], "with": other["item"]})
	require.Len(t, written["log"], 3)

	receipt, code := p.call(conductor, "work_release", map[string]any{"dispatch": id, "verdict": "ready"})
	require.Empty(t, code)
	require.Equal(t, "none", receipt["evidence"])
	board, _ := p.call(conductor, "work_ledger_read", nil)
	require.Equal(t, "ready", board["items"].([]any)[0].(map[string]any)["verdict"])
	_, code = p.call(worker, "work_brief", map[string]any{"dispatch": id})
	require.Equal(t, "not_bound", code)
	_, code = p.call(conductor, "work_ledger_record", map[string]any{"action": "close", "item": item["item"]})
	require.Empty(t, code)
	_, code = p.call(conductor, "work_ledger_record", map[string]any{"action": "decide", "item": item["item"], "decision": "late"})
	require.Equal(t, "item_closed", code)
}

// A tool of the other role is none: what the protocol says of any name.
func TestOtherRolesToolIsUnknown(t *testing.T) {
	p := newPlace(t)
	_, err := p.connect("worker").CallTool(context.Background(), &mcp.CallToolParams{Name: "work_dispatch", Arguments: map[string]any{"unit": "U03"}})
	require.ErrorContains(t, err, "unknown tool")
	_, err = p.connect("conductor").CallTool(context.Background(), &mcp.CallToolParams{Name: "work_brief"})
	require.ErrorContains(t, err, "unknown tool")
}

// With CONDUCT_DISPATCH a worker has one dispatch, and may leave it out.
func TestDispatchOfTheEnvironment(t *testing.T) {
	p := newPlace(t)
	item := p.conduct("board", "create", "--title", "t")
	mine := strings.Fields(p.conduct("dispatch", "--unit", "U03", "--item", item))[0]
	other := strings.Fields(p.conduct("dispatch", "--unit", "U04"))[0]
	s := p.connect("worker", "CONDUCT_DISPATCH="+mine)
	brief, code := p.call(s, "work_brief", nil)
	require.Empty(t, code)
	require.Equal(t, item, brief["item"])
	_, code = p.call(s, "work_brief", map[string]any{"dispatch": strings.ToLower(mine)})
	require.Empty(t, code)
	_, code = p.call(s, "work_brief", map[string]any{"dispatch": other})
	require.Equal(t, "conflict", code)

	cmd := p.command("mcp", "--as", "conductor")
	cmd.Env = append(cmd.Env, "CONDUCT_DISPATCH="+mine)
	out, err := cmd.Output()
	require.Error(t, err)
	require.Equal(t, 3, cmd.ProcessState.ExitCode())
	require.Empty(t, out)
}

// Nonsense is answered, the end of the input ends it well, and a signal too.
func TestItEndsWell(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("mcp", "--as", "worker")
	cmd.Stdin = strings.NewReader("{\n" + strings.Repeat("x", 2<<20) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(out), "\n"), "%s", out)
	for line := range strings.Lines(string(out)) {
		require.True(t, json.Valid([]byte(line)), line)
	}

	cmd = p.command("mcp", "--as", "worker")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	answers, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	require.NoError(t, err)
	_, err = bufio.NewReader(answers).ReadString('\n') // it runs
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait())
}
