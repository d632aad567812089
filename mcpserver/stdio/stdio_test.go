package stdio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/mcpserver"
	"github.com/seed6310be5c/conduct/mcpserver/stdio"
)

// desk is a conductor whose reading does what the test says; the rest is not called.
type desk struct {
	mcpserver.Conductor
	read func(context.Context, mcpserver.ReadArgs) (mcpserver.Answer, error)
}

func (d desk) Read(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
	return d.read(ctx, a)
}

func echo(_ context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
	return mcpserver.Answer{JSON: []byte(`{"goal":"` + a.Item + `","items":[]}`), Notes: []string{"a note"}}, nil
}

func server(read func(context.Context, mcpserver.ReadArgs) (mcpserver.Answer, error)) *mcpserver.Server {
	return mcpserver.New(mcpserver.Options{Conductor: desk{read: read}, Version: "v1"})
}

// talk pipes lines in and returns the answers by their ids, "null" for none.
func talk(t *testing.T, s *mcpserver.Server, in string) (answers map[string]answer, order []string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, stdio.Serve(context.Background(), s, strings.NewReader(in), &out))
	answers = map[string]answer{}
	sc := bufio.NewScanner(&out)
	sc.Buffer(nil, 1<<22)
	for sc.Scan() {
		var a answer
		require.NoError(t, json.Unmarshal(sc.Bytes(), &a), "%s", sc.Bytes())
		require.Equal(t, "2.0", a.JSONRPC)
		answers[string(a.ID)] = a
		order = append(order, string(a.ID))
	}
	return answers, order
}

type answer struct {
	JSONRPC string
	ID      json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func read(id int, item string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"work_ledger_read","arguments":{"item":%q}}}`+"\n", id, item)
}

// All that was sent before the end of the input is answered, calls in their order,
// also without a line's end behind the last.
func TestEverythingIsAnsweredInOrder(t *testing.T) {
	var items []string
	s := server(func(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
		items = append(items, a.Item) // without a lock: one call at a time
		return echo(ctx, a)
	})
	in, want := hello, []string{}
	for i := 1; i <= 100; i++ { // more than may wait
		in += read(i, fmt.Sprint("i", i))
		want = append(want, fmt.Sprint("i", i))
	}
	answers, order := talk(t, s, strings.TrimSuffix(in, "\n"))
	require.Len(t, order, 101)
	require.Equal(t, want, items)
	require.Equal(t, `{"goal":"i7","items":[]}`, answers["7"].Result.Content[0].Text)
	require.Equal(t, "a note", answers["7"].Result.Content[1].Text)
	require.JSONEq(t, `{"goal":"i7","items":[]}`, string(answers["7"].Result.StructuredContent))
}

// What is no message is answered, and the connection goes on.
func TestBadMessages(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	for name, c := range map[string]struct {
		line string
		code int
	}{
		"no JSON":           {`{"jsonrpc":`, -32700},
		"no object":         {`7`, -32700},
		"a batch":           {`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, -32700},
		"an empty batch":    {`[]`, -32700},
		"no method, no id":  {`{"jsonrpc":"2.0"}`, -32700},
		"an object as id":   {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32700},
		"another version":   {`{"jsonrpc":"1.0","id":9,"method":"ping"}`, -32700},
		"two values":        {`{"jsonrpc":"2.0","id":9,"method":"ping"} {}`, -32700},
		"a name twice":      {`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":1,"a":2}}`, -32700},
		"bytes":             {"\x00\xff\xfe", -32700},
		"too long":          {long, -32600},
		"too long, no JSON": {strings.Repeat("[", 3<<20), -32600},
	} {
		t.Run(name, func(t *testing.T) {
			answers, order := talk(t, server(echo), hello+c.line+"\n\n\r\n"+read(1, "a"))
			require.Len(t, order, 3)
			require.NotNil(t, answers["null"].Error)
			require.Equal(t, c.code, answers["null"].Error.Code)
			require.Contains(t, answers["1"].Result.Content[0].Text, `"goal":"a"`)
		})
	}
}

// What the protocol itself refuses are its errors; a tool's refusal never is.
func TestProtocolErrors(t *testing.T) {
	in := hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"work_brief","arguments":{}}}
{"jsonrpc":"2.0","id":2,"method":"no/such"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"work_ledger_read","arguments":{"item":7}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"work_ledger_read","arguments":[]}}
`
	answers, _ := talk(t, server(echo), in)
	require.Equal(t, -32602, answers["1"].Error.Code)
	require.Contains(t, answers["1"].Error.Message, `unknown tool "work_brief"`)
	require.Equal(t, -32601, answers["2"].Error.Code)
	for _, id := range []string{"3", "4"} {
		require.Nil(t, answers[id].Error, id)
		require.True(t, answers[id].Result.IsError, id)
		require.Contains(t, string(answers[id].Result.StructuredContent), `"code":"usage"`)
	}
}

// An id that is in use is refused and not answered twice.
func TestIdInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, in, out := make(chan struct{}), newPipe(), newPipe()
		s := server(func(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
			<-release
			return echo(ctx, a)
		})
		served := make(chan error, 1)
		go func() { served <- stdio.Serve(context.Background(), s, in, out) }()
		in.put(hello + read(1, "a") + read(1, "b") + read(2, "c"))
		synctest.Wait()
		require.Contains(t, out.String(), `-32600`)
		require.NotContains(t, out.String(), `"id":1`)
		close(release)
		in.end()
		require.NoError(t, <-served)
		require.Equal(t, 1, strings.Count(out.String(), `"id":1`))
		require.Contains(t, out.String(), `"goal":"a"`)
		require.NotContains(t, out.String(), `"goal":"b"`)
		require.Contains(t, out.String(), `"goal":"c"`)
	})
}

// A ping is answered while a call is made, and the call that waits is made when it is done.
func TestPingDuringACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, in, out := make(chan struct{}), newPipe(), newPipe()
		var at atomic.Int32
		s := server(func(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
			at.Add(1)
			<-release
			return echo(ctx, a)
		})
		served := make(chan error, 1)
		go func() { served <- stdio.Serve(context.Background(), s, in, out) }()
		in.put(hello + read(1, "a") + read(2, "b") + `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n")
		synctest.Wait()
		require.Contains(t, out.String(), `"id":3`)
		require.Equal(t, int32(1), at.Load())
		release <- struct{}{}
		synctest.Wait()
		require.Contains(t, out.String(), `"id":1`)
		require.Equal(t, int32(2), at.Load())
		in.end() // while the second is being made
		synctest.Wait()
		release <- struct{}{}
		require.NoError(t, <-served)
		require.Contains(t, out.String(), `"id":2`)
	})
}

// While many calls wait, no more is read.
func TestFewCallsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, in := make(chan struct{}), newPipe()
		s := server(func(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
			<-release
			return echo(ctx, a)
		})
		served := make(chan error, 1)
		go func() { served <- stdio.Serve(context.Background(), s, in, io.Discard) }()
		in.put(hello)
		one := read(1, strings.Repeat("x", 4000))
		for i := range 500 {
			in.put(read(i+1, strings.Repeat("x", 4000)))
		}
		in.end()
		synctest.Wait()
		require.Greater(t, in.left(), 400*len(one))
		close(release)
		require.NoError(t, <-served)
		require.Zero(t, in.left())
	})
}

// A call that hangs is answered when the time is up, the next one is made, and the
// end of the input still comes to an end.
func TestACallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		s := server(func(ctx context.Context, a mcpserver.ReadArgs) (mcpserver.Answer, error) {
			if a.Item == "hang" {
				<-hang
			}
			return echo(ctx, a)
		})
		began := time.Now()
		answers, _ := talk(t, s, hello+read(1, "hang")+read(2, "b"))
		require.Equal(t, mcpserver.DefaultLimit, time.Since(began))
		require.Contains(t, answers["1"].Result.Content[0].Text, `"code":"timeout"`)
		require.Contains(t, answers["2"].Result.Content[0].Text, `"goal":"b"`)
		close(hang)
	})
}

// A client that listens for changes, of which there are none, does not keep the server
// from ending. It speaks the protocol that knows no handshake.
func TestListenerDoesNotKeepIt(t *testing.T) {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	in := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{` + meta + `,"notifications":{"toolsListChanged":true}}}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta + `}}
`
	answers, _ := talk(t, server(echo), in)
	for _, id := range []string{"1", "2"} {
		require.Contains(t, answers, id)
		require.Nil(t, answers[id].Error, id)
	}
}

// The end of the context ends it too.
func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in := newPipe()
	defer in.end()
	served := make(chan error, 1)
	go func() { served <- stdio.Serve(ctx, server(echo), in, io.Discard) }()
	cancel()
	require.NoError(t, <-served)
}

// Where the answers go nowhere, it ends with an error.
func TestBrokenOutput(t *testing.T) {
	in := newPipe()
	defer in.end()
	in.put(hello)
	require.ErrorContains(t, stdio.Serve(context.Background(), server(echo), in, broken{}), "broken pipe")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }

// The SDK's own client sees the tools as they are described.
func TestWithTheSDKsClient(t *testing.T) {
	for _, role := range mcpserver.Roles() {
		s := server(echo)
		if role == mcpserver.AsWorker {
			s = mcpserver.New(mcpserver.Options{Worker: struct{ mcpserver.Worker }{}, Version: "v1"})
		}
		in, out := io.Pipe()
		back, to := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- stdio.Serve(context.Background(), s, in, to) }()
		client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
		session, err := client.Connect(context.Background(), &mcp.IOTransport{Reader: back, Writer: out}, nil)
		require.NoError(t, err)
		listed, err := session.ListTools(context.Background(), nil)
		require.NoError(t, err)
		require.Len(t, listed.Tools, len(s.Tools()))
		for i, want := range s.Tools() {
			got := find(t, listed.Tools, want.Name)
			require.Equal(t, want.About, got.Description)
			require.Equal(t, want.Title, got.Title)
			require.Equal(t, want.ReadOnly, got.Annotations.ReadOnlyHint, i)
			require.Equal(t, want.Idempotent, got.Annotations.IdempotentHint)
			require.Equal(t, want.Destructive, *got.Annotations.DestructiveHint)
			require.False(t, *got.Annotations.OpenWorldHint)
			for _, pair := range [][2]any{{want.Input, got.InputSchema}, {want.Output, got.OutputSchema}} {
				sent, err := json.Marshal(pair[1])
				require.NoError(t, err)
				require.JSONEq(t, string(pair[0].([]byte)), string(sent))
			}
		}
		if role == mcpserver.AsConductor {
			r, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "work_ledger_read", Arguments: map[string]any{"item": "x"}})
			require.NoError(t, err)
			require.False(t, r.IsError)
			r, err = session.CallTool(context.Background(), &mcp.CallToolParams{Name: "work_ledger_read", Arguments: map[string]any{"what": "x"}})
			require.NoError(t, err)
			require.True(t, r.IsError)
		}
		require.NoError(t, session.Close())
		require.NoError(t, <-served)
	}
}

func find(t *testing.T, tools []*mcp.Tool, name string) *mcp.Tool {
	t.Helper()
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %q", name)
	return nil
}

// Whatever comes in, the answers are messages, and it ends.
func TestAnyInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SampledFrom([]string{
			hello, read(1, "a"), read(2, "b"), `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
			`{"jsonrpc":"2.0","id":4,"method":"notifications/initialized"}` + "\n", `{"jsonrpc":"2.0","method":"tools/call","params":{}}` + "\n",
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n", `{"jsonrpc":"2.0","id":"x","method":"tools/call"}` + "\n", "\n", "{", "}", `"`,
		})
		in := []byte(strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), ""))
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			if len(in) > 0 {
				in[rapid.IntRange(0, len(in)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
		}
		var out bytes.Buffer
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, stdio.Serve(ctx, server(echo), bytes.NewReader(in), &out))
		require.NoError(t, ctx.Err(), "it did not come to its end")
		for line := range bytes.Lines(out.Bytes()) {
			require.True(t, json.Valid(line), "%s", line)
		}
	})
}

// pipe is a buffer whose readers wait for more, in a way that a bubble knows.
type pipe struct {
	mu    sync.Mutex
	more  *sync.Cond
	buf   bytes.Buffer
	ended bool
}

func newPipe() *pipe {
	p := &pipe{}
	p.more = sync.NewCond(&p.mu)
	return p
}

func (p *pipe) put(s string) { _, _ = p.Write([]byte(s)) }

func (p *pipe) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.more.Broadcast()
}

// Write adds to it.
func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.more.Broadcast()
	return p.buf.Write(b)
}

// Read waits until there is something.
func (p *pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.buf.Len() == 0 && !p.ended {
		p.more.Wait()
	}
	return p.buf.Read(b)
}

func (p *pipe) left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Len()
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}
