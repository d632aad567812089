package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/seed6310be5c/conduct/store"
)

// What is set aside keeps its index entries and its claim, and its file in
// aside/ is the tombstone: Read says that the dispatch is damaged, and Live
// yields it, until Clear.

func asidePath(id store.ID) string      { return asideDir + "/" + string(id) + ".json" }
func asideEndedPath(id store.ID) string { return asideDir + "/" + string(id) + ".ended.json" }

// SetAside moves a damaged dispatch's record and grants out of the way. What
// counts as damaged is the caller's to say: a newer schema is, and the store
// does not know schemas.
func (s *Store) SetAside(ctx context.Context, id store.ID) error {
	if !id.Valid() {
		return fmt.Errorf("set %q aside: %w", id, store.ErrNotFound)
	}
	if err := s.setAside(ctx, id); err != nil {
		return fmt.Errorf("set %q aside: %w", id, err)
	}
	return nil
}

func (s *Store) setAside(ctx context.Context, id store.ID) error {
	from, to := livePath(id), asidePath(id)
	if _, err := s.root.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		from, to = endedPath(id), asideEndedPath(id)
		if _, err := s.root.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			if err := s.notThere(id); !errors.Is(err, store.ErrDamaged) {
				return err
			}
			return nil // it is aside already
		}
	}
	if unit, ok := s.unitOf(id); ok {
		l, err := s.lock(ctx, unit, s.opts.LockWait)
		if err != nil {
			return err
		}
		defer l.free()
	}
	changed, err := s.mkdir(asideDir)
	if err != nil {
		return err
	}
	kill("aside.record")
	if err := s.root.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, grant := range s.grantsOf(id) {
		kill("aside.grant")
		if err := s.root.Rename(grantsDir+"/"+grant, asideDir+"/grant."+grant); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.sync(append(changed, asideDir)...)
}

// unitOf finds the unit of a dispatch whose record cannot tell, by its claim.
func (s *Store) unitOf(id store.ID) (string, bool) {
	for link := range s.list(claimsDir) {
		text, err := s.root.Readlink(claimsDir + "/" + link)
		if err != nil {
			continue
		}
		if unit, ok := strings.CutSuffix(text, "."+string(id)); ok && store.ValidKey(unit) {
			return unit, true
		}
	}
	return "", false
}

// grantsOf are the grants of a dispatch, of whatever generation.
func (s *Store) grantsOf(id store.ID) []string {
	var out []string
	for name := range s.list(grantsDir) {
		if strings.HasPrefix(name, string(id)+".") {
			out = append(out, name)
		}
	}
	return out
}

// Damaged yields what cannot be read, live or set aside, and why.
func (s *Store) Damaged() iter.Seq2[store.Damage, error] {
	return func(yield func(store.Damage, error) bool) {
		for name, err := range s.list(liveDir) {
			if err != nil {
				yield(store.Damage{}, err)
				return
			}
			d, err := s.damage(name)
			if (err != nil || d.File != "") && !yield(d, err) {
				return
			}
		}
		for name, err := range s.list(asideDir) {
			if err != nil {
				yield(store.Damage{}, err)
				return
			}
			id, ok := asideID(name)
			if ok && !yield(store.Damage{ID: id, File: asideDir + "/" + name, Reason: "it was set aside", Aside: true}, nil) {
				return
			}
		}
	}
}

// damage says what is wrong with a file in the live folder; File is "" when
// nothing is.
func (s *Store) damage(name string) (store.Damage, error) {
	id, ok := recordID(name)
	if !ok {
		return store.Damage{File: liveDir + "/" + name, Reason: "its name is not that of a record"}, nil
	}
	_, err := s.Read(id)
	var d *store.DamageError
	if errors.As(err, &d) {
		return store.Damage{ID: id, File: d.File, Reason: d.Reason}, nil
	}
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrForeign) {
		return store.Damage{}, nil
	}
	return store.Damage{}, err
}

// asideID is the id in the name of a record that was set aside.
func asideID(name string) (store.ID, bool) {
	base, ok := strings.CutSuffix(name, ".json")
	base = strings.TrimSuffix(base, ".ended")
	id := store.ID(base)
	return id, ok && id.Valid()
}

// Clear deletes what was set aside: what points to it first, so that it blocks
// until all of it is gone. It returns how many dispatches it cleared.
func (s *Store) Clear(ctx context.Context) (int, error) {
	cleared := map[store.ID]bool{}
	for name, err := range s.list(asideDir) {
		if err != nil {
			return 0, fmt.Errorf("clear: %w", err)
		}
		if id, ok := asideID(name); ok {
			cleared[id] = true
		}
	}
	if len(cleared) == 0 {
		return 0, nil
	}
	t := &tidier{store: s, limit: -1, wait: s.opts.LockWait, fate: func(id store.ID) fate {
		if cleared[id] {
			return gone
		}
		return alive
	}}
	if err := errors.Join(t.names(ctx), t.claims(ctx)); err != nil {
		return 0, fmt.Errorf("clear: %w", err)
	}
	for name := range s.list(asideDir) {
		kill("clear")
		if err := s.root.RemoveAll(asideDir + "/" + name); err != nil {
			return 0, fmt.Errorf("clear: %w", err)
		}
	}
	return len(cleared), nil
}
