package file

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/approval"
	records "github.com/seed6310be5c/conduct/store/file"
)

// askerVar makes this test's program a process that asks one question, which is
// answered with yes at once, and dies before a step: folder and number of the step.
const askerVar = "CONDUCT_TEST_ASKER"

func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv(askerVar)); len(args) == 2 {
		if err := askAndDie(args[0], args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type agreeable struct{}

func (agreeable) Answer(_ context.Context, _ approval.Question, reply func(approval.Answer)) {
	reply(approval.AllowedOnce)
}

func askAndDie(dir, at string) error {
	files, err := records.Open(dir, records.Options{})
	if err != nil {
		return err
	}
	last, err := strconv.Atoi(at)
	if err != nil {
		return err
	}
	s := Open(files)
	n := 0
	s.step = func(name string) {
		if n++; n == last {
			fmt.Println(name)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal is on its way
		}
	}
	a := approval.Asker{Journal: s, Answerers: []approval.Answerer{agreeable{}}}
	fmt.Println(a.Request(context.Background(), question(disp1, 1)))
	return nil
}

// TestKilledAtEachStep lets a process die before each step of a question. Whoever comes
// next finds one line or none that it was asked, and then leaves one that says what was
// decided: a yes only where the dead had noted it.
func TestKilledAtEachStep(t *testing.T) {
	steps := map[string]bool{}
	for n := 1; ; n++ {
		s, dir := newStore(t)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", askerVar, dir, n))
		out, err := cmd.Output()
		said := strings.TrimSpace(string(out))
		if err == nil {
			require.Equal(t, "allowed-once", said)
			require.Greater(t, n, 10)
			break
		}
		require.Equal(t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
		steps[said] = true
		t.Run(said, func(t *testing.T) {
			q := question(disp1, 1)
			kept, was := s.question(disp1, q.Key)
			d, noted, err := s.Decided(q)
			require.NoError(t, err)
			require.False(t, noted && was != nil, "decided before it was asked")
			if was == nil {
				_, err = s.Settle(kept.Deadline)
				require.NoError(t, err)
			}
			// Another hook reports the same call.
			a := approval.Asker{Journal: s, Answerers: []approval.Answerer{agreeable{}}, Now: func() time.Time {
				if was == nil {
					return kept.Deadline
				}
				return time.Now()
			}}
			got := a.Request(t.Context(), q)
			switch {
			case noted:
				require.Equal(t, d.Answer, got)
			case was == nil:
				require.Equal(t, approval.Unavailable, got, "nobody is asked a second time")
			default:
				require.Equal(t, approval.AllowedOnce, got, "nothing had been asked")
			}
			require.Equal(t, []string{q.Key + asked, q.Key + decided}, lines(t, dir), "one line of each")
			all, err := s.All(time.Now())
			require.NoError(t, err)
			require.Len(t, all, 1)
			require.NotNil(t, all[0].Decision)
			require.Equal(t, got, all[0].Decision.Answer)
			require.NoError(t, s.Remove(disp1))
			require.NoDirExists(t, filepath.Join(dir, "questions", string(disp1)), "what the dead left goes too")
		})
	}
	for _, kind := range []string{asked, decided} {
		for _, step := range []string{"write", "link", "unlink", "sync"} {
			require.True(t, steps[step+kind], step+kind)
		}
	}
}

// lines are the lines of a dispatch, without what the dead left.
func lines(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "questions", string(disp1)))
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}
