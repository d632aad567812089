package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// maxReplaced is how many lines that were replaced a log holds before it is
// written anew without them.
const maxReplaced = 200

// Plan makes the next event of an item, or refuses; it is called under the item's
// lock. ledger.ErrSame says that nothing is to be written.
type Plan func(*ledger.Item) (ledger.Event, error)

// SetGoal replaces the goal.
func (s *Store) SetGoal(ctx context.Context, goal string) error {
	if err := ledger.CheckGoal(goal); err != nil {
		return err
	}
	free, err := s.lock(ctx, boardLock)
	if err != nil {
		return err
	}
	defer free()
	if had, err := s.goal(); err != nil || had == goal {
		return err
	}
	made, err := s.files.Mkdir(top)
	if err != nil {
		return err
	}
	s.step("goal")
	if err := s.files.Put(goalFile, encodeGoal(goal)); err != nil {
		return err
	}
	return s.files.Sync(append(made, top)...)
}

func (s *Store) lock(ctx context.Context, key string) (func(), error) {
	free, err := s.files.Lock(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("the board: %w", err)
	}
	return free, nil
}

// Create makes an item with an id that was minted for it.
func (s *Store) Create(ctx context.Context, id store.ID, plan func(*ledger.Board) (ledger.Event, error)) (ledger.Item, error) {
	if !id.Valid() {
		return ledger.Item{}, fmt.Errorf("make item %q: it is no id", id)
	}
	free, err := s.lock(ctx, boardLock)
	if err != nil {
		return ledger.Item{}, err
	}
	defer free()
	b, err := s.Board()
	if err != nil {
		return ledger.Item{}, err
	}
	e, err := plan(&b)
	if err != nil {
		return ledger.Item{}, err
	}
	if _, err := s.root.Lstat(logPath(id)); !errors.Is(err, fs.ErrNotExist) {
		return ledger.Item{}, fmt.Errorf("make item %q: %w", id, store.ErrExists)
	}
	k := kept{Item: ledger.Item{ID: id}}
	if err := k.Apply(e); err != nil {
		return ledger.Item{}, err
	}
	dirs := []string{eventsDir}
	for _, dir := range []string{eventsDir, openDir} {
		made, err := s.files.Mkdir(dir)
		if err != nil {
			return ledger.Item{}, err
		}
		dirs = append(dirs, made...)
	}
	if err := s.begin(&k, []ledger.Event{e}, dirs); err != nil {
		return ledger.Item{}, err
	}
	s.keep(&k)
	s.settle(&b)
	return k.Item, nil
}

// begin writes a log anew, as a whole and durably.
func (s *Store) begin(k *kept, events []ledger.Event, dirs []string) error {
	var data []byte
	for i := range events {
		data = append(append(data, events[i].Encode()...), '\n')
	}
	s.step("log.put")
	if err := s.files.Put(logPath(k.ID), data); err != nil {
		return err
	}
	slices.Sort(dirs)
	s.step("log.name")
	if err := s.files.Sync(slices.Compact(dirs)...); err != nil {
		return err
	}
	k.size, k.lines, k.torn = int64(len(data)), len(events), false
	return nil
}

// keep writes down what an item was folded to. It need not be durable, nor
// succeed: the event is kept, and whoever finds an older fold folds the rest.
func (s *Store) keep(k *kept) {
	s.step("snapshot")
	if s.files.Put(openPath(k.ID), k.encode()) == nil && !k.Open() {
		s.archive(k.ID)
	}
}

// archive moves a closed item to its place. That it lags behind is no harm.
func (s *Store) archive(id store.ID) {
	if _, err := s.files.Mkdir(closedDir); err != nil {
		return
	}
	s.step("archive")
	_ = s.root.Rename(openPath(id), closedPath(id))
}

// settle moves closed items whose writer died before it did. It is called under the
// board's lock; nobody writes to what is closed.
func (s *Store) settle(b *ledger.Board) {
	for i := range b.Items {
		if it := &b.Items[i]; !it.Open() {
			if _, err := s.root.Lstat(openPath(it.ID)); err == nil {
				s.archive(it.ID)
			}
		}
	}
}

// Change adds an event to an item. What plan refuses changes nothing.
func (s *Store) Change(ctx context.Context, id store.ID, plan Plan) (ledger.Item, error) {
	return s.change(ctx, id, plan, func() error { return nil })
}

// change is Change; before is done when the event is planned and not yet written.
func (s *Store) change(ctx context.Context, id store.ID, plan Plan, before func() error) (ledger.Item, error) {
	if !id.Valid() {
		return ledger.Item{}, ledger.Unknown(id)
	}
	if _, err := s.root.Lstat(logPath(id)); errors.Is(err, fs.ErrNotExist) {
		_, err := s.load(id) // what is not there gets no lock
		if err != nil {
			return ledger.Item{}, err
		}
	}
	free, err := s.lock(ctx, lockOf(id))
	if err != nil {
		return ledger.Item{}, err
	}
	defer free()
	k, err := s.load(id)
	if err != nil {
		return ledger.Item{}, err
	}
	e, err := plan(&k.Item)
	same := errors.Is(err, ledger.ErrSame)
	if err != nil && !same {
		return ledger.Item{}, err
	}
	if err := before(); err != nil {
		return ledger.Item{}, err
	}
	if same {
		// Whoever wrote it may have died before the rest.
		if !k.whole {
			if serr := s.log(id).Flush(); serr != nil {
				return ledger.Item{}, serr
			}
			s.keep(&k)
		}
		return k.Item, err
	}
	if err := s.add(&k, e); err != nil {
		return ledger.Item{}, err
	}
	s.keep(&k)
	return k.Item, nil
}

// Hold does something while nothing else happens to an item.
func (s *Store) Hold(ctx context.Context, id store.ID, do func(*ledger.Item) error) error {
	if !id.Valid() {
		return ledger.Unknown(id)
	}
	free, err := s.lock(ctx, lockOf(id))
	if err != nil {
		return err
	}
	defer free()
	it, err := s.Item(id)
	if err != nil {
		return err
	}
	return do(&it)
}

// add makes an event durable, and part of the item.
func (s *Store) add(k *kept, e ledger.Event) error {
	next := *k
	if err := next.Apply(e); err != nil {
		return fmt.Errorf("item %q: %w", k.ID, err)
	}
	line := append(e.Encode(), '\n')
	if k.torn {
		line = append([]byte{'\n'}, line...)
	}
	if k.lines-k.Events >= maxReplaced || k.size+int64(len(line))+tornRoom > store.MaxSize {
		events, err := s.events(k.ID)
		if err != nil {
			return err
		}
		if err := s.begin(&next, ledger.Compact(append(events, e)), []string{eventsDir}); err != nil {
			return err
		}
		*k = next
		return nil
	}
	size, err := s.log(k.ID).Append(line, s.step)
	if err != nil {
		return err
	}
	next.size, next.lines, next.torn = size, k.lines+1, false
	*k = next
	return nil
}

// tornRoom is more than a torn line may have.
const tornRoom = 16 << 10

// Bind binds a dispatch to an item: ledger.AlreadyBound when it is bound to another
// one. The link comes first: without the event it binds nothing, and the next
// binding of that dispatch replaces it.
func (s *Store) Bind(ctx context.Context, id, to store.ID, plan Plan) (ledger.Item, error) {
	free, err := s.lock(ctx, boardLock)
	if err != nil {
		return ledger.Item{}, err
	}
	defer free()
	item, err := s.linked(id)
	switch {
	case errors.Is(err, ledger.NotBound):
	case err != nil:
		return ledger.Item{}, err
	case item != to:
		it, err := s.Item(item)
		if err != nil && !errors.Is(err, ledger.UnknownItem) {
			return ledger.Item{}, err
		}
		if err == nil && it.Dispatch == id {
			return ledger.Item{}, ledger.Bound(id, item)
		}
	}
	return s.change(ctx, to, plan, func() error {
		if item == to {
			return nil
		}
		return s.link(id, to, item != "")
	})
}

// link makes the link of a dispatch, in the place of one that binds nothing.
func (s *Store) link(id, to store.ID, replace bool) error {
	made, err := s.files.Mkdir(bindingsDir)
	if err != nil {
		return err
	}
	if replace {
		s.step("unlink")
		if err := s.root.Remove(linkPath(id)); err != nil {
			return err
		}
	}
	s.step("link")
	if err := s.root.Symlink("="+string(to), linkPath(id)); err != nil {
		return fmt.Errorf("bind dispatch %q: %w", id, err)
	}
	return s.files.Sync(append(made, bindingsDir)...)
}

// ErrOpen is returned by Remove for an item that is open.
var ErrOpen = errors.New("the item is open")

// Remove deletes an item that is closed or damaged, with its events, which go first:
// without them it is no item.
func (s *Store) Remove(ctx context.Context, id store.ID) error {
	if !id.Valid() {
		return ledger.Unknown(id)
	}
	free, err := s.lock(ctx, boardLock)
	if err != nil {
		return err
	}
	defer free()
	if it, err := s.Item(id); err != nil && !errors.Is(err, store.ErrDamaged) {
		return err
	} else if err == nil && it.Open() {
		return fmt.Errorf("remove item %q: %w", id, ErrOpen)
	}
	freeItem, err := s.lock(ctx, lockOf(id))
	if err != nil {
		return err
	}
	defer freeItem()
	for _, file := range []string{logPath(id), openPath(id), closedPath(id)} {
		s.step("remove")
		if err := s.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove item %q: %w", id, err)
		}
	}
	s.unlink(id)
	return s.files.Sync(eventsDir)
}

// unlink removes the links to an item that is gone. They bind nothing.
func (s *Store) unlink(item store.ID) {
	ids, err := s.ids(bindingsDir, "")
	if err != nil {
		return
	}
	for _, id := range ids {
		if to, err := s.linked(id); err == nil && to == item {
			s.step("unlink.gone")
			_ = s.root.Remove(linkPath(id))
		}
	}
}
