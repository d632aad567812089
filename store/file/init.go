package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/wire"
)

// Marker is the file that makes a .conduct folder ours.
const Marker = "workspace.json"

// ErrForeignFolder is returned by Init for a folder that holds things and has
// no marker: another program's.
var ErrForeignFolder = errors.New("the folder has no workspace.json and is not empty: it belongs to another program")

// Init makes the folder dir with its marker and a .gitignore, or finishes
// what an Init began that died; for a folder that is ours it does nothing. The
// folder gets the group's bits when the one above it is set-group-id and the
// group may write there.
func Init(dir string) error {
	if err := initFolder(dir); err != nil {
		return fmt.Errorf("make %q: %w", dir, err)
	}
	return nil
}

func initFolder(dir string) error {
	parent, err := os.Stat(filepath.Dir(dir))
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o700)
	if parent.Mode()&fs.ModeSetgid != 0 && parent.Mode()&0o020 != 0 {
		mode = 0o770 | fs.ModeSetgid
	}
	if err := os.Mkdir(dir, mode.Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if ours, err := s.ours(); ours || err != nil {
		return err
	}
	if err := s.root.Chmod(".", mode); err != nil {
		return err
	}
	info, err := s.root.Stat(".")
	if err != nil {
		return err
	}
	s.fileMode, s.dirMode = modes(info)
	if err := s.mark(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(dir))
}

// ours says whether the folder has our marker; ErrForeignFolder when it has
// none and holds what no Init of ours could have left.
func (s *Store) ours() (bool, error) {
	data, err := s.readFile(Marker)
	if err == nil {
		return true, checkMarker(data)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for name, err := range s.list(".") {
		if err != nil {
			return false, err
		}
		if name != ".gitignore" && !isTemp(name) {
			return false, ErrForeignFolder
		}
	}
	if ignore, err := s.readFile(".gitignore"); err == nil && string(ignore) != gitignore {
		return false, ErrForeignFolder
	}
	return false, nil
}

func checkMarker(data []byte) error {
	r := wire.NewReader(data)
	schema := int64(0)
	err := r.Object(func(name string) (err error) {
		if name != "schema" {
			return r.Skip()
		}
		schema, err = r.Int()
		return err
	})
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return &store.DamageError{File: Marker, Reason: err.Error()}
	}
	if schema != 1 {
		return &store.DamageError{File: Marker, Reason: fmt.Sprintf("its schema is %d, not 1", schema)}
	}
	return nil
}

// newID makes the id of a workspace. Nobody has to be unable to guess it, and
// crypto/rand is dear to start for the hook, which links this package.
func newID() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

const gitignore = "*\n"

// mark writes the two files, the marker last and exclusively: of two that
// start at once, both use the same id afterwards.
func (s *Store) mark() error {
	if err := s.put(".gitignore", []byte(gitignore)); err != nil {
		return err
	}
	id := newID()
	var w wire.Writer
	w.Object("").Int("schema", 1).String("id", id).Time("created", time.Now().Truncate(time.Second)).End()
	temp := "." + Marker + "." + id + ".0"
	if err := s.put(temp, append(w.Bytes(), '\n')); err != nil {
		return err
	}
	kill("init.mark")
	err := s.root.Link(temp, Marker)
	kill("init.tidy")
	err = errors.Join(ignoreExists(err), s.root.Remove(temp))
	if err != nil {
		return err
	}
	return s.sync(".")
}

func ignoreExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	kill("init.sync")
	return errors.Join(f.Sync(), f.Close())
}
