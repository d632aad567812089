package file

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed6310be5c/conduct/store"
)

// pruneTries is how often an index entry is tried when others remove the
// folder that we have just found or made.
const pruneTries = 16

func indexPath(name, profile string, id store.ID) string {
	return namesDir + "/" + name + "/" + profile + "/" + string(id)
}

// index enters a dispatch under its name and returns the folders changed. The
// entry is a second name of from, a link that exists, where that can be had:
// making a new file is what costs most in a write.
func (s *Store) index(k store.Keys, profile string, id store.ID, from string) ([]string, error) {
	dir := namesDir + "/" + k.Name + "/" + profile
	entry := indexPath(k.Name, profile, id)
	changed := []string{dir}
	err := s.point(from, entry, linkText(k.Unit, id)) // mostly the folders are there
	for try := 0; errors.Is(err, fs.ErrNotExist) && try < pruneTries; try++ {
		var made []string
		if made, err = s.mkdir(dir); err == nil {
			changed = append(changed, made...)
			err = s.point(from, entry, linkText(k.Unit, id))
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("index dispatch %q: %w", id, err)
	}
	return changed, nil
}

// point makes an entry: another name of from, or else a link of its own.
func (s *Store) point(from, entry, text string) error {
	err := error(fs.ErrNotExist)
	if from != "" {
		kill("index.link")
		err = s.root.Link(from, entry)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		kill("index.make")
		err = s.root.Symlink(text, entry)
	}
	return err
}

// hold moves a dispatch to the held ones of its name.
func (s *Store) hold(k store.Keys, profile string, id store.ID) error {
	from := indexPath(k.Name, profile, id)
	if _, err := s.index(k, store.Held, id, from); err != nil {
		return err
	}
	s.unindex(k.Name, profile, id)
	return nil
}

// unindex takes a dispatch out of the index, as far as it can.
func (s *Store) unindex(name, profile string, id store.ID) {
	kill("index.remove")
	_ = s.root.Remove(indexPath(name, profile, id))
	s.prune(name, profile)
}

// unindexOthers takes a dispatch out from under the profiles that it had before.
func (s *Store) unindexOthers(e store.Entry) {
	profiles, err := s.Profiles(e.Keys.Name)
	if err != nil {
		return // readers see that it has ended, and Sweep finds the rest
	}
	for _, p := range profiles {
		if p == e.Keys.Profile || p == store.Held {
			continue
		}
		if _, err := readlinkat(s.dir, indexPath(e.Keys.Name, p, e.ID)); err == nil {
			s.unindex(e.Keys.Name, p, e.ID)
		}
	}
}

// prune removes a profile's folder when it is empty; otherwise the file system
// refuses, which is the check. The name's own folder stays for its next dispatch.
func (s *Store) prune(name, profile string) {
	kill("prune")
	_ = s.root.Remove(namesDir + "/" + name + "/" + profile)
}
