package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/store/file"
)

// What a call of killBench asks for says what becomes of its question.
const (
	answeredYes = "construction/units/U04/yes-"
	answeredNo  = "construction/units/U04/no-"
	notAnswered = "construction/units/U05/none-"
)

// killBench is a workspace whose dispatch asks, and a hook that can be killed at each of
// its writes.
type killBench struct {
	t    *testing.T
	ws   string
	hook string // conduct-guard, built with its kill points
	*questions.Store
	// lived are the targets of the calls whose hook was not killed: whether they went through.
	lived map[string]bool
	calls map[string]bool
}

func newKillBench(t *testing.T, wait string) *killBench {
	t.Helper()
	b := &killBench{t: t, ws: t.TempDir(), hook: filepath.Join(t.TempDir(), "conduct-guard"), lived: map[string]bool{}, calls: map[string]bool{}}
	out, err := exec.Command("go", "build", "-tags", "killpoints", "-o", b.hook, "../conduct-guard").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name := range tree {
		require.NoError(t, os.MkdirAll(filepath.Join(b.ws, path.Dir(name)), 0o700))
	}
	b.conduct("init", "--layout", "construction/units/{unit}")
	b.conduct("dispatch", "--unit", "U03", "--agent", "reviewer", "--on-block", "ask", "--ask-wait", wait)
	files, err := file.Open(filepath.Join(b.ws, ".conduct"), file.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, files.Close()) })
	b.Store = questions.Open(files)
	return b
}

// verb prepares the real program.
func (b *killBench) verb(args ...string) *exec.Cmd {
	cmd := exec.Command("conduct", args...)
	cmd.Dir, cmd.Env = b.ws, append(os.Environ(), "CONDUCT_DISPATCH=", "HOME="+b.ws)
	return cmd
}

func (b *killBench) conduct(args ...string) string {
	b.t.Helper()
	out, err := b.verb(args...).Output()
	require.NoError(b.t, err, "%v: %s", args, out)
	return string(out)
}

// start starts the hook of a call that reads a file.
func (b *killBench) start(target string, env ...string) (*exec.Cmd, *bytes.Buffer) {
	b.t.Helper()
	cmd, out := exec.Command(b.hook, "--client", "generic"), new(bytes.Buffer)
	cmd.Dir, cmd.Env, cmd.Stdout = b.ws, append(append(os.Environ(), "CONDUCT_DISPATCH="), env...), out
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"s","agent_id":"a","agent_type":"reviewer",
		"cwd":%q,"tool_use_id":%q,"tool_name":"Read","tool_input":{"file_path":%q}}`, b.ws, path.Base(target), target))
	require.NoError(b.t, cmd.Start())
	b.calls[target] = true
	return cmd, out
}

// ended waits for a hook, and says whether it was killed.
func (b *killBench) ended(cmd *exec.Cmd, out *bytes.Buffer, target string) (killed bool) {
	b.t.Helper()
	_ = cmd.Wait() // a block is an exit code too
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	require.Contains(b.t, out.String(), `"decision":"`)
	b.lived[target] = strings.Contains(out.String(), `"decision":"allow"`)
	return false
}

// answering answers what is to be answered, until the test is over or stop is called.
func (b *killBench) answering() (stop func()) {
	done := make(chan struct{})
	var answers sync.WaitGroup
	answers.Go(func() {
		look := time.NewTicker(2 * time.Millisecond)
		defer look.Stop()
		for {
			b.answer()
			select {
			case <-done:
				return
			case <-look.C:
			}
		}
	})
	stop = sync.OnceFunc(func() { close(done); answers.Wait() })
	b.t.Cleanup(stop)
	return stop
}

// answer answers the questions that are open, but for those that nobody answers.
func (b *killBench) answer() {
	all, err := b.All(time.Now())
	if err != nil {
		b.t.Error(err)
	}
	for _, e := range all {
		said := approval.Rejected
		switch target := e.Parts[0].Target; {
		case e.Decision != nil, strings.HasPrefix(target, notAnswered):
			continue
		case strings.HasPrefix(target, answeredYes):
			said = approval.AllowedOnce
		}
		_, _ = b.Answer(e, approval.Decision{Answer: said, By: "me", At: time.Now().UTC()}) // its time may be up
	}
}

// asked waits for the question of a call.
func (b *killBench) asked(target string) questions.Entry {
	b.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		all, err := b.All(time.Now())
		require.NoError(b.t, err)
		for _, e := range all {
			if e.Parts[0].Target == target {
				return e
			}
		}
	}
	require.FailNow(b.t, "nobody asks")
	return questions.Entry{}
}

// events are those of each question's target in the log.
func (b *killBench) events() (asked, decided map[string]int, yes map[string]bool) {
	b.t.Helper()
	asked, decided, yes = map[string]int{}, map[string]int{}, map[string]bool{}
	for line := range strings.Lines(b.conduct("log", "--json")) {
		var l struct{ Event, Target, Reason string }
		require.NoError(b.t, json.Unmarshal([]byte(line), &l))
		switch l.Event {
		case "asked":
			asked[l.Target]++
		case "decided":
			decided[l.Target]++
			yes[l.Target] = strings.HasPrefix(l.Reason, "allowed-once")
		}
	}
	return asked, decided, yes
}

// documents counts the questions and the decisions on disk.
func (b *killBench) documents() (asked, decided int) {
	b.t.Helper()
	for kind, n := range map[string]*int{"asked": &asked, "decided": &decided} {
		names, err := filepath.Glob(filepath.Join(b.ws, ".conduct/questions/*/[0-9a-f]*."+kind+".json"))
		require.NoError(b.t, err)
		*n = len(names)
	}
	return asked, decided
}

// TestHookIsKilled kills the hook at each write of a question's life, at moments all over
// it, and beside a conduct approve that is killed too. Whatever dies, each question has
// one line that it was asked and one that says what was decided, and nobody has got
// another answer than that.
func TestHookIsKilled(t *testing.T) {
	b := newKillBench(t, "1s")
	stop := b.answering()

	// At each write, by those that are answered and those that are not, which wait side
	// by side.
	took, died := time.Duration(0), 0
	for _, kind := range []string{answeredYes, answeredNo, notAnswered} {
		const most = 16
		var end [most]func() bool
		for n := range most {
			target, begun := fmt.Sprintf("%sstep-%d", kind, n), time.Now()
			cmd, out := b.start(target, "CONDUCT_KILL_TRACE="+filepath.Join(t.TempDir(), "trace"), fmt.Sprint("CONDUCT_KILL_AT=", n+1))
			if end[n] = func() bool { return b.ended(cmd, out, target) }; kind != notAnswered {
				killed := end[n]()
				took = time.Since(begun)
				end[n] = func() bool { return killed }
			}
		}
		steps := 0
		for n := range most {
			if end[n]() {
				steps++
			}
		}
		died += steps
		require.Less(t, steps, most, "the last one has nothing left to die at")
		require.GreaterOrEqual(t, steps, map[string]int{answeredYes: 4, answeredNo: 4, notAnswered: 8}[kind])
	}
	// At moments from its start until after its end.
	const moments = 24
	for n := range moments {
		target := fmt.Sprintf("%smoment-%d", []string{answeredYes, answeredNo}[n%2], n)
		cmd, out := b.start(target)
		kill := time.AfterFunc(2*took*time.Duration(n)/moments, func() { _ = cmd.Process.Kill() })
		b.ended(cmd, out, target)
		kill.Stop()
	}
	// And who answers as well.
	for n := range 12 {
		target := fmt.Sprintf("%sboth-%d", notAnswered, n)
		cmd, out := b.start(target)
		approve := b.verb("approve", b.asked(target).Key, []string{"--allow", "--reject"}[n%2])
		require.NoError(t, approve.Start())
		first := time.AfterFunc(took*time.Duration(n)/12, func() { _ = approve.Process.Kill() })
		_ = approve.Wait()
		second := time.AfterFunc(took*time.Duration(n%4)/4, func() { _ = cmd.Process.Kill() })
		b.ended(cmd, out, target)
		first.Stop()
		second.Stop()
	}
	stop()

	for !strings.Contains(b.conduct("status", "--json"), `"open_questions":0`) { // until their time is up
	}
	asked, decided, yes := b.events()
	// How many die by a clock is the machine's to say; those that die at a write are certain.
	require.Less(t, len(asked), len(b.calls), "some died before they asked")
	require.LessOrEqual(t, len(b.lived), len(b.calls)-died)
	for target, n := range asked {
		require.Equal(t, []int{1, 1}, []int{n, decided[target]}, target)
	}
	require.Len(t, decided, len(asked))
	for target, went := range b.lived {
		require.Equal(t, yes[target], went, target)
		require.False(t, went && strings.HasPrefix(target, answeredNo), target)
	}

	// Who comes next notes what the dead did not, which changes nothing that is told.
	before, then := b.documents()
	require.Less(t, then, before, "some died while they waited, or when it was decided")
	require.Equal(t, "no open questions\n", b.conduct("approve"))
	before, then = b.documents()
	require.Equal(t, []int{len(asked), len(asked)}, []int{before, then})
	again, decidedAgain, yesAgain := b.events()
	require.Equal(t, []any{asked, decided, yes}, []any{again, decidedAgain, yesAgain})

	// The program reports a call anew whose hook was killed: nobody is asked again.
	var ends []func()
	for target := range asked {
		if _, lived := b.lived[target]; lived {
			continue
		}
		cmd, out := b.start(target)
		ends = append(ends, func() {
			require.False(t, b.ended(cmd, out, target))
			require.False(t, b.lived[target] && !yes[target], target)
		})
	}
	for _, end := range ends {
		end()
	}
	again, decidedAgain, yesAgain = b.events()
	require.Equal(t, []any{asked, decided, yes}, []any{again, decidedAgain, yesAgain})
}
