// Package unit knows which unit a path belongs to.
//
// A unit (other words for it: work package, story, lane) is a named set of
// paths of a workspace, by a layout such as "construction/units/{unit}" or
// listed by hand. The package resolves paths as the kernel would, and as they
// are written, and says for each reading whether it lands in the own unit, in
// a sibling, or in neither.
package unit

import "io/fs"

// FS is what resolving a path asks of a file system. Names are absolute.
type FS interface {
	// Lstat describes name itself, not what a link leads to.
	Lstat(name string) (Info, error)
	// Readlink returns the text of a link.
	Readlink(name string) (string, error)
	// ReadDir returns at most limit entries of a folder, in no order; all with limit <= 0.
	ReadDir(name string, limit int) ([]Dirent, error)
	// ReadFile returns the first limit bytes of a regular file.
	ReadFile(name string, limit int) ([]byte, error)
	// Mounts lists what is mounted where; nil where that is not known.
	Mounts() []Mount
}

// Info describes a file.
type Info struct {
	Mode     fs.FileMode
	Dev, Ino uint64
	Links    uint64
	// MountRoot says that something is mounted here.
	MountRoot bool
}

// Dirent is an entry of a folder.
type Dirent struct {
	Name string
	Type fs.FileMode // type bits only
}

// Mount is one line of the mount table.
type Mount struct {
	Dev   string // major:minor
	Root  string // the folder of that file system which is mounted
	Point string // where
}
