// Package file keeps mailboxes below the .conduct folder.
//
//	board/channels/<a>-<b>.jsonl   what two items wrote to each other, one event in each line
//
// Writers of a box hold its lock; who opens a channel holds that of all channels
// before it, since there is a bound on them. Readers take no lock and write nothing.
// An event is on disk before a command says that it is done.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

const (
	dir    = "board/channels"
	suffix = ".jsonl"

	channelsLock = "channels"
)

func path(p mailbox.Pair) string   { return dir + "/" + p.Name() + suffix }
func lockOf(p mailbox.Pair) string { return "channel-" + p.Name() }

// Store keeps the mailboxes of a board. It uses the records' store and is closed with
// it.
type Store struct {
	files *records.Store
	// step is called before each step of a write: a test dies there.
	step func(string)
}

// Open returns the mailboxes below the folder of the records. It writes nothing.
func Open(files *records.Store) *Store { return &Store{files: files, step: func(string) {}} }

// kept is a box with what is known of its file.
type kept struct {
	mailbox.Box
	there bool
	torn  bool // the file ends with a line that is not whole
}

func (s *Store) load(p mailbox.Pair) (kept, error) {
	k := kept{Box: mailbox.Box{Pair: p}}
	events, torn, err := s.read(p)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return k, err
	}
	k.there, k.torn = true, torn
	if k.Box, err = mailbox.Fold(p, events); err != nil {
		return k, &store.DamageError{File: path(p), Reason: err.Error()}
	}
	return k, nil
}

// read returns the events of a pair, and whether a line behind them is torn.
func (s *Store) read(p mailbox.Pair) (events []mailbox.Event, torn bool, err error) {
	data, _, err := s.files.Journal(path(p)).Read(0)
	if err != nil {
		return nil, false, err
	}
	for l := range records.Lines(data) {
		if torn = l.Torn; !l.Counts {
			continue
		}
		e, err := mailbox.Decode(l.Text)
		if err != nil {
			return nil, false, &store.DamageError{File: path(p), Reason: err.Error()}
		}
		events = append(events, e)
	}
	return events, torn, nil
}

// Box returns what two items wrote to each other; nothing is an empty box.
func (s *Store) Box(p mailbox.Pair) (mailbox.Box, error) {
	k, err := s.load(p)
	return k.Box, err
}

// Events returns the events of a box.
func (s *Store) Events(p mailbox.Pair) ([]mailbox.Event, error) {
	events, _, err := s.read(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return events, err
}

// Pairs lists the pairs that have a box; with an item, only its own.
func (s *Store) Pairs(item store.ID) ([]mailbox.Pair, error) {
	var out []mailbox.Pair
	for name, err := range s.files.Names(dir) {
		if err != nil {
			return nil, s.files.Unreadable(dir, err)
		}
		stem, ok := strings.CutSuffix(name, suffix)
		if p, named := mailbox.ParsePair(stem); ok && named && (item == "" || p.Has(item)) {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b mailbox.Pair) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Boxes returns the boxes of an item, of all items for "". One that is damaged is an
// error.
func (s *Store) Boxes(item store.ID) ([]mailbox.Box, error) {
	pairs, err := s.Pairs(item)
	if err != nil {
		return nil, err
	}
	var out []mailbox.Box
	for _, p := range pairs {
		b, err := s.Box(p)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// Unread counts the messages that wait for an item. A box that cannot be read counts
// for nothing here; who fetches from it is told.
func (s *Store) Unread(item store.ID) int {
	pairs, err := s.Pairs(item)
	if err != nil {
		return 0
	}
	n := 0
	for _, p := range pairs {
		if b, err := s.Box(p); err == nil {
			n += b.Unread(item)
		}
	}
	return n
}

// Plan makes the next event of a box, or refuses; it is called under the box's lock.
// ledger.ErrSame says that nothing is to be written.
type Plan func(*mailbox.Box) (mailbox.Event, error)

// Change adds an event to a box. What plan refuses changes nothing.
func (s *Store) Change(ctx context.Context, p mailbox.Pair, plan Plan) (mailbox.Box, error) {
	free, err := s.files.Lock(ctx, lockOf(p))
	if err != nil {
		return mailbox.Box{}, fmt.Errorf("the mailbox: %w", err)
	}
	defer free()
	k, err := s.load(p)
	if err != nil {
		return mailbox.Box{}, err
	}
	e, err := plan(&k.Box)
	if errors.Is(err, ledger.ErrSame) && k.there {
		// Whoever wrote it may have died before it was on disk.
		if serr := s.files.Journal(path(p)).Flush(); serr != nil {
			return mailbox.Box{}, serr
		}
	}
	if err != nil {
		return k.Box, err
	}
	if err := k.Apply(e); err != nil {
		return mailbox.Box{}, fmt.Errorf("box %q: %w", p.Name(), err)
	}
	if err := s.add(&k, append(e.Encode(), '\n')); err != nil {
		return mailbox.Box{}, err
	}
	return k.Box, nil
}

// add makes a line durable.
func (s *Store) add(k *kept, line []byte) error {
	if k.there {
		if k.torn {
			line = append([]byte{'\n'}, line...)
		}
		_, err := s.files.Journal(path(k.Pair)).Append(line, s.step)
		return err
	}
	made, err := s.files.Mkdir(dir)
	if err != nil {
		return err
	}
	s.step("log.put")
	if err := s.files.Put(path(k.Pair), line); err != nil {
		return err
	}
	s.step("log.name")
	return s.files.Sync(append(made, dir)...)
}

// OpenChannel opens a channel between two items. The bound on open channels counts
// those of all other pairs.
func (s *Store) OpenChannel(ctx context.Context, p mailbox.Pair, ttl time.Duration, limit int, now time.Time) (mailbox.Box, error) {
	free, err := s.files.Lock(ctx, channelsLock)
	if err != nil {
		return mailbox.Box{}, fmt.Errorf("the channels: %w", err)
	}
	defer free()
	others := 0
	pairs, err := s.Pairs("")
	if err != nil {
		return mailbox.Box{}, err
	}
	for _, other := range pairs {
		if other == p {
			continue
		}
		b, err := s.Box(other)
		if err != nil || b.Channel.State(now) == mailbox.ChannelOpen { // one that cannot be read may be open
			others++
		}
	}
	return s.Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) { return b.PlanOpen(ttl, limit, others, now) })
}

// Fetch returns the messages that wait for an item, the oldest first and at most
// mailbox.MaxInbox, and how many are left. Each is noted as fetched, durably, before
// it is returned: nobody else gets it. So a caller that dies between the note and what it
// would have done with the messages has fetched them; mailbox.Again finds them. Where the
// notes of one pair cannot be written, its messages wait, and are no error beside those of
// another.
func (s *Store) Fetch(ctx context.Context, item, by store.ID, now time.Time) (got []mailbox.Message, left int, err error) {
	boxes, err := s.Boxes(item)
	if err != nil {
		return nil, 0, err
	}
	next, left := mailbox.Next(boxes, item)
	upto := map[mailbox.Pair]int{}
	for _, m := range next {
		if p, err := mailbox.NewPair(m.From, m.To); err == nil {
			upto[p] = max(upto[p], m.Seq)
		}
	}
	for i := range boxes {
		p := boxes[i].Pair
		if upto[p] == 0 {
			continue
		}
		taken, ferr := s.take(ctx, p, item, by, upto[p], now)
		got, err = append(got, taken...), errors.Join(err, ferr)
	}
	slices.SortStableFunc(got, func(a, b mailbox.Message) int { return a.At.Compare(b.At) })
	if len(got) > 0 {
		err = nil
	}
	return got, left, err
}

// take fetches the messages of one pair up to an event.
func (s *Store) take(ctx context.Context, p mailbox.Pair, item, by store.ID, upto int, now time.Time) ([]mailbox.Message, error) {
	var got []mailbox.Message
	_, err := s.Change(ctx, p, func(b *mailbox.Box) (mailbox.Event, error) {
		got = nil
		for _, m := range b.Messages {
			if m.To == item && m.Seq <= upto && m.Delivered.IsZero() {
				got = append(got, m)
			}
		}
		return b.PlanFetch(item, by, upto, now)
	})
	if errors.Is(err, ledger.ErrSame) {
		return nil, nil // somebody was faster
	}
	if err != nil {
		return nil, err
	}
	return got, nil
}

// Forget deletes the boxes of an item that is gone.
func (s *Store) Forget(ctx context.Context, item store.ID) error {
	pairs, err := s.Pairs(item)
	if err != nil {
		return err
	}
	if len(pairs) == 0 {
		return nil
	}
	for _, p := range pairs {
		if err := s.remove(ctx, p); err != nil {
			return err
		}
	}
	return s.files.Sync(dir)
}

func (s *Store) remove(ctx context.Context, p mailbox.Pair) error {
	free, err := s.files.Lock(ctx, lockOf(p))
	if err != nil {
		return fmt.Errorf("the mailbox: %w", err)
	}
	defer free()
	s.step("remove")
	if err := s.files.Root().Remove(path(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the mailbox %q: %w", p.Name(), err)
	}
	return nil
}
