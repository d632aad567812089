// Package file keeps the board of a workspace below its .conduct folder.
//
//	board/board.json               the goal
//	board/events/<item>.jsonl      the events of an item, one line each: the truth
//	board/open/<item>.json         what they were folded to, of an item that is open
//	board/closed/<item>.json       the same of one that is closed
//	board/bindings/<dispatch>      link whose text is =<item>
//	board/told.json                how far the conductor was told
//
// There is one board for a workspace, not one for each session of a conductor: a
// session ends, is compacted or resumed under another id, while the workspace, its
// units and its dispatches stay. Who made an item is noted in it.
//
// An event is appended and on disk before anything else is done, and what it was
// folded to is replaced after that. Where a writer died in between, readers fold
// the rest by themselves, and the next writer of the item writes it down. Only
// lines that are whole count: a torn one was never acknowledged. A fold whose events
// do not follow each other without a gap is damaged, so no acknowledged event is
// lost unseen.
//
// Writers of an item hold its lock; who makes or binds one holds the board's
// before it. Readers take no lock and write nothing.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/wire"
)

const (
	top         = "board"
	goalFile    = top + "/board.json"
	eventsDir   = top + "/events"
	openDir     = top + "/open"
	closedDir   = top + "/closed"
	bindingsDir = top + "/bindings"
	toldFile    = top + "/told.json"

	boardLock = "board"
)

func logPath(id store.ID) string    { return eventsDir + "/" + string(id) + ".jsonl" }
func openPath(id store.ID) string   { return openDir + "/" + string(id) + ".json" }
func closedPath(id store.ID) string { return closedDir + "/" + string(id) + ".json" }
func linkPath(id store.ID) string   { return bindingsDir + "/" + string(id) }
func lockOf(id store.ID) string     { return boardLock + "-" + string(id) }

// Store is a board on disk. It uses the records' store and is closed with it.
type Store struct {
	files *records.Store
	root  *os.Root
	// step is called before each step of a write: a test dies there.
	step func(string)
}

// Open returns the board below the folder of the records. It writes nothing.
func Open(files *records.Store) *Store {
	return &Store{files: files, root: files.Root(), step: func(string) {}}
}

// kept is an item with what is known of its file of events.
type kept struct {
	ledger.Item
	size  int64 // bytes of the log that the item was folded from
	lines int   // whole lines in it, those that were replaced too
	torn  bool  // the log goes on with a line that is not whole
	whole bool  // what lies on disk is the item as it is: nothing is to be folded
}

// load reads an item: what it was folded to, and the events that came since.
func (s *Store) load(id store.ID) (kept, error) {
	if !id.Valid() {
		return kept{}, ledger.Unknown(id)
	}
	k, file, err := s.snapshot(id)
	if err != nil {
		return kept{}, err
	}
	if k.size > 0 && s.log(id).Size() == k.size {
		k.whole = true
		return k, nil
	}
	data, from, err := s.log(id).Read(k.size)
	if errors.Is(err, fs.ErrNotExist) {
		if file != openPath(id) {
			return kept{}, ledger.Unknown(id) // a removal that died
		}
		return kept{}, &store.DamageError{File: logPath(id), Reason: "it is missing"}
	}
	if err != nil {
		return kept{}, err
	}
	had := k.Events
	if from == 0 {
		k = kept{Item: ledger.Item{ID: id}}
	}
	if err := k.fold(data); err != nil {
		return kept{}, &store.DamageError{File: logPath(id), Reason: err.Error()}
	}
	switch {
	case k.Events < had:
		return kept{}, &store.DamageError{File: logPath(id), Reason: fmt.Sprintf("it ends with event %d, after %d there were", k.Events, had)}
	case k.Events == 0:
		return kept{}, ledger.Unknown(id) // its creation died
	}
	return k, nil
}

// snapshot reads what an item was folded to, and says from which file; of one that
// has none yet, nothing.
func (s *Store) snapshot(id store.ID) (kept, string, error) {
	for _, file := range []string{openPath(id), closedPath(id)} { // in the order in which it moves
		data, err := s.files.ReadDocument(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return kept{}, file, err
		}
		k, err := decode(data, id)
		if err != nil {
			return kept{}, file, &store.DamageError{File: file, Reason: err.Error()}
		}
		return k, file, nil
	}
	return kept{}, "", nil
}

// encode writes an item and how far it was folded.
func (k *kept) encode() []byte {
	var w wire.Writer
	w.Object("").Int("log_size", k.size).Int("log_lines", int64(k.lines))
	k.Write(&w, "item")
	w.End()
	return append(w.Bytes(), '\n')
}

func decode(data []byte, id store.ID) (kept, error) {
	var k kept
	fields := 0
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		fields++
		switch name {
		case "log_size":
			k.size, err = r.Int()
		case "log_lines":
			var n int64
			n, err = r.Int()
			k.lines = int(n)
		case "item":
			k.Item, err = ledger.ReadItem(r, id)
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && (fields != 3 || k.size < 1 || k.lines < k.Events) {
		err = errors.New("a field is missing")
	}
	return k, err
}

func (s *Store) log(id store.ID) records.Journal { return s.files.Journal(logPath(id)) }

// fold applies the lines of a log that count.
func (k *kept) fold(data []byte) error {
	for l := range records.Lines(data) {
		if l.Torn {
			k.torn = true
			return nil
		}
		k.size += l.Size
		if !l.Counts {
			continue
		}
		e, err := ledger.DecodeEvent(l.Text)
		if err == nil {
			err = k.Apply(e)
		}
		if err != nil {
			return err
		}
		k.lines++
	}
	return nil
}

// Item returns an item: an error that is ledger.UnknownItem, or store.ErrDamaged.
func (s *Store) Item(id store.ID) (ledger.Item, error) {
	k, err := s.load(id)
	return k.Item, err
}

// Events returns the events of an item, without those that were replaced.
func (s *Store) Events(id store.ID) ([]ledger.Event, error) {
	if _, err := s.load(id); err != nil { // so that what is damaged is not half shown
		return nil, err
	}
	events, err := s.events(id)
	return ledger.Compact(events), err
}

func (s *Store) events(id store.ID) ([]ledger.Event, error) {
	data, _, err := s.log(id).Read(0)
	if err != nil {
		return nil, err
	}
	var out []ledger.Event
	for l := range records.Lines(data) {
		if !l.Counts {
			continue
		}
		e, err := ledger.DecodeEvent(l.Text)
		if err != nil {
			return nil, &store.DamageError{File: logPath(id), Reason: err.Error()}
		}
		out = append(out, e)
	}
	return out, nil
}

// ids lists the items whose files of a kind are in a folder, oldest first.
func (s *Store) ids(dir, suffix string) ([]store.ID, error) {
	var out []store.ID
	for name, err := range s.files.Names(dir) {
		if err != nil {
			return nil, s.files.Unreadable(dir, err)
		}
		stem, ok := strings.CutSuffix(name, suffix)
		if id := store.ID(stem); ok && id.Valid() {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Board reads the goal and every item. What cannot be read is an error, so that
// nobody takes a damaged board for one on which nothing happened.
func (s *Store) Board() (ledger.Board, error) {
	var b ledger.Board
	var err error
	if b.Goal, err = s.goal(); err != nil {
		return b, err
	}
	if err := s.orphans(); err != nil {
		return b, err
	}
	ids, err := s.ids(eventsDir, ".jsonl")
	if err != nil {
		return b, err
	}
	for _, id := range ids {
		it, err := s.Item(id)
		if errors.Is(err, ledger.UnknownItem) {
			continue
		}
		if err != nil {
			return b, err
		}
		b.Items = append(b.Items, it)
	}
	return b, nil
}

// orphans fails when there is an open item whose events are gone.
func (s *Store) orphans() error {
	ids, err := s.ids(openDir, ".json")
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := s.root.Lstat(logPath(id)); err != nil {
			if _, err := s.load(id); err != nil && !errors.Is(err, ledger.UnknownItem) {
				return err
			}
		}
	}
	return nil
}

// Brief reads what the worker of a dispatch gets to see: the item that it is bound
// to, and the other open ones. Of those, one that cannot be read is left out: a
// worker can do nothing about it.
func (s *Store) Brief(id store.ID) (ledger.Board, store.ID, error) {
	own, err := s.BoundItem(id)
	if err != nil {
		return ledger.Board{}, "", err
	}
	ids, err := s.ids(openDir, ".json")
	if err != nil {
		return ledger.Board{}, "", err
	}
	b := ledger.Board{}
	for _, other := range ids {
		if other == own.ID {
			continue
		}
		if it, err := s.Item(other); err == nil && it.Open() {
			b.Items = append(b.Items, it)
		}
	}
	b.Items = append(b.Items, own)
	return b, own.ID, nil
}

// BoundItem returns the item that a dispatch works on: ledger.NotBound when it is
// bound to none, or another one was bound to its item since.
func (s *Store) BoundItem(id store.ID) (ledger.Item, error) {
	item, err := s.linked(id)
	if err != nil {
		return ledger.Item{}, err
	}
	it, err := s.Item(item)
	switch {
	case errors.Is(err, ledger.UnknownItem), err == nil && it.Dispatch != id:
		return ledger.Item{}, ledger.Unbound(id)
	case err != nil:
		return ledger.Item{}, err
	}
	return it, nil
}

// linked returns the item that a dispatch's link names.
func (s *Store) linked(id store.ID) (store.ID, error) {
	if !id.Valid() {
		return "", ledger.Unbound(id)
	}
	text, err := s.root.Readlink(linkPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ledger.Unbound(id)
	}
	if err != nil {
		return "", s.files.Unreadable(linkPath(id), err)
	}
	item, ok := strings.CutPrefix(text, "=")
	if !ok || !store.ID(item).Valid() {
		return "", &store.DamageError{File: linkPath(id), Reason: "it names no item"}
	}
	return store.ID(item), nil
}

// Told reads what SetTold wrote: fs.ErrNotExist when it never did.
func (s *Store) Told() ([]byte, error) { return s.files.ReadDocument(toldFile) }

// SetTold notes how far the conductor was told of what happened. Where that is lost,
// it is told again.
func (s *Store) SetTold(ctx context.Context, data []byte) error {
	free, err := s.lock(ctx, boardLock)
	if err != nil {
		return err
	}
	defer free()
	if _, err := s.files.Mkdir(top); err != nil {
		return err
	}
	return s.files.Put(toldFile, data)
}

// goal reads the goal, "" when none was set.
func (s *Store) goal() (string, error) {
	data, err := s.files.ReadDocument(goalFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	goal, err := decodeGoal(data)
	if err != nil {
		return "", &store.DamageError{File: path.Base(goalFile), Reason: err.Error()}
	}
	return goal, nil
}

func encodeGoal(goal string) []byte {
	var w wire.Writer
	w.Object("").Int("schema", ledger.Schema).String("goal", goal).End()
	return append(w.Bytes(), '\n')
}

func decodeGoal(data []byte) (string, error) {
	goal, schema := "", int64(0)
	r := wire.NewReader(data)
	err := r.Object(func(name string) (err error) {
		switch name {
		case "schema":
			schema, err = r.Int()
		case "goal":
			goal, err = r.String()
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err == nil && schema != ledger.Schema {
		err = fmt.Errorf("schema %d, this program knows %d", schema, ledger.Schema)
	}
	if err == nil {
		err = ledger.CheckGoal(goal)
	}
	return goal, err
}
