package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/unit"
)

// filler writes the files that many dispatches would leave, without waiting for
// the disk after each.
type filler struct {
	dir   string // the .conduct folder
	grant grants.Grant
	like  dispatch.Record
	made  map[string]bool // folders
}

// fillLive adds dispatches of the units from to to-1 as conduct dispatch would have written them.
func (w *world) fillLive(from, to int) error {
	f, err := w.filler()
	if err != nil {
		return err
	}
	for i := from; i < to; i++ {
		if err := f.live(i, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// endedUnits is over how many units ended dispatches are spread.
const endedUnits = 100

// fillEnded adds n dispatches that were released that long ago.
func (w *world) fillEnded(n int, ago time.Duration) error {
	f, err := w.filler()
	if err != nil {
		return err
	}
	for i := range n {
		if err := f.ended(i%endedUnits, time.Now().Add(-ago)); err != nil {
			return err
		}
	}
	return nil
}

// filler takes the first live dispatch as the pattern for the others.
func (w *world) filler() (*filler, error) {
	st, book, err := w.records(&system.Clock{})
	if err != nil {
		return nil, err
	}
	defer st.Close()
	for id, err := range book.LiveIDs() {
		if err != nil {
			return nil, err
		}
		d, err := book.Read(id)
		if err != nil {
			return nil, err
		}
		return &filler{filepath.Join(w.root, ".conduct"), *d.Grant, d.Record, map[string]bool{}}, nil
	}
	return nil, errors.New("there is no dispatch to make others like")
}

// pair makes record and grant of a dispatch of the i-th unit.
func (f *filler) pair(i int, at time.Time) (dispatch.Record, grants.Grant, error) {
	minted, err := ulid.New(ulid.Timestamp(at), rand.Reader)
	if err != nil {
		return dispatch.Record{}, grants.Grant{}, fmt.Errorf("cannot make an id: %w", err)
	}
	id := store.ID(minted.String())
	g, r := f.grant, f.like
	g.ID, g.Own = id, unit.Unit{Name: unitName(i), Paths: []string{unitPath(i)}}
	place := dispatch.Place(g.Own)
	r.ID, r.Unit, r.IssuedAt, r.ExpiresAt = id, unitName(i), at, at.Add(dispatch.DefaultTTL)
	r.Keys = store.Keys{
		Unit: store.Key("unit", place), Claim: store.Key("claim", place, r.Agent),
		Name: dispatch.NameKey(r.Agent), Profile: g.Profile(),
	}
	return r, g, nil
}

// live writes what Create leaves.
func (f *filler) live(i int, at time.Time) error {
	r, g, err := f.pair(i, at)
	if err != nil {
		return err
	}
	to := r.Keys.Unit + "." + string(r.ID)
	for _, link := range []string{"claims/" + r.Keys.Claim, "names/" + r.Keys.Name + "/" + r.Keys.Profile + "/" + string(r.ID)} {
		if err := f.folder(link); err != nil {
			return err
		}
		if err := os.Symlink(to, filepath.Join(f.dir, link)); err != nil {
			return err
		}
	}
	return f.put("live", r, g)
}

// ended writes what End leaves: another generation, moved aside.
func (f *filler) ended(i int, at time.Time) error {
	r, g, err := f.pair(i, at)
	if err != nil {
		return err
	}
	r.State, r.Verdict, r.EndedAt, r.Generation = dispatch.Released, dispatch.VerdictReady, at, 2
	r.Receipt = []byte(`{"id":"` + string(r.ID) + `","unit":"` + r.Unit + `","verdict":"ready","evidence":"none"}`)
	return f.put("ended", r, g)
}

func (f *filler) put(folder string, r dispatch.Record, g grants.Grant) error {
	for name, data := range map[string][]byte{
		fmt.Sprintf("grants/%s.%d.json", r.ID, r.Generation): g.Encode(),
		folder + "/" + string(r.ID) + ".json":                r.Encode(),
	} {
		if err := f.folder(name); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(f.dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// folder makes the folder that a file lies in.
func (f *filler) folder(name string) error {
	dir := name[:strings.LastIndexByte(name, '/')]
	if f.made[dir] {
		return nil
	}
	f.made[dir] = true
	return os.MkdirAll(filepath.Join(f.dir, dir), 0o700)
}
