package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dear are packages that the hook's program must not link, with the reason: it
// starts before every tool call. A name ends where it ends or at a slash.
var dear = []struct{ path, why string }{
	{"github.com/spf13", "flags are two comparisons here"},
	{"github.com/goccy", "the hook reads no YAML"},
	{"github.com/oklog", "seeds a generator when it starts"},
	{"github.com/landlock-lsm", "the hook confines nothing itself"},
	{"go.etcd.io", "the hook's records are files"},
	{"google.golang.org", "the hook's records are files"},
	{"github.com/modelcontextprotocol", "a server is another program"},
	{"github.com/charmbracelet", "the hook has no terminal"},
	{"net", "makes tables of addresses when it starts; net/url and net/netip too"},
	{"encoding/json", "reflection"},
	{"encoding/xml", "reflection"},
	{"text/template", "reflection"},
	{"crypto/rand", "big numbers and a second generator"},
	{"crypto/tls", "nothing here talks to a network"},
	{"math/big", "nothing here needs it"},
	{"math/rand", "seeds a generator when it starts; math/rand/v2 does not"},
	{"log", "calls are audited"},
	{"os/exec", "a second process is too dear"},
	{"os/signal", "a goroutine of its own"},
	{"testing", "for tests"},
}

// The answer of go list cannot come from an earlier tree: the test's own binary
// holds the packages that it lists, so that it runs again when one changes.
func TestWhatTheHookLinks(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	out, err := cmd.Output()
	require.NoError(t, err)
	linked := strings.Fields(string(out))
	require.Contains(t, linked, "github.com/seed6310be5c/conduct/guard")
	for _, pkg := range linked {
		for _, d := range dear {
			if pkg == "math/rand/v2" {
				continue
			}
			require.False(t, pkg == d.path || strings.HasPrefix(pkg, d.path+"/"), "conduct-guard links %s: %s", pkg, d.why)
		}
	}
}
