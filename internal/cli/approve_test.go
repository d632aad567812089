package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
)

// ask makes a question of a dispatch, as its hook does.
func (b *bench) ask(id, key string) *questions.Store {
	b.t.Helper()
	files, err := file.Open(filepath.Join(b.root, ".conduct"), file.Options{})
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, files.Close()) })
	q := questions.Open(files)
	_, _, err = q.Ask(approval.Question{
		Key: key, Dispatch: store.ID(id), Unit: "U03", Agent: "rev", Tool: "Read",
		Parts:   []approval.Part{{Code: "sibling_unit", Op: "read", Target: "units/U04/x"}},
		AskedAt: b.clock.now, Deadline: b.clock.now.Add(20 * time.Second),
	})
	require.NoError(b.t, err)
	return q
}

// At a terminal each question is asked, once; only "y" is a yes.
func TestApproveWatch(t *testing.T) {
	for typed, want := range map[string]string{
		"y\n": "allowed-once", "Y \n": "allowed-once", "n\n": "rejected", "\n": "rejected", "yes please\n": "rejected",
	} {
		b := newBench(t)
		b.person = true
		id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
		b.ask(id, "abcd0001")
		b.ask(id, "abcd0002")
		b.ask(id, "abcd0003")
		var out, errs bytes.Buffer
		env := b.env(&out, &errs)
		env.Stdin = keyboard(typed, "n\n")
		require.Equal(t, exitOK, Run(t.Context(), []string{"approve", "--watch", "--session", "me"}, env), errs.String())
		require.Equal(t, 3, strings.Count(out.String(), "let it through, this once? [y/N] "))
		require.Contains(t, out.String(), "abcd0001 "+want+"\n")
		require.Contains(t, out.String(), "abcd0002 rejected\n")
		require.Contains(t, b.ok("approve", "abcd0001"), want+" by me")
	}
}

// One that types nothing answers nothing, and one that types too late is told so.
func TestApproveWatchLate(t *testing.T) {
	b := newBench(t)
	b.person = true
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	q := b.ask(id, "abcd0001")
	var out, errs bytes.Buffer
	env := b.env(&out, &errs)
	env.Stdin = read(func(p []byte) (int, error) {
		b.clock.now = b.clock.now.Add(time.Minute) // it takes long
		return copy(p, "y\n"), nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.Equal(t, exitOK, Run(ctx, []string{"approve", "--watch"}, env))
	require.Contains(t, errs.String(), "decided already: unavailable")
	d, ok, err := q.Decided(approval.Question{Dispatch: store.ID(id), Key: "abcd0001"})
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, approval.Unavailable, d.Answer)
}

// keyboard is a terminal at which lines are typed, each when it is read; then the input
// ends.
func keyboard(lines ...string) io.Reader {
	return read(func(p []byte) (int, error) {
		if len(lines) == 0 {
			return 0, io.EOF
		}
		n := copy(p, lines[0])
		lines = lines[1:]
		return n, nil
	})
}

// It ends when what is typed ends, and when it is interrupted while it asks. Neither is
// an answer, and nor is a line that is typed afterwards.
func TestApproveWatchEnds(t *testing.T) {
	for name, stdin := range map[string]func(interrupt func()) io.Reader{
		"the input ends":        func(func()) io.Reader { return keyboard() },
		"it ends within a line": func(func()) io.Reader { return keyboard("y") },
		"interrupted": func(interrupt func()) io.Reader {
			return read(func([]byte) (int, error) { interrupt(); select {} })
		},
		"interrupted, and a yes": func(interrupt func()) io.Reader {
			return read(func(p []byte) (int, error) { interrupt(); return copy(p, "y\n"), nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.person = true
			id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
			b.ask(id, "abcd0001")
			b.ask(id, "abcd0002")
			var out, errs bytes.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			env := b.env(&out, &errs)
			env.Stdin = stdin(cancel)
			require.Equal(t, exitOK, Run(ctx, []string{"approve", "--watch"}, env), errs.String())
			require.Equal(t, 1, strings.Count(out.String(), "[y/N]"), "no other question is asked")
			require.Contains(t, b.ok("status", "--json"), `"open_questions":2`)
		})
	}
}

// What was typed before a question was shown is no answer to it.
func TestApproveWatchForgets(t *testing.T) {
	b := newBench(t)
	b.person = true
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	b.ask(id, "abcd0001")
	b.ask(id, "abcd0002")
	b.ask(id, "abcd0003")
	var out, errs bytes.Buffer
	var ahead []string
	reads := 0
	env := b.env(&out, &errs)
	env.Forget = func() {
		require.True(t, strings.HasSuffix(out.String(), "[y/N] "), "after all that is shown")
		ahead = nil
	}
	env.Stdin = read(func(p []byte) (int, error) {
		if len(ahead) > 0 {
			n := copy(p, ahead[0])
			ahead = ahead[1:]
			return n, nil
		}
		if reads++; reads > 2 {
			return 0, io.EOF
		}
		ahead = []string{"y\n", "y\n"} // a person's finger stays on the key
		return copy(p, "n\ny\n"), nil
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	require.Equal(t, exitOK, Run(ctx, []string{"approve", "--watch", "--session", "me"}, env), errs.String())
	for _, key := range []string{"abcd0001", "abcd0002"} {
		require.Contains(t, b.ok("approve", key), "rejected by me")
	}
}

type read func([]byte) (int, error)

func (r read) Read(p []byte) (int, error) { return r(p) }

var _ io.Reader = read(nil)

// Without a terminal, and with --json, it shows and asks nobody; a line for each.
func TestApproveWatchJSON(t *testing.T) {
	b := newBench(t)
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	b.ask(id, "abcd0001")
	b.ask(id, "abcd0002")
	var out, errs bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Equal(t, exitOK, Run(ctx, []string{"approve", "--watch", "--json"}, b.env(&out, &errs)))
	var keys []string
	for line := range strings.Lines(out.String()) {
		var doc struct{ Key, State string }
		require.NoError(t, json.Unmarshal([]byte(line), &doc))
		require.Equal(t, "open", doc.State)
		keys = append(keys, doc.Key)
	}
	require.Equal(t, []string{"abcd0001", "abcd0002"}, keys)
}

// A question whose time is up is no question any more: status and log say so and write
// nothing, approve writes it down.
func TestTimeIsUp(t *testing.T) {
	b := newBench(t)
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	q := b.ask(id, "abcd0001")
	require.Contains(t, b.ok("status", "--json"), `"open_questions":1`)
	b.clock.pass(time.Minute)
	require.Contains(t, b.ok("status", "--json"), `"open_questions":0`)
	require.Contains(t, b.ok("log", "--json"), `"reason":"unavailable"`)
	decided := func() bool {
		_, ok, err := q.Decided(approval.Question{Dispatch: store.ID(id), Key: "abcd0001"})
		require.NoError(t, err)
		return ok
	}
	require.False(t, decided())
	require.Equal(t, "no open questions\n", b.ok("approve"))
	require.True(t, decided())
	require.Equal(t, 1, strings.Count(b.ok("log", "--json"), `"event":"decided"`))
}

// A question waits well below what any installed hook is given.
func TestWaitBelowTheLimit(t *testing.T) {
	for _, c := range []struct {
		timeout  string // of Claude Code's hook, in seconds; "" is that none is installed
		flag     string
		wait     time.Duration // 0 is the default
		warns    bool
		refusing bool
	}{
		{"", "", 0, false, false}, {"", "45s", 45 * time.Second, false, false},
		{"60", "", 0, false, false}, {"60", "5s", 5 * time.Second, false, false},
		{"60", "58s", 54 * time.Second, true, false},
		{"10", "", 4 * time.Second, true, false}, {"10", "2s", 2 * time.Second, false, false},
		{"26", "", 0, false, false}, {"25", "", 19 * time.Second, true, false},
		{"6", "", 0, false, true}, {"3", "1s", 0, false, true},
	} {
		b := newBench(t)
		if c.timeout != "" {
			dir := filepath.Join(b.root, ".claude")
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[
				{"type":"command","command":"conduct-guard --client claude-code","timeout":`+c.timeout+`}]}]}}`), 0o600))
		}
		args := []string{"dispatch", "--unit", "U03", "--opaque", "block", "--on-block", "ask", "--json"}
		if c.flag != "" {
			args = append(args, "--ask-wait", c.flag)
		}
		code, out, errs := b.run(args...)
		if c.refusing {
			require.Equal(t, exitFailed, code, "%+v: %s", c, out)
			require.Contains(t, out, "in which nobody can be asked")
			continue
		}
		require.Equal(t, exitOK, code, "%+v: %s", c, out)
		var doc struct {
			Grant struct {
				Ask  bool  `json:"ask"`
				Wait int64 `json:"ask_wait_ms"`
			} `json:"grant"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &doc))
		require.True(t, doc.Grant.Ask)
		require.Equal(t, c.wait.Milliseconds(), doc.Grant.Wait, "%+v", c)
		require.Equal(t, c.warns, strings.Contains(errs, "so a question waits"), "%+v: %s", c, errs)

		// By the knob as well.
		b.ok("dispatch", "--unit", "U04", "--opaque", "block")
		_, _, errs = b.run("knob", "set", "--unit", "U04", "approval", "ask")
		require.Equal(t, c.timeout == "10" || c.timeout == "25", strings.Contains(errs, "so a question waits"), "%+v: %s", c, errs)
	}
	require.Less(t, gate.DefaultWait+spare, 30*time.Second, "the shortest limit of a program by itself")
}
