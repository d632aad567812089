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

// index enters a dispatch under its name and returns the folders changed.
func (s *Store) index(k store.Keys, profile string, id store.ID) ([]string, error) {
	dir := namesDir + "/" + k.Name + "/" + profile
	changed := []string{dir}
	var err error
	for range pruneTries {
		var made []string
		if made, err = s.mkdir(dir); err == nil {
			changed = append(changed, made...)
			kill("index.enter")
			err = s.root.Symlink(k.Unit, indexPath(k.Name, profile, id))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("index dispatch %q: %w", id, err)
	}
	return changed, nil
}

// unindex takes a dispatch out of the index, as far as it can.
func (s *Store) unindex(name, profile string, id store.ID) {
	kill("index.remove")
	_ = s.root.Remove(indexPath(name, profile, id))
	s.prune(name, profile)
}

// prune removes a name's folders when they are empty; otherwise the file
// system refuses, which is the check.
func (s *Store) prune(name, profile string) {
	kill("prune.profile")
	if s.root.Remove(namesDir+"/"+name+"/"+profile) == nil {
		kill("prune.name")
		_ = s.root.Remove(namesDir + "/" + name)
	}
}
