package gate_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/store/file"
)

// desk is the conductor's side of a workspace whose dispatch asks.
type desk struct {
	t    *testing.T
	root string
	id   string
	book *dispatch.Book
	*questions.Store
}

func newDesk(t *testing.T, wait time.Duration) *desk {
	t.Helper()
	root, id := workspace(t, true)
	st, err := file.Open(filepath.Join(root, ".conduct"), file.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, st.Close()) })
	book := &dispatch.Book{Store: st, Clock: &system.Clock{}, Mint: mint.ULID(rand.Reader)}
	d := &desk{t, root, id, book, questions.Open(st)}
	d.turn(knobs.Ask, func(g *grants.Grant) error { g.AskWait = wait; return nil })
	return d
}

func (d *desk) turn(v knobs.Value, ready func(*grants.Grant) error) {
	d.t.Helper()
	_, _, err := d.book.Turn(d.t.Context(), d.selector(), knobs.Event{Knob: knobs.Approval, Value: v, By: "me"}, ready)
	require.NoError(d.t, err)
}

func (d *desk) selector() dispatch.Selector {
	live, err := d.book.List(false)
	require.NoError(d.t, err)
	return dispatch.Selector{ID: live.Dispatches[0].ID}
}

// call is what an agent's hook reports: a read of a sibling's file, and what it says.
func (d *desk) call(id, payload string, deadline time.Duration) string {
	c := broken{func() (guard.Call, error) {
		return guard.Call{Client: "broken", Event: guard.ToolCall, Marks: true, Marked: true, AgentID: "a", AgentType: "rev", CallID: id, Cwd: d.root,
			Tool: "Read", Targets: []guard.Target{{Op: guard.Read, Path: "units/U04/x"}}}, nil
	}}
	r := gate.Run(gate.Options{Client: c, Dir: d.root, Stdin: strings.NewReader(payload), Clock: &system.Clock{}, Deadline: deadline})
	return string(r.Stdout)
}

// bubble runs a test with a clock of its own, in which waiting takes no time.
func bubble(t *testing.T, wait time.Duration, test func(*desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newDesk(t, wait)) })
}

// answer waits for the question and answers it, after do.
func (d *desk) answer(a approval.Answer, do func(questions.Entry)) {
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all, err := d.All(time.Now())
		if err != nil {
			d.t.Error(err)
			return
		}
		for _, e := range all {
			if e.Decision == nil {
				if do != nil {
					do(e)
				}
				if _, err := d.Answer(e, approval.Decision{Answer: a, By: "me", At: time.Now().UTC()}); err != nil {
					d.t.Error(err)
				}
				return
			}
		}
	}
	d.t.Error("nobody asks")
}

func (d *desk) count() int {
	d.t.Helper()
	all, err := d.All(time.Now())
	require.NoError(d.t, err)
	for _, e := range all {
		require.NotNil(d.t, e.Decision, "each is decided")
	}
	return len(all)
}

func TestAsk(t *testing.T) {
	for answer, want := range map[approval.Answer]string{
		approval.AllowedOnce: "^exempt: $",
		approval.Rejected:    `^sibling_unit: conduct: .* A person was asked whether this call may go through: rejected\.$`,
		approval.Cancelled:   `^sibling_unit: conduct: .*: cancelled\.$`,
		approval.Unavailable: `^sibling_unit: conduct: .*: unavailable\.$`,
	} {
		bubble(t, time.Minute, func(d *desk) {
			go d.answer(answer, nil)
			require.Regexp(d.t, want, d.call("c1", "{}", 0))
			require.Equal(d.t, 1, d.count())
			require.Regexp(d.t, want, d.call("c1", "{}", 0), "a second hook reports the call")
			require.Equal(d.t, 1, d.count())
		})
	}
}

// The time limit of a judgement does not count while a person is asked, and does before.
func TestAskTakesLonger(t *testing.T) {
	bubble(t, time.Minute, func(d *desk) {
		go d.answer(approval.AllowedOnce, func(questions.Entry) { time.Sleep(50 * time.Second) })
		require.Regexp(d.t, "^exempt: ", d.call("c1", "{}", time.Second))
		never := make(chan struct{})
		defer close(never)
		hangs := broken{func() (guard.Call, error) { <-never; return guard.Call{}, nil }}
		require.Regexp(d.t, "^internal: ", run(hangs, d.root, nil, time.Second))
	})
}

func TestNobodyAnswers(t *testing.T) {
	bubble(t, time.Minute, func(d *desk) {
		begun := time.Now()
		require.Regexp(d.t, `^sibling_unit: .*: unavailable\.$`, d.call("c1", "{}", 0))
		require.Equal(d.t, time.Minute, time.Since(begun).Round(time.Second))
		require.Equal(d.t, 1, d.count())
	})
}

// Two hooks that report one call ask once; another call under the same id, and calls
// without one, are questions of their own.
func TestAskOnce(t *testing.T) {
	bubble(t, time.Minute, func(d *desk) {
		go d.answer(approval.AllowedOnce, func(questions.Entry) { time.Sleep(10 * time.Second) })
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if got := d.call("c1", "{}", 0); got != "exempt: " {
					d.t.Error(got)
				}
			})
		}
		both.Wait()
		require.Equal(d.t, 1, d.count())
		for i, c := range [][2]string{{"c1", `{"other":1}`}, {"", "{}"}, {"", "{}"}} {
			go d.answer(approval.Rejected, nil)
			require.Regexp(d.t, "^sibling_unit: .*rejected", d.call(c[0], c[1], 0))
			require.Equal(d.t, i+2, d.count())
		}
	})
}

// A yes is to what was asked, as it was: what became of it meanwhile is judged anew.
func TestMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(*desk)
		want string
	}{
		"released": {func(d *desk) {
			_, err := d.book.Release(t.Context(), d.selector(), dispatch.VerdictReady, func(*dispatch.Dispatch) ([]byte, error) { return []byte("{}"), nil })
			require.NoError(d.t, err)
		}, "^released: "},
		"turned to never": {func(d *desk) { d.turn(knobs.Never, nil) }, "^exempt: "},
		"opened": {func(d *desk) {
			_, err := d.book.AddOpenings(t.Context(), d.selector(), []grants.Opening{{Access: grants.AccessRead, Path: "units/U04/x", Exact: true}})
			require.NoError(d.t, err)
		}, "^exempt: "},
		"a link to another unit": {func(d *desk) {
			require.NoError(d.t, os.MkdirAll(filepath.Join(d.root, "units/U05"), 0o700))
			require.NoError(d.t, os.Symlink("../U05/y", filepath.Join(d.root, "units/U04/x")))
		}, `^sibling_unit: .*: unavailable\.$`},
		"a link to the records": {func(d *desk) {
			require.NoError(d.t, os.Symlink("../../.conduct/workspace.json", filepath.Join(d.root, "units/U04/x")))
		}, "^protected: "},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, time.Minute, func(d *desk) {
				go d.answer(approval.AllowedOnce, func(questions.Entry) { c.do(d) })
				require.Regexp(d.t, c.want, d.call("c1", "{}", 0))
			})
		})
	}
}

// Where nobody is to be asked, nothing is written and nobody waits.
func TestNotAsked(t *testing.T) {
	d := newDesk(t, time.Minute)
	d.turn(knobs.Never, nil)
	require.Regexp(t, `^sibling_unit: .*to you\.$`, d.call("c1", "{}", 0))
	require.NoDirExists(t, filepath.Join(d.root, ".conduct", "questions"))
}
