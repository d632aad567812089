// Package mem keeps dispatches in memory, for the tests of those who use a
// store. It owes what package file owes, within one process.
package mem

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// Store is a store.Store in memory. New makes one.
type Store struct {
	mu    sync.Mutex
	all   map[store.ID]*item
	names map[slot]bool
	marks map[mark]string
}

type item struct {
	entry  store.Entry // with its keys
	damage string      // why it is damaged; "" when it is not
	aside  bool
	held   bool // ended with its name held
}

type slot struct {
	name    string
	profile string
	id      store.ID
}

type mark struct {
	kind store.Kind
	key  string
}

var _ store.Store = (*Store)(nil)

// New returns an empty store.
func New() *Store {
	return &Store{all: map[store.ID]*item{}, names: map[slot]bool{}, marks: map[mark]string{}}
}

// Damage makes a dispatch damaged, as a torn file would be: for tests.
func (s *Store) Damage(id store.ID, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if it := s.all[id]; it != nil {
		it.damage = reason
	}
}

func valid(e store.Entry) error {
	if !e.ID.Valid() {
		return fmt.Errorf("%q is no id", e.ID)
	}
	for _, k := range []string{e.Keys.Unit, e.Keys.Claim, e.Keys.Name, e.Keys.Profile} {
		if !store.ValidKey(k) {
			return fmt.Errorf("%q: %q is no key", e.ID, k)
		}
	}
	if strings.EqualFold(e.Keys.Profile, store.Held) {
		return fmt.Errorf("%q: the profile %q is the store's own", e.ID, store.Held)
	}
	if len(e.Record) > store.MaxSize || len(e.Grant) > store.MaxSize {
		return fmt.Errorf("%q: record or grant has more than %d bytes", e.ID, store.MaxSize)
	}
	return nil
}

// copied shares no bytes with e.
func copied(e store.Entry) store.Entry {
	e.Record, e.Grant = slices.Clone(e.Record), slices.Clone(e.Grant)
	return e
}

// Create makes a dispatch live.
func (s *Store) Create(ctx context.Context, e store.Entry) error {
	if err := cmp.Or(valid(e), ctx.Err()); err != nil {
		return fmt.Errorf("create dispatch: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all[e.ID] != nil {
		return fmt.Errorf("create dispatch %q: the id is taken: %w", e.ID, store.ErrExists)
	}
	for id, it := range s.all {
		if !it.entry.Ended && it.entry.Keys.Claim == e.Keys.Claim {
			return fmt.Errorf("create dispatch %q: %w", e.ID, &store.HeldError{By: id})
		}
	}
	e = copied(e)
	e.Ended = false
	s.all[e.ID] = &item{entry: e}
	s.names[slot{e.Keys.Name, e.Keys.Profile, e.ID}] = true
	return nil
}

// Update replaces record and grant of a live dispatch.
func (s *Store) Update(ctx context.Context, e store.Entry, ifGeneration uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, err := s.changeable(ctx, e, ifGeneration, false)
	if err != nil {
		return fmt.Errorf("update dispatch %q: %w", e.ID, err)
	}
	e.Ended = false
	it.entry = copied(e)
	s.names[slot{e.Keys.Name, e.Keys.Profile, e.ID}] = true
	return nil
}

// End replaces record and grant a last time.
func (s *Store) End(ctx context.Context, e store.Entry, ifGeneration uint64, hold bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !e.Ended {
		return fmt.Errorf("end dispatch %q: its state is not an ended one", e.ID)
	}
	it, err := s.changeable(ctx, e, ifGeneration, !hold)
	if err != nil {
		return fmt.Errorf("end dispatch %q: %w", e.ID, err)
	}
	it.entry, it.held = copied(e), hold
	maps.DeleteFunc(s.names, func(k slot, _ bool) bool { return k.name == e.Keys.Name && k.id == e.ID })
	if hold {
		s.names[slot{e.Keys.Name, store.Held, e.ID}] = true
	}
	return nil
}

// changeable finds a dispatch that may be changed; with settle also one that
// ended with its name held.
func (s *Store) changeable(ctx context.Context, e store.Entry, ifGeneration uint64, settle bool) (*item, error) {
	if err := cmp.Or(valid(e), ctx.Err()); err != nil {
		return nil, err
	}
	if e.Generation != ifGeneration+1 {
		return nil, fmt.Errorf("generation %d does not follow %d", e.Generation, ifGeneration)
	}
	it, err := s.find(e.ID)
	switch {
	case err != nil:
		return nil, err
	case it.entry.Ended && !(settle && it.held):
		return nil, store.ErrEnded
	case it.entry.Generation != ifGeneration:
		return nil, fmt.Errorf("%w: generation is %d, not %d", store.ErrGeneration, it.entry.Generation, ifGeneration)
	}
	return it, nil
}

// find returns a dispatch that can be believed.
func (s *Store) find(id store.ID) (*item, error) {
	it := s.all[id]
	switch {
	case it == nil:
		return nil, store.ErrNotFound
	case it.aside:
		return nil, &store.DamageError{File: string(id), Reason: "it was set aside"}
	case it.damage != "":
		return nil, &store.DamageError{File: string(id), Reason: it.damage}
	}
	return it, nil
}

// Free takes an ended dispatch out of the index of held names.
func (s *Store) Free(_ context.Context, e store.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := valid(e); err != nil {
		return fmt.Errorf("free the name of dispatch: %w", err)
	}
	delete(s.names, slot{e.Keys.Name, store.Held, e.ID})
	return nil
}

// Read returns a dispatch without its keys, as package file does.
func (s *Store) Read(id store.ID) (store.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	it, err := s.find(id)
	if err != nil {
		return store.Entry{}, fmt.Errorf("dispatch %q: %w", id, err)
	}
	e := copied(it.entry)
	e.Keys = store.Keys{}
	return e, nil
}

// Live yields the ids of all live dispatches, the damaged ones among them.
func (s *Store) Live() iter.Seq2[store.ID, error] {
	return s.yield(func(it *item) bool { return !it.entry.Ended })
}

// Ended yields the ids of all ended dispatches.
func (s *Store) Ended() iter.Seq2[store.ID, error] {
	return s.yield(func(it *item) bool { return it.entry.Ended && !it.aside })
}

// Archived is Ended: nothing is ever out of its place here.
func (s *Store) Archived() iter.Seq2[store.ID, error] { return s.Ended() }

// yield takes its list when the loop begins: the body may call the store.
func (s *Store) yield(keep func(*item) bool) iter.Seq2[store.ID, error] {
	return func(yield func(store.ID, error) bool) {
		s.mu.Lock()
		var list []store.ID
		for id, it := range s.all {
			if keep(it) {
				list = append(list, id)
			}
		}
		s.mu.Unlock()
		for _, id := range list {
			if !yield(id, nil) {
				return
			}
		}
	}
}

// Profiles returns the profiles under which an agent name has dispatches.
func (s *Store) Profiles(name string) ([]string, error) {
	if !store.ValidKey(name) {
		return nil, fmt.Errorf("%q is no key", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[string]bool{}
	for k := range s.names {
		if k.name == name {
			seen[k.profile] = true
		}
	}
	held := seen[store.Held]
	delete(seen, store.Held)
	out := slices.Sorted(maps.Keys(seen))
	if held {
		out = append(out, store.Held)
	}
	return out, nil
}

// Named yields the dispatches of an agent name with one profile.
func (s *Store) Named(name, profile string) iter.Seq2[store.ID, error] {
	return func(yield func(store.ID, error) bool) {
		if !store.ValidKey(name) || !store.ValidKey(profile) {
			yield("", fmt.Errorf("%q or %q is no key", name, profile))
			return
		}
		s.mu.Lock()
		var list []store.ID
		for k := range s.names {
			if k.name == name && k.profile == profile {
				list = append(list, k.id)
			}
		}
		s.mu.Unlock()
		for _, id := range list {
			if !yield(id, nil) {
				return
			}
		}
	}
}

// Empty says whether nothing is live.
func (s *Store) Empty() bool {
	for range s.Live() {
		return false
	}
	return true
}

func validMark(k store.Kind, key string) error {
	if !store.ValidKey(string(k)) || !store.ValidKey(key) {
		return fmt.Errorf("mark %q %q: not a valid key", k, key)
	}
	return nil
}

func validValue(v string) bool {
	return len(v) <= store.MaxMark && !strings.ContainsFunc(v, func(r rune) bool {
		return !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:+", r)
	})
}

// Mark creates a mark.
func (s *Store) Mark(k store.Kind, key, value string) error {
	if err := validMark(k, key); err != nil {
		return err
	}
	if !validValue(value) {
		return fmt.Errorf("mark %q %q: not a valid value", k, key)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.marks[mark{k, key}]; ok {
		return fmt.Errorf("mark %q %q: %w", k, key, store.ErrExists)
	}
	s.marks[mark{k, key}] = value
	return nil
}

// Marked returns the value of a mark.
func (s *Store) Marked(k store.Kind, key string) (string, error) {
	if err := validMark(k, key); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.marks[mark{k, key}]
	if !ok {
		return "", fmt.Errorf("mark %q %q: %w", k, key, store.ErrNotFound)
	}
	return v, nil
}

// Marks yields keys and values of a kind.
func (s *Store) Marks(k store.Kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		s.mu.Lock()
		all := maps.Clone(s.marks)
		s.mu.Unlock()
		for m, v := range all {
			if m.kind == k && !yield(m.key, v) {
				return
			}
		}
	}
}

// Unmark removes a mark.
func (s *Store) Unmark(k store.Kind, key string) error {
	if err := validMark(k, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.marks, mark{k, key})
	return nil
}

// Remove deletes ended dispatches.
func (s *Store) Remove(_ context.Context, es ...store.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range es {
		it, err := s.find(e.ID)
		if err == nil && !it.entry.Ended {
			err = errors.New("it is live")
		}
		if err != nil {
			return fmt.Errorf("remove dispatch %q: %w", e.ID, err)
		}
		s.forget(e.ID)
	}
	return nil
}

func (s *Store) forget(id store.ID) {
	delete(s.all, id)
	maps.DeleteFunc(s.names, func(k slot, _ bool) bool { return k.id == id })
}

// Sweep has nothing to do: no write can be left half done.
func (s *Store) Sweep(context.Context, time.Duration, int, bool) (int, error) { return 0, nil }

// SetAside marks a dispatch as damaged until Clear.
func (s *Store) SetAside(_ context.Context, id store.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	it := s.all[id]
	if it == nil {
		return fmt.Errorf("set %q aside: %w", id, store.ErrNotFound)
	}
	it.aside = true
	return nil
}

// Damaged yields what is damaged or set aside.
func (s *Store) Damaged() iter.Seq2[store.Damage, error] {
	return func(yield func(store.Damage, error) bool) {
		s.mu.Lock()
		var list []store.Damage
		for id, it := range s.all {
			switch {
			case it.aside:
				list = append(list, store.Damage{ID: id, File: string(id), Reason: "it was set aside", Aside: true})
			case it.damage != "" && !it.entry.Ended:
				list = append(list, store.Damage{ID: id, File: string(id), Reason: it.damage})
			}
		}
		s.mu.Unlock()
		for _, d := range list {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Clear deletes what was set aside.
func (s *Store) Clear(context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for id, it := range s.all {
		if it.aside {
			s.forget(id)
			n++
		}
	}
	return n, nil
}
