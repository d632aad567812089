package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/store"
)

// chunk is how many names are read at once: a caller that stops after two of
// ten thousand has not paid for the rest.
const chunk = 128

// list yields the names in a folder, none when it is not there.
func (s *Store) list(dir string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		f, err := s.folder(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield("", fmt.Errorf("list %q: %w", dir, err))
			return
		}
		defer f.Close()
		for {
			names, err := f.Readdirnames(chunk)
			for _, name := range names {
				if !yield(name, nil) {
					return
				}
			}
			// A folder that is removed while it is read has nothing more in it.
			if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrNotExist) {
				return
			}
			if err != nil {
				yield("", fmt.Errorf("list %q: %w", dir, err))
				return
			}
		}
	}
}

// folder opens a folder. What stands in its place is never opened: whoever opens a FIFO
// waits for somebody who writes to it.
func (s *Store) folder(dir string) (*os.File, error) {
	return s.root.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0)
}

// records yields the ids of the records in a folder, whatever their content.
func (s *Store) records(dir string) iter.Seq2[store.ID, error] {
	return func(yield func(store.ID, error) bool) {
		for name, err := range s.list(dir) {
			if err != nil {
				yield("", err)
				return
			}
			if id, ok := recordID(name); ok && !yield(id, nil) {
				return
			}
		}
	}
}

// Live yields the ids of all live dispatches, in no order. What is damaged or
// set aside counts as live, since nobody knows that it has ended.
func (s *Store) Live() iter.Seq2[store.ID, error] {
	return func(yield func(store.ID, error) bool) {
		for id, err := range s.records(liveDir) {
			if err == nil && !s.inLive(id, false) {
				continue
			}
			if !yield(id, err) || err != nil {
				return
			}
		}
		for id, err := range s.records(asideDir) {
			if !yield(id, err) || err != nil {
				return
			}
		}
	}
}

// Ended yields the ids of all ended dispatches that are kept.
func (s *Store) Ended() iter.Seq2[store.ID, error] {
	return func(yield func(store.ID, error) bool) {
		// The live folder first: what moves meanwhile is then yielded twice at
		// worst, and not missed.
		for id, err := range s.records(liveDir) {
			if err == nil && !s.inLive(id, true) {
				continue
			}
			if !yield(id, err) || err != nil {
				return
			}
		}
		for id, err := range s.Archived() {
			if !yield(id, err) || err != nil {
				return
			}
		}
	}
}

// Archived yields the ids of the ended dispatches that lie in their place.
func (s *Store) Archived() iter.Seq2[store.ID, error] { return s.records(endedDir) }

// inLive says whether a record in the live folder has ended, or has not; one
// that is no longer there is neither.
func (s *Store) inLive(id store.ID, ended bool) bool {
	data, err := s.readFile(livePath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return !ended
	}
	h, err := readHead(data)
	if err != nil {
		return !ended
	}
	return h.ended == ended
}

// Empty says whether nothing is live. A record that only waits to be tidied
// away counts as live, and so does an error.
func (s *Store) Empty() bool {
	for _, dir := range []string{liveDir, asideDir} {
		for range s.list(dir) {
			return false
		}
	}
	return true
}

// Profiles returns the profiles under which an agent name has dispatches, Held
// last. A profile that just lost its last dispatch may be among them.
func (s *Store) Profiles(name string) ([]string, error) {
	if !store.ValidKey(name) {
		return nil, fmt.Errorf("%q is no key", name)
	}
	var out []string
	held := false
	for profile, err := range s.list(namesDir + "/" + name) {
		switch {
		case err != nil:
			return nil, err
		case profile == store.Held:
			held = true
		case store.ValidKey(profile):
			out = append(out, profile)
		}
	}
	slices.Sort(out)
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
		for name, err := range s.list(namesDir + "/" + name + "/" + profile) {
			if err != nil {
				yield("", err)
				return
			}
			if id := store.ID(name); id.Valid() && !yield(id, nil) {
				return
			}
		}
	}
}
