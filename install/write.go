package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// backupSuffix ends the name of the copy that is kept beside a person's settings.
const backupSuffix = ".conduct-backup"

// Backup is the copy of the file as it was before the hook was put in. Apply
// makes it of a file without anything of ours, and takes it away when the file is the same again.
func (c Change) Backup() string { return c.File + backupSuffix }

// Apply makes the change: all of it or nothing. It is ErrChanged when the file
// is no longer what it was planned on.
func (c Change) Apply() error {
	if !c.Changed() {
		return nil
	}
	now, err := readSettings(c.File)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return err
	}
	if missing != c.Created || !bytes.Equal(now, c.Before) {
		return fmt.Errorf("%q has %w", c.File, ErrChanged)
	}
	if c.Removed {
		return c.unlink()
	}
	if err := c.write(); err != nil {
		return fmt.Errorf("write %q: %w", c.File, err)
	}
	return nil
}

func (c Change) write() error {
	dir, name := filepath.Split(c.File)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	same := c.isBackup(root)
	if c.keep {
		if err := c.save(root); err != nil {
			return err
		}
	}
	if err := renameio.WriteFile(name, c.After, 0o644, renameio.WithRoot(root)); err != nil {
		return err
	}
	if same {
		return root.Remove(filepath.Base(c.Backup()))
	}
	return nil
}

// isBackup says that the file is about to be what the backup holds.
func (c Change) isBackup(root *os.Root) bool {
	old, err := root.ReadFile(filepath.Base(c.Backup()))
	return err == nil && bytes.Equal(old, c.After)
}

// save makes the backup. One that is there stays: it is older, and from before the hook.
func (c Change) save(root *os.Root) error {
	st, err := root.Stat(filepath.Base(c.File))
	if err != nil {
		return err
	}
	f, err := root.OpenFile(filepath.Base(c.Backup()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm())
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(c.Before)
	return errors.Join(err, f.Close())
}

// unlink removes the file, and the folders that were made for it when they are left empty.
func (c Change) unlink() error {
	if err := os.Remove(c.File); err != nil {
		return fmt.Errorf("remove %q: %w", c.File, err)
	}
	for _, dir := range c.made {
		if os.Remove(dir) != nil {
			break // as it should be when something else is in it
		}
	}
	return nil
}

// madeIn are the folders that an installation may make, deepest first.
func (c Client) madeIn(opts Options) []string {
	var out []string
	for _, dir := range c.made(opts.Scope) {
		out = append(out, filepath.Join(base(opts.Scope, opts.Root, opts.Home), filepath.FromSlash(dir)))
	}
	return out
}
