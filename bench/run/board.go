package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/dispatch/mint"
	"github.com/seed6310be5c/conduct/ledger"
	ledgerfile "github.com/seed6310be5c/conduct/ledger/file"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
)

// worker is an item with the dispatch that works on it.
type worker struct{ item, dispatch string }

// worker makes the i-th unit's item and dispatches it.
func (w *world) worker(i int) (worker, error) {
	item, err := w.conduct("board", "create", "--title", unitName(i), "--acceptance", "it works")
	if err != nil {
		return worker{}, err
	}
	item = strings.TrimSpace(item)
	said, err := w.conduct("dispatch", "--unit", unitName(i), "--agent", agent, "--item", item)
	id, _, _ := strings.Cut(said, "\n")
	return worker{item, id}, err
}

// verb is a worker's verb.
func (w *world) verb(by worker, says string, args ...string) proc {
	argv := append([]string{w.tools.conduct, args[0], "--dispatch", by.dispatch}, args[1:]...)
	return proc{argv: argv, dir: w.root, env: w.tools.env, says: says}
}

// channel lets two workers write to each other, for as many messages as there may be.
func (w *world) channel(a, b worker) error {
	_, err := w.conduct("channel", "open", "--from", a.item, "--to", b.item, "--messages", fmt.Sprint(mailbox.MaxMessages))
	return err
}

// boardWrites compares what workers write with a bare program that keeps a log.
func boardWrites(b *bench) ([]row, error) {
	w, err := newWorld(b.tools, b.place("board"), 2)
	if err != nil {
		return nil, err
	}
	var workers [2]worker
	for i := range workers {
		if workers[i], err = w.worker(i); err != nil {
			return nil, err
		}
	}
	bare := b.place("board-floor")
	if err := os.Mkdir(bare, 0o755); err != nil {
		return nil, err
	}
	floor := proc{argv: []string{b.tools.appendwrite, bare}, dir: b.dir, env: b.tools.env}
	me, other := workers[0], workers[1]
	rounds := min(b.rounds, slowRounds) // an item has room for so many reports
	var got [4]series
	for i := range rounds {
		if i%mailbox.MaxMessages == 0 {
			if err := w.channel(me, other); err != nil {
				return nil, err
			}
		}
		text := fmt.Sprint(i)
		procs := []proc{
			w.verb(me, "reported", "report", "--kind", "question", text), floor,
			w.verb(me, "inbox", "message", "--to", other.item, text), w.verb(other, text, "inbox"),
		}
		order := []int{0, 1, 2, 3}
		if i%2 == 1 {
			order = []int{2, 1, 3, 0}
		}
		for _, at := range order { // a message comes before its fetch
			c, err := procs[at].run()
			if err != nil {
				return nil, err
			}
			got[at] = append(got[at], c)
		}
	}
	p50 := got[1].p50()
	return []row{
		ratio("`conduct report`", "≤ 2 × bare lock, append, fsync and (write, fsync, rename, folder fsync)", 2, got[0].p50(), p50),
		ratio("`conduct message`", "", 0, got[2].p50(), p50),
		ratio("`conduct inbox` that fetches one", "", 0, got[3].p50(), p50),
	}, nil
}

// boardOf makes a board of some items, so many of them open, each with as many events as
// there may be before the close. It returns a dispatch that works on an open one.
func (b *bench) boardOf(items, open int) (*file.Store, store.ID, error) {
	dir := b.place(fmt.Sprintf("board-%d-%d", items, open))
	if err := file.Init(dir); err != nil {
		return nil, "", err
	}
	files, err := file.Open(dir, file.Options{})
	if err != nil {
		return nil, "", err
	}
	s := ledgerfile.Open(files)
	var by store.ID
	for n := range items {
		if by, err = fillItem(s, dir, n >= items-open); err != nil {
			return nil, "", errors.Join(err, files.Close())
		}
	}
	return files, by, nil
}

// fillItem makes an item. Most of its events are written past the store, which would wait
// for the disk after each; the last one is the store's, which folds the rest.
func fillItem(s *ledgerfile.Store, dir string, open bool) (by store.ID, err error) {
	ctx, now := context.Background(), time.Now()
	var ids [2]store.ID
	for i := range ids {
		if ids[i], err = mint.ULID(rand.Reader)(now); err != nil {
			return "", err
		}
	}
	id, by := ids[0], ids[1]
	_, err = s.Create(ctx, id, func(b *ledger.Board) (ledger.Event, error) {
		return b.PlanCreate(ledger.New{Title: "a title of usual length", Acceptance: "what it takes"}, now)
	})
	if err != nil {
		return "", err
	}
	it, err := s.Bind(ctx, by, id, func(it *ledger.Item) (ledger.Event, error) { return it.PlanBind(by, false, now) })
	if err != nil {
		return "", err
	}
	var data []byte
	for n := it.Events; n < ledger.MaxEvents-2; n++ {
		e, err := it.PlanReport(by, ledger.Report{Kind: ledger.Question, Summary: fmt.Sprintf("report number %d of this item", n)}, now)
		if errors.Is(err, ledger.EventCapExceeded) { // the places that are the conductor's
			e, err = it.PlanDecision(fmt.Sprintf("answer number %d", n), now)
		}
		if err == nil {
			err = it.Apply(e)
		}
		if err != nil {
			return "", err
		}
		data = append(append(data, e.Encode()...), '\n')
	}
	if err := appendTo(filepath.Join(dir, "board", "events", string(id)+".jsonl"), data); err != nil {
		return "", err
	}
	_, err = s.Change(ctx, id, func(it *ledger.Item) (ledger.Event, error) {
		if !open {
			return it.PlanClose(now)
		}
		return it.PlanDecision("go on", now)
	})
	return by, err
}

func appendTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// boardReads times the views of boards, from the files to the bytes.
func boardReads(b *bench) ([]row, error) {
	var briefs []time.Duration
	var all time.Duration
	for _, n := range []struct{ items, open int }{{2, 2}, {ledger.MaxOpen, ledger.MaxOpen}, {ledger.MaxStored, ledger.MaxOpen}} {
		files, by, err := b.boardOf(n.items, n.open)
		if err != nil {
			return nil, err
		}
		took, err := timed(func() error { return brief(files, by) })
		if err == nil {
			all, err = repeated(batches, 1, func() error { return whole(files, n.items) })
		}
		if err := errors.Join(err, files.Close()); err != nil {
			return nil, err
		}
		briefs = append(briefs, took)
	}
	return []row{
		milliseconds("the board: 256 items of 199 events each", "≤ 20 ms", 20, all),
		milliseconds("a brief: 256 items, 32 of them open", "≤ 2 ms", 2, briefs[2]),
		ratio("a brief of 256 items against one of 32, all of these open", "≤ 1.15 ×", 1.15, briefs[2], briefs[1]),
		ratio("a brief that shows 31 siblings against one that shows one", "", 0, briefs[2], briefs[0]),
	}, nil
}

// whole is the conductor's view.
func whole(files *file.Store, items int) error {
	board, err := ledgerfile.Open(files).Board()
	if err != nil {
		return err
	}
	if n := len(board.Items); n != items {
		return fmt.Errorf("%d items, not %d", n, items)
	}
	ledger.Encode(board.Conductor(present()))
	return nil
}

// brief is a worker's view.
func brief(files *file.Store, by store.ID) error {
	board, own, err := ledgerfile.Open(files).Brief(by)
	if err != nil {
		return err
	}
	v, err := board.Brief(own, present())
	if err != nil {
		return err
	}
	ledger.Encode(v)
	return nil
}

func present() ledger.Present {
	return ledger.Present{Now: time.Now(), Live: func(store.ID) bool { return true }, Unread: func(store.ID) int { return 0 }, Unit: func(store.ID) string { return "" }}
}
