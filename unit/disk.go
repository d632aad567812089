package unit

import (
	"io"
	"io/fs"
	"os"
)

// Disk is the real file system. It remembers what Lstat found, so one value
// serves one call of the guard and no longer.
type Disk struct {
	seen   []looked // the first few, and then
	more   map[string]lstatResult
	mounts []Mount
	asked  bool
}

type lstatResult struct {
	info Info
	err  error
}

// looked is one Lstat that was made.
type looked struct {
	name string
	lstatResult
}

// few is how many names are looked for one by one: a map is dear to make, and
// nearly every call of the guard stays below.
const few = 24

// NewDisk returns the real file system.
func NewDisk() *Disk { return &Disk{seen: make([]looked, 0, few)} }

// Lstat implements FS.
func (d *Disk) Lstat(name string) (Info, error) {
	for i := range d.seen {
		if d.seen[i].name == name {
			return d.seen[i].info, d.seen[i].err
		}
	}
	if r, ok := d.more[name]; ok {
		return r.info, r.err
	}
	info, err := lstat(name)
	switch {
	case len(d.seen) < few:
		d.seen = append(d.seen, looked{name, lstatResult{info, err}})
	case d.more == nil:
		d.more = map[string]lstatResult{}
		fallthrough
	default:
		d.more[name] = lstatResult{info, err}
	}
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
