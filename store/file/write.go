package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
)

// Create makes a dispatch live. The links come first, so that on a journalling
// file system the grant's fsync carries them too; all is on disk before the
// record is written.
func (s *Store) Create(ctx context.Context, e store.Entry) (err error) {
	if err := valid(e); err != nil {
		return fmt.Errorf("create dispatch: %w", err)
	}
	l, err := s.lock(ctx, e.Keys.Unit, s.opts.LockWait)
	if err != nil {
		return fmt.Errorf("create dispatch %q: %w", e.ID, err)
	}
	defer l.free()
	if err := s.create(ctx, l, e); err != nil {
		return fmt.Errorf("create dispatch %q: %w", e.ID, err)
	}
	return nil
}

func (s *Store) create(ctx context.Context, l *lock, e store.Entry) error {
	if err := s.unused(e.ID); err != nil {
		return err
	}
	link, dirs, err := s.claim(ctx, l, e)
	if err != nil {
		return err
	}
	if err := s.enter(ctx, link, dirs, e); err != nil {
		s.undo(e)
		return err
	}
	s.compact(l, e)
	return nil
}

// enter does what comes after the claim, of which link is the name; dirs are
// the folders changed so far.
func (s *Store) enter(ctx context.Context, link string, dirs []string, e store.Entry) error {
	more, err := s.index(e.Keys, e.Keys.Profile, e.ID, claimsDir+"/"+link)
	if err != nil {
		return err
	}
	dirs = append(dirs, more...)
	if more, err = s.mkdir(grantsDir); err != nil {
		return err
	}
	dirs = append(append(dirs, grantsDir), more...)
	if err := s.put(grantPath(e.ID, e.Generation), e.Grant); err != nil {
		return err
	}
	if more, err = s.mkdir(liveDir); err != nil {
		return err
	}
	if err := s.sync(append(dirs, more...)...); err != nil {
		return err
	}
	if err := s.put(livePath(e.ID), e.Record); err != nil {
		return err
	}
	if err := s.sync(liveDir); err != nil {
		return err
	}
	return s.confirm(ctx, e)
}

// undo takes back what a failed Create left, the record first. What it cannot
// remove is inert, and Sweep finds it.
func (s *Store) undo(e store.Entry) {
	kill("undo.record")
	_ = s.root.Remove(livePath(e.ID))
	kill("undo.grant")
	_ = s.root.Remove(grantPath(e.ID, e.Generation))
	s.unindex(e.Keys.Name, e.Keys.Profile, e.ID)
	s.unclaim(e.Keys.Claim, e.ID)
}

// Update replaces record and grant of a live dispatch.
func (s *Store) Update(ctx context.Context, e store.Entry, ifGeneration uint64) error {
	if err := s.change(ctx, e, ifGeneration, false, s.profiled, func(bool) {}); err != nil {
		return fmt.Errorf("update dispatch %q: %w", e.ID, err)
	}
	return nil
}

// End replaces record and grant a last time. The record's state is what ends
// the dispatch; moving things to where they belong comes after that, and Sweep
// does it when we die in between.
func (s *Store) End(ctx context.Context, e store.Entry, ifGeneration uint64, hold bool) error {
	if h, err := readHead(e.Record); err != nil || !h.ended {
		return fmt.Errorf("end dispatch %q: the state of its record is not an ended one", e.ID)
	}
	tidy := func(settled bool) {
		if settled {
			s.unindex(e.Keys.Name, store.Held, e.ID)
		} else {
			s.retire(e, hold)
		}
	}
	if err := s.change(ctx, e, ifGeneration, !hold, func(store.Entry) error { return nil }, tidy); err != nil {
		return fmt.Errorf("end dispatch %q: %w", e.ID, err)
	}
	return nil
}

// profiled enters a dispatch under the profile that it is about to have. The entry
// comes first: to whoever finds it, the record says what it is.
func (s *Store) profiled(e store.Entry) error {
	if _, err := readlinkat(s.dir, indexPath(e.Keys.Name, e.Keys.Profile, e.ID)); err == nil {
		return nil
	}
	dirs, err := s.index(e.Keys, e.Keys.Profile, e.ID, "") // a link of its own
	if err != nil {
		return err
	}
	return s.sync(dirs...)
}

// change swaps the pair under the lock of its unit and then, still under it, tidies;
// before is done first of all. With settle it takes an expired dispatch that was put
// away too.
func (s *Store) change(
	ctx context.Context, e store.Entry, ifGeneration uint64, settle bool, before func(store.Entry) error, tidy func(settled bool),
) error {
	if err := valid(e); err != nil {
		return err
	}
	if e.Generation != ifGeneration+1 {
		return fmt.Errorf("generation %d does not follow %d", e.Generation, ifGeneration)
	}
	l, err := s.lock(ctx, e.Keys.Unit, s.opts.LockWait)
	if err != nil {
		return err
	}
	defer l.free()
	cur, err := s.Read(e.ID)
	switch {
	case err != nil:
		return err
	case cur.Ended && !(settle && unsettled(cur)):
		return store.ErrEnded
	case cur.Generation != ifGeneration:
		return fmt.Errorf("%w: generation is %d, not %d", store.ErrGeneration, cur.Generation, ifGeneration)
	}
	dir, path := liveDir, livePath(e.ID)
	settled := false
	if cur.Ended {
		if _, err := s.root.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			dir, path, settled = endedDir, endedPath(e.ID), true
		}
	}
	if err := before(e); err != nil {
		return err
	}
	if err := s.replace(cur, e, dir, path); err != nil {
		return err
	}
	kill("change.grant")
	_ = s.root.Remove(grantPath(e.ID, cur.Generation))
	tidy(settled)
	return nil
}

// unsettled says whether an ended dispatch still waits for its verdict.
func unsettled(e store.Entry) bool {
	h, err := readHead(e.Record)
	return err == nil && h.expired
}

// replace makes e's grant durable and then its record, at path in dir.
func (s *Store) replace(cur, e store.Entry, dir, path string) error {
	file := grantPath(e.ID, e.Generation)
	if err := s.putGrant(cur, e); err != nil {
		return err
	}
	err := s.sync(grantsDir)
	if err == nil {
		err = s.put(path, e.Record)
	}
	if err != nil {
		// The record is still the old one: put replaces it as its last act.
		kill("replace.undo")
		_ = s.root.Remove(file)
		return err
	}
	return s.sync(dir)
}

// putGrant writes a new grant, or gives an unchanged one its next name, which
// spares the fsync of its content.
func (s *Store) putGrant(cur, e store.Entry) error {
	file := grantPath(e.ID, e.Generation)
	if bytes.Equal(cur.Grant, e.Grant) {
		kill("grant.link")
		if s.root.Link(grantPath(cur.ID, cur.Generation), file) == nil {
			return nil
		}
		// A crashed writer's file is in the way, or the file system has no
		// hard links, or they may not be made to another user's file.
	}
	return s.put(file, e.Grant)
}

// retire moves an ended dispatch out of what is live. Nothing here need be
// durable, nor succeed.
func (s *Store) retire(e store.Entry, hold bool) {
	s.archive(e.ID)
	s.unindexOthers(e)
	if hold {
		_ = s.hold(e.Keys, e.Keys.Profile, e.ID)
	} else {
		s.unindex(e.Keys.Name, e.Keys.Profile, e.ID)
	}
	s.unclaim(e.Keys.Claim, e.ID)
}

// archive moves an ended record to its place.
func (s *Store) archive(id store.ID) {
	if _, err := s.mkdir(endedDir); err != nil {
		return
	}
	kill("archive")
	_ = s.root.Rename(livePath(id), endedPath(id))
}

// Free takes an ended dispatch out of the index of held names.
func (s *Store) Free(ctx context.Context, e store.Entry) error {
	if err := validKeys(e); err != nil {
		return fmt.Errorf("free the name of dispatch: %w", err)
	}
	l, err := s.lock(ctx, e.Keys.Unit, s.opts.LockWait)
	if err != nil {
		return fmt.Errorf("free the name of dispatch %q: %w", e.ID, err)
	}
	defer l.free()
	path := indexPath(e.Keys.Name, store.Held, e.ID)
	kill("free")
	err = s.root.Remove(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("free the name of dispatch %q: %w", e.ID, err)
	}
	s.prune(e.Keys.Name, store.Held)
	return nil
}

// Remove deletes ended dispatches, the record of each last but for the grant:
// as long as the record is there, what is left can be found again.
func (s *Store) Remove(ctx context.Context, es ...store.Entry) error {
	for len(es) > 0 {
		unit := es[0].Keys.Unit
		n := slices.IndexFunc(es, func(e store.Entry) bool { return e.Keys.Unit != unit })
		if n < 0 {
			n = len(es)
		}
		if err := s.removeOf(ctx, es[:n]); err != nil {
			return err
		}
		es = es[n:]
	}
	return nil
}

// removeOf deletes dispatches of one unit.
func (s *Store) removeOf(ctx context.Context, es []store.Entry) error {
	for _, e := range es {
		if err := validKeys(e); err != nil {
			return fmt.Errorf("remove dispatch: %w", err)
		}
	}
	l, err := s.lock(ctx, es[0].Keys.Unit, s.opts.LockWait)
	if err != nil {
		return fmt.Errorf("remove dispatch %q: %w", es[0].ID, err)
	}
	defer l.free()
	for _, e := range es {
		if err := s.remove(e); err != nil {
			return fmt.Errorf("remove dispatch %q: %w", e.ID, err)
		}
	}
	return nil
}

func (s *Store) remove(e store.Entry) error {
	cur, file, err := s.readRecord(e.ID)
	if err != nil {
		return err
	}
	if !cur.Ended {
		if _, err := s.Read(e.ID); err != nil {
			return err // its grant is damaged
		}
		return errors.New("it is live")
	}
	s.detach(e, file)
	kill("remove.record")
	if err := s.root.Remove(endedPath(e.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	kill("remove.grant")
	if err := s.root.Remove(grantPath(e.ID, cur.Generation)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// detach takes away what points to an ended dispatch. Nearly always its end did
// that: a look at the links costs a tenth of removing what is not there.
func (s *Store) detach(e store.Entry, file string) {
	if file != endedPath(e.ID) {
		s.archive(e.ID)
	}
	for _, profile := range []string{e.Keys.Profile, store.Held} {
		if _, err := readlinkat(s.dir, indexPath(e.Keys.Name, profile, e.ID)); err != unix.ENOENT {
			s.unindex(e.Keys.Name, profile, e.ID)
		}
	}
	if _, err := readlinkat(s.dir, claimsDir+"/"+e.Keys.Claim); err != unix.ENOENT {
		s.unclaim(e.Keys.Claim, e.ID)
	}
}

// unused refuses an id that is taken: a record is never replaced by another's.
func (s *Store) unused(id store.ID) error {
	_, _, err := s.readRecord(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err == nil:
		return fmt.Errorf("the id is taken: %w", store.ErrExists)
	}
	return err
}

// put replaces a file durably but for its folder's entry.
func (s *Store) put(file string, data []byte) error {
	kill("put.make")
	p, err := renameio.NewPendingFile(file, renameio.WithRoot(s.root), renameio.WithPermissions(s.fileMode), renameio.IgnoreUmask())
	if err != nil {
		return fmt.Errorf("write %q: %w", file, err)
	}
	kill("put.write")
	_, err = p.Write(data)
	if err == nil {
		kill("put.replace")
		err = p.CloseAtomicallyReplace()
	}
	if err != nil {
		kill("put.undo")
		_ = p.Cleanup()
		return fmt.Errorf("write %q: %w", file, err)
	}
	return nil
}

// sync makes the entries of folders durable, which renameio does not. The
// folders are synced side by side: what they wait for is one commit of one
// journal and one flush of one device.
func (s *Store) sync(dirs ...string) error {
	errs := make([]error, len(dirs))
	var wg sync.WaitGroup
	for i, dir := range dirs[1:] {
		wg.Go(func() { errs[i+1] = s.syncFolder(dir) })
	}
	errs[0] = s.syncFolder(dirs[0])
	wg.Wait()
	return errors.Join(errs...)
}

func (s *Store) syncFolder(dir string) error {
	f, err := s.folder(dir)
	if err != nil {
		return fmt.Errorf("sync %q: %w", dir, err)
	}
	kill("sync")
	err = f.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		err = nil // this file system cannot; nothing more can be done
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("sync %q: %w", dir, err)
	}
	return nil
}

// mkdir makes a folder and those above it, and returns the folders that got a
// new entry by it. The modes are set apart: a umask narrows what mkdir gives.
func (s *Store) mkdir(dir string) (changed []string, err error) {
	parent := "."
	for i := 0; i <= len(dir); i++ {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		kill("mkdir.make")
		err := s.root.Mkdir(dir[:i], s.dirMode.Perm())
		if err == nil {
			changed = append(changed, parent)
			kill("mkdir.mode")
			err = s.root.Chmod(dir[:i], s.dirMode)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return changed, fmt.Errorf("make folder %q: %w", dir[:i], err)
		}
		parent = dir[:i]
	}
	return changed, nil
}

// valid checks what a caller gives before any of it reaches a path or a file.
func valid(e store.Entry) error {
	if err := validKeys(e); err != nil {
		return err
	}
	if len(e.Record) > store.MaxSize || len(e.Grant) > store.MaxSize {
		return fmt.Errorf("%q: record or grant has more than %d bytes", e.ID, store.MaxSize)
	}
	h, err := readHead(e.Record)
	if err != nil {
		return fmt.Errorf("%q: record: %w", e.ID, err)
	}
	if h.id != string(e.ID) || h.generation != e.Generation {
		return fmt.Errorf("%q: the record says it is generation %d of %q", e.ID, h.generation, h.id)
	}
	return nil
}

func validKeys(e store.Entry) error {
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
	return nil
}
