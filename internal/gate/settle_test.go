package gate_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/unit"
)

// TestTranscriptIsWaitedFor: of two agents of one name, each is known by the prompt that
// its transcript opens with, which Claude Code may write after its first call.
func TestTranscriptIsWaitedFor(t *testing.T) {
	for _, tt := range []struct {
		name    string
		written bool
		after   time.Duration
		want    string
	}{
		{"it is there", true, 0, "own_unit"},
		{"it comes", true, 700 * time.Millisecond, "own_unit"},
		{"it comes too late", true, 1100 * time.Millisecond, "ambiguous"},
		{"it never comes", false, 0, "ambiguous"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, time.Second)
				q := dispatch.Request{
					Unit: unit.Unit{Name: "U04", Paths: []string{"units/U04"}}, Agent: "rev", TTL: time.Hour,
					Grant: grants.Grant{Layouts: []string{"units/{unit}"}, Opaque: grants.OpaqueAllow},
				}
				other, err := d.book.Open(t.Context(), q)
				require.NoError(t, err)
				transcript := filepath.Join(t.TempDir(), "agent-a.jsonl")
				write := func() {
					line := `{"type":"user","message":{"content":"` + other.Line() + `"}}` + "\n"
					require.NoError(t, os.WriteFile(transcript, []byte(line), 0o600))
				}
				if tt.written && tt.after == 0 {
					write()
				} else if tt.written {
					time.AfterFunc(tt.after, write)
				}
				call := func() (guard.Call, error) {
					return guard.Call{
						Event: guard.ToolCall, Marks: true, Marked: true, AgentID: "a", AgentType: "rev", Cwd: d.root,
						Transcript: transcript, Transcripts: filepath.Dir(transcript),
						Targets: []guard.Target{{Op: guard.Read, Path: "units/U04/x"}},
					}, nil
				}
				start := time.Now()
				require.Regexp(t, "^"+tt.want+": ", run(broken{call}, d.root, nil, 0))
				if tt.want == "own_unit" {
					require.LessOrEqual(t, time.Since(start), tt.after+10*time.Millisecond, "no longer than it takes")
				}
				time.Sleep(2 * time.Second) // the late one comes
			})
		})
	}
}
