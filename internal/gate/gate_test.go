package gate_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
)

// broken is a client whose decoding does what a test says.
type broken struct {
	decode func() (guard.Call, error)
}

func (broken) Name() string                        { return "broken" }
func (b broken) Decode([]byte) (guard.Call, error) { return b.decode() }
func (broken) ProjectDirs() []string               { return []string{"PROJECT"} }
func (broken) SessionVar() string                  { return "" }
func (broken) Encode(a hooks.Answer) (r hooks.Response) {
	r.Stdout = []byte(a.Decision.Code.String() + ": " + a.Decision.Reason)
	return r
}

// workspace makes a workspace, with a dispatch of U03 to "rev" if live.
func workspace(t *testing.T, live bool) (root string, id string) {
	t.Helper()
	root = t.TempDir()
	for _, u := range []string{"U03", "U04"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "units", u), 0o700))
	}
	require.NoError(t, file.Init(filepath.Join(root, ".conduct")))
	if !live {
		return root, ""
	}
	st, err := file.Open(filepath.Join(root, ".conduct"), file.Options{})
	require.NoError(t, err)
	defer st.Close()
	book := dispatch.Book{Store: st, Clock: &system.Clock{}, Mint: mint.ULID(rand.Reader)}
	d, err := book.Open(context.Background(), dispatch.Request{
		Unit: unit.Unit{Name: "U03", Paths: []string{"units/U03"}}, Agent: "rev", TTL: time.Hour,
		Grant: grants.Grant{Layouts: []string{"units/{unit}"}, Opaque: grants.OpaqueAllow},
	})
	require.NoError(t, err)
	return root, string(d.ID)
}

func run(c hooks.Client, root string, env map[string]string, deadline time.Duration) string {
	r := gate.Run(gate.Options{
		Client: c, Dir: root, Stdin: strings.NewReader("{}"), Clock: &system.Clock{}, Deadline: deadline,
		Getenv: func(name string) string { return env[name] },
	})
	return string(r.Stdout)
}

func TestFailureBlocks(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	tests := []struct {
		name   string
		decode func() (guard.Call, error)
		live   string
		idle   string
	}{
		{"panic", func() (guard.Call, error) { panic("x") }, "internal", "internal"},
		{"deadline", func() (guard.Call, error) { <-never; return guard.Call{}, nil }, "internal", "internal"},
		{"bad payload", func() (guard.Call, error) { return guard.Call{}, hooks.ErrPayload }, "bad_payload", "idle"},
		{"other event", func() (guard.Call, error) { return guard.Call{}, nil }, "not_dispatched", "not_dispatched"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, _ := workspace(t, true)
			require.Regexp(t, "^"+tt.live+": ", run(broken{tt.decode}, root, nil, 50*time.Millisecond))
			root, _ = workspace(t, false)
			t.Chdir(t.TempDir())
			require.Regexp(t, "^"+tt.idle+": ", run(broken{tt.decode}, root, nil, 50*time.Millisecond))
		})
	}
}

// TestNothingInForcePasses: once it is known that nothing is in force, a failure is no
// reason to stop anybody.
func TestNothingInForcePasses(t *testing.T) {
	t.Chdir(t.TempDir())
	call := func() (guard.Call, error) {
		return guard.Call{Event: guard.ToolCall, Marks: true, Marked: true, AgentID: "a", AgentType: "rev", Cwd: t.TempDir(),
			Targets: []guard.Target{{Op: guard.Read, Path: "/etc/hostname"}}}, nil
	}
	require.Equal(t, "not_dispatched: ", run(broken{call}, "", nil, 0))
	root, _ := workspace(t, false)
	require.Equal(t, "idle: ", run(broken{call}, root, nil, 0))
}

func TestNamedDispatchThatIsNotFoundBlocks(t *testing.T) {
	t.Chdir(t.TempDir())
	call := func() (guard.Call, error) {
		return guard.Call{Event: guard.ToolCall, Marks: true, Cwd: "/", Targets: []guard.Target{{Op: guard.Read, Path: "/etc/hostname"}}}, nil
	}
	env := map[string]string{"CONDUCT_DISPATCH": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}
	require.Regexp(t, "^undispatched: conduct: no dispatch", run(broken{call}, "", env, 0))
	root, id := workspace(t, true)
	require.Regexp(t, "^undispatched: ", run(broken{call}, root, env, 0))
	env["CONDUCT_DISPATCH"] = id
	require.Equal(t, "shared: ", run(broken{call}, root, env, 0))
	env["CONDUCT_DISPATCH"] = "conduct:" + id
	require.Equal(t, "shared: ", run(broken{call}, root, env, 0))
	// A launch line without an id is no dispatch that there is, not none at all.
	env["CONDUCT_DISPATCH"] = "conduct:"
	require.Regexp(t, "^undispatched: ", run(broken{call}, root, env, 0))
	require.Regexp(t, "^undispatched: ", run(broken{call}, "", env, 0))
}

// TestConfined: in a sandbox of ours the records are hidden, and the sandbox holds
// what they would; where they can be seen, they count all the same.
func TestConfined(t *testing.T) {
	t.Chdir(t.TempDir())
	env := map[string]string{"CONDUCT_DISPATCH": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "CONDUCT_CONFINED": "1"}
	call := func() (guard.Call, error) {
		return guard.Call{Event: guard.ToolCall, Marks: true, Cwd: "/", Targets: []guard.Target{{Op: guard.Read, Path: "/etc/hostname"}}}, nil
	}
	require.Equal(t, "stood_aside: ", run(broken{call}, "", env, 0))
	root, _ := workspace(t, true)
	require.Regexp(t, "^undispatched: ", run(broken{call}, root, env, 0))
}

// TestAuditThatCannotBeWritten: the decision stands, and the loss is counted.
func TestAuditThatCannotBeWritten(t *testing.T) {
	root, id := workspace(t, true)
	audit := filepath.Join(root, ".conduct", "audit")
	require.NoError(t, os.MkdirAll(filepath.Join(audit, id+".jsonl"), 0o700), "a folder where the file should be")
	call := func() (guard.Call, error) {
		return guard.Call{Event: guard.ToolCall, Marks: true, Marked: true, AgentID: "a", AgentType: "rev", Cwd: root,
			Targets: []guard.Target{{Op: guard.Read, Path: "units/U04/x"}}}, nil
	}
	require.NoError(t, os.WriteFile(filepath.Join(audit, "lost"), []byte("...."), 0o600))
	require.Regexp(t, "^sibling_unit: ", run(broken{call}, root, nil, 0))
	lost, err := os.ReadFile(filepath.Join(audit, "lost"))
	require.NoError(t, err)
	require.Equal(t, "x...", string(lost))
}

// TestAgentOfTheCommandLine: the hook's command line says whose hook it is, where the
// payload says nothing; a subagent's own id is more exact.
func TestAgentOfTheCommandLine(t *testing.T) {
	root, _ := workspace(t, true)
	tests := []struct {
		name, agent string
		call        guard.Call
		want        string
	}{
		{"named", "rev", guard.Call{}, "sibling_unit"},
		{"another name", "conductor", guard.Call{}, "not_dispatched"},
		{"nobody, in a client without marks", "", guard.Call{}, "sibling_unit"},
		{"the main agent, in a client with marks", "rev", guard.Call{Marks: true}, "sibling_unit"},
		{"a subagent of another name", "rev", guard.Call{Marks: true, Marked: true, AgentID: "a", AgentType: "helper"}, "not_dispatched"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call := func() (guard.Call, error) {
				c := tt.call
				c.Event, c.Cwd, c.Apart = guard.ToolCall, root, true
				c.Targets = []guard.Target{{Op: guard.Read, Path: "units/U04/x"}}
				return c, nil
			}
			r := gate.Run(gate.Options{
				Client: broken{call}, Agent: tt.agent, Dir: root, Stdin: strings.NewReader("{}"), Clock: &system.Clock{},
			})
			require.Regexp(t, "^"+tt.want+": ", string(r.Stdout))
		})
	}
}
