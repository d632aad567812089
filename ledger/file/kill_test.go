package file

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

// reporterVar makes this test's program a worker that reports until it is killed:
// folder, item, dispatch and a name.
const reporterVar = "CONDUCT_TEST_REPORTER"

func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv(reporterVar)); len(args) == 4 {
		if err := reportForEver(args[0], store.ID(args[1]), store.ID(args[2]), args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// reportForEver prints each report once it is acknowledged.
func reportForEver(dir string, item, by store.ID, name string) error {
	files, err := records.Open(dir, records.Options{LockWait: time.Minute})
	if err != nil {
		return err
	}
	s := Open(files)
	for n := 0; ; n++ {
		text := fmt.Sprintf("%s-%d", name, n)
		if _, err := tryReport(context.Background(), s, item, by, ledger.Question, text); err != nil {
			return err
		}
		fmt.Println(text)
	}
}

// TestKilledReporters kills workers in the middle of their reports, again and again:
// what they were told is kept is there, once, and the next one can go on.
func TestKilledReporters(t *testing.T) {
	s, dir := newBoard(t)
	const workers, rounds = 6, 3
	var wg sync.WaitGroup
	for w := range workers {
		item, by := bound(t, s)
		wg.Go(func() {
			acked := map[string]bool{}
			for r := range rounds {
				for _, text := range killedReporter(t, dir, item, by, fmt.Sprintf("%d-%d", w, r)) {
					acked[text] = true
				}
				if _, err := s.Item(item); err != nil {
					t.Errorf("after a kill: %v", err)
				}
			}
			events, err := s.Events(item)
			if err != nil {
				t.Errorf("events: %v", err)
			}
			times := map[string]int{}
			for _, e := range events[min(2, len(events)):] {
				times[e.Text]++
			}
			for text := range acked {
				if times[text] != 1 {
					t.Errorf("%s was acknowledged and is there %d times", text, times[text])
				}
			}
			// One that was not acknowledged may be there too, once for each kill.
			if len(times) > len(acked)+rounds || len(acked) == 0 {
				t.Errorf("%d events, %d acknowledged", len(times), len(acked))
			}
		})
	}
	wg.Wait()
	b, err := s.Board()
	require.NoError(t, err)
	require.Len(t, b.Items, workers)
	for _, it := range b.Items {
		report(t, s, it.ID, it.Dispatch, ledger.Done, "the end")
	}
}

// killedReporter runs a worker, kills it after a while, and returns what it was told
// is kept.
func killedReporter(t *testing.T, dir string, item, by store.ID, name string) []string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s", reporterVar, dir, item, by, name))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	var told []string
	lines := bufio.NewScanner(out)
	for most := 1 + rand.IntN(20); len(told) < most && lines.Scan(); {
		told = append(told, lines.Text())
	}
	// It has gone on meanwhile: the kill comes at no step in particular.
	_ = cmd.Process.Kill()
	for lines.Scan() {
		told = append(told, lines.Text()) // on its way when it died
	}
	_ = cmd.Wait()
	return told
}
