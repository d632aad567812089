package unit

import (
	"io"
	"io/fs"
	"os"
)

// Disk is the real file system. It remembers what Lstat found, so one value
// serves one call of the guard and no longer.
type Disk struct {
	seen   map[string]lstatResult
	mounts []Mount
	asked  bool
}

type lstatResult struct {
	info Info
	err  error
}

// NewDisk returns the real file system.
func NewDisk() *Disk { return &Disk{seen: make(map[string]lstatResult, 32)} }

// Lstat implements FS.
func (d *Disk) Lstat(name string) (Info, error) {
	if r, ok := d.seen[name]; ok {
		return r.info, r.err
	}
	info, err := lstat(name)
	d.seen[name] = lstatResult{info, err}
	return info, err
}

// Readlink implements FS.
func (d *Disk) Readlink(name string) (string, error) { return os.Readlink(name) }

// ReadDir implements FS.
func (d *Disk) ReadDir(name string, limit int) ([]Dirent, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if limit <= 0 {
		limit = -1
	}
	es, err := f.ReadDir(limit)
	if err == io.EOF {
		err = nil
	}
	out := make([]Dirent, len(es))
	for i, e := range es {
		out[i] = Dirent{Name: e.Name(), Type: e.Type()}
	}
	return out, err
}

// ReadFile implements FS.
func (d *Disk) ReadFile(name string, limit int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// Mounts implements FS.
func (d *Disk) Mounts() []Mount {
	if !d.asked {
		d.asked, d.mounts = true, mounts()
	}
	return d.mounts
}
