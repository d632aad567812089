package gate_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/hooks/all"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
)

var update = flag.Bool("update", false, "write the decisions that came out into the golden file")

const (
	capturedDir = "../../testdata/hooks"
	goldenFile  = capturedDir + "/decisions.json"
)

// TestCapturedPayloads sends every captured payload through the gate. The
// workspace has two units, as in the repository that the captures were made in:
// "own" is src, "sibling" is lib; own is dispatched to the agents of the
// captures. What a parent does passes, what a subagent does in lib does not.
func TestCapturedPayloads(t *testing.T) {
	got := map[string]string{}
	err := filepath.WalkDir(capturedDir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".json") || name == filepath.Clean(goldenFile) {
			return err
		}
		rel, err := filepath.Rel(capturedDir, name)
		require.NoError(t, err)
		got[filepath.ToSlash(rel)] = decideCaptured(t, name, strings.Split(filepath.ToSlash(rel), "/")[0])
		return nil
	})
	require.NoError(t, err)
	if *update {
		data, err := json.MarshalIndent(got, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(goldenFile, append(data, '\n'), 0o644))
	}
	data, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	want := map[string]string{}
	require.NoError(t, json.Unmarshal(data, &want))
	for name, said := range got {
		require.Equal(t, want[name], said, name)
	}
	require.Len(t, want, len(got))
	require.Greater(t, len(got), 180)
}

// decideCaptured returns what the client would do and the code behind it.
func decideCaptured(t *testing.T, name, client string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, f := range []string{"src/a.txt", "lib/secret.txt"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(f)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, f), []byte("x\n"), 0o600))
	}
	require.NoError(t, file.Init(filepath.Join(root, ".conduct")))
	st, err := file.Open(filepath.Join(root, ".conduct"), file.Options{})
	require.NoError(t, err)
	defer st.Close()
	book := dispatch.Book{Store: st, Clock: &system.Clock{}, Mint: mint.ULID(rand.Reader)}
	own := unit.Unit{Name: "own", Paths: []string{"src"}, Listed: true}
	d, err := book.Open(context.Background(), dispatch.Request{
		Unit: own, Agent: "", TTL: time.Hour, Grant: grants.Grant{
			Listed: []unit.Unit{own, {Name: "sibling", Paths: []string{"lib"}, Listed: true}}, Opaque: grants.OpaqueAllow, MaxDepth: 1,
		},
	})
	require.NoError(t, err)

	data, err := os.ReadFile(name)
	require.NoError(t, err)
	data = bytes.ReplaceAll(data, []byte(`/repo`), []byte(root))
	c, ok := all.ByName(client)
	require.True(t, ok, client)
	r := gate.Run(gate.Options{Client: c, Dir: root, Stdin: bytes.NewReader(data), Clock: &system.Clock{}, Getenv: func(string) string { return "" }})
	verdict, err := hooktest.Read(c.Name(), r)
	require.NoError(t, err, name)

	code := "-"
	log := audit.Open(st.Root())
	for _, stream := range []string{string(d.ID), audit.Ambiguous, audit.Undispatched} {
		for line, err := range log.Read(stream) {
			require.NoError(t, err)
			if line.Event == "" {
				code = line.Code
			}
		}
	}
	said := "allowed"
	if verdict.Blocked {
		said = "blocked"
	}
	return said + " " + code
}
