package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// fate is what became of a dispatch that something still points to.
type fate int

const (
	alive   fate = iota // or damaged, or another user's: what is not known to be over
	ended               // its name is free
	expired             // its name is still held
	gone
)

// looks is how many things a bounded tidying looks at in each folder for one
// that it may remove.
const looks = 4

// tidier takes away what nothing needs any more.
type tidier struct {
	store *Store
	fate  func(store.ID) fate
	grace time.Duration // younger things are left alone: they may be half of a write
	wait  time.Duration // for each lock
	limit int           // things to take away; negative means no limit
	dry   bool
	done  int
	// living are dispatches that were found alive, with their generation then. All
	// that points to one is looked at, and each time its record would be read.
	living map[store.ID]uint64
}

// Sweep does up to limit steps of tidying: it finishes what a writer left that
// died, and looks at no more than four times limit things in each folder. A
// unit whose lock is held is left for another time.
func (s *Store) Sweep(ctx context.Context, grace time.Duration, limit int, dry bool) (int, error) {
	if limit <= 0 {
		return 0, nil
	}
	t := &tidier{store: s, fate: s.fate, grace: grace, limit: limit, dry: dry, living: map[store.ID]uint64{}}
	for _, step := range []func(context.Context) error{t.live, t.temps, t.names, t.claims, t.grants} {
		if t.full() {
			break
		}
		if err := step(ctx); err != nil {
			return t.done, fmt.Errorf("sweep: %w", err)
		}
	}
	return t.done, nil
}

// fate reads what became of a dispatch.
func (s *Store) fate(id store.ID) fate {
	e, _, err := s.readRecord(id)
	if errors.Is(err, store.ErrNotFound) {
		return gone
	}
	if err != nil || !e.Ended {
		return alive
	}
	if h, err := readHead(e.Record); err == nil && h.expired {
		return expired
	}
	return ended
}

func (t *tidier) full() bool { return t.limit >= 0 && t.done >= t.limit }

// each calls do for the names in a folder until a limit is reached.
func (t *tidier) each(ctx context.Context, dir string, do func(name string) error) error {
	looked := 0
	for name, err := range t.store.list(dir) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if looked++; t.full() || t.limit >= 0 && looked/looks > t.limit {
			return nil
		}
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

// old says whether a file is older than the grace.
func (t *tidier) old(path string) bool {
	info, err := t.store.root.Lstat(path)
	return err == nil && (t.grace <= 0 || time.Since(info.ModTime()) >= t.grace)
}

// locked calls do under a unit's lock, or not at all when another has it.
func (t *tidier) locked(ctx context.Context, unit string, do func() error) error {
	if !store.ValidKey(unit) {
		return nil
	}
	l, err := t.store.lock(ctx, unit, t.wait)
	if errors.Is(err, store.ErrLocked) && t.wait == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer l.free()
	return do()
}

// took counts a removal that worked, or that another did before us.
func (t *tidier) took(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		t.done++
	}
	return err
}

// live moves records that say they have ended.
func (t *tidier) live(ctx context.Context) error {
	return t.each(ctx, liveDir, func(name string) error {
		id, ok := recordID(name)
		if !ok || t.lives(id) || !t.store.inLive(id, true) {
			return nil
		}
		t.done++
		if !t.dry {
			t.store.archive(id)
		}
		return nil
	})
}

// lives says whether a dispatch is alive and undamaged, or was at an earlier
// look of this tidying. It is for passing over what need not go; what is taken
// away is looked at anew.
func (t *tidier) lives(id store.ID) bool {
	if t.living == nil {
		return false
	}
	if _, ok := t.living[id]; ok {
		return true
	}
	e, _, err := t.store.readRecord(id)
	if err != nil || e.Ended {
		return false
	}
	t.living[id] = e.Generation
	return true
}

// isTemp says whether a name is that of a file which was not yet renamed to
// its own: renameio puts a dot first and a number last.
func isTemp(name string) bool {
	last := name[len(name)-1]
	return name[0] == '.' && last >= '0' && last <= '9'
}

// temps removes what writers left that died before they renamed it.
func (t *tidier) temps(ctx context.Context) error {
	return t.each(ctx, ".", func(name string) error {
		if !isTemp(name) || !t.old(name) {
			return nil
		}
		if t.dry {
			t.done++
			return nil
		}
		kill("sweep.temp")
		return t.took(t.store.root.Remove(name))
	})
}

// names goes through the index.
func (t *tidier) names(ctx context.Context) error {
	return t.each(ctx, namesDir, func(name string) error {
		err := t.each(ctx, namesDir+"/"+name, func(profile string) error {
			return t.each(ctx, namesDir+"/"+name+"/"+profile, func(id string) error {
				return t.entry(ctx, name, profile, store.ID(id))
			})
		})
		if !t.dry && t.old(namesDir+"/"+name) {
			kill("sweep.name")
			_ = t.store.root.Remove(namesDir + "/" + name) // refused unless empty
		}
		return err
	})
}

// entry looks at one entry of the index.
func (t *tidier) entry(ctx context.Context, name, profile string, id store.ID) error {
	path := indexPath(name, profile, id)
	if !id.Valid() || t.lives(id) || !t.stray(profile, id) || !t.old(path) {
		return nil
	}
	if t.dry {
		t.done++
		return nil
	}
	text, err := t.store.root.Readlink(path)
	if err != nil {
		return nil // another was faster
	}
	unit, _, _ := strings.Cut(text, ".")
	return t.locked(ctx, unit, func() error {
		if !t.stray(profile, id) {
			return nil
		}
		t.done++
		if t.fate(id) == expired {
			return t.store.hold(store.Keys{Unit: unit, Name: name}, profile, id)
		}
		t.store.unindex(name, profile, id)
		return nil
	})
}

// stray says whether an entry is not where it belongs.
func (t *tidier) stray(profile string, id store.ID) bool {
	f := t.fate(id)
	return f == gone || f != alive && profile != store.Held
}

// claims goes through the claims and takes dead links off the ends of chains.
func (t *tidier) claims(ctx context.Context) error {
	return t.each(ctx, claimsDir, func(link string) error {
		text, err := t.store.root.Readlink(claimsDir + "/" + link)
		unit, id, ok := strings.Cut(text, ".")
		if err != nil || !ok || t.lives(store.ID(id)) || t.fate(store.ID(id)) == alive {
			return nil
		}
		claim, _, _ := strings.Cut(link, ".")
		if t.dry {
			if _, dead := t.dead(claim); dead {
				t.done++
			}
			return nil
		}
		return t.locked(ctx, unit, func() error {
			for {
				end, dead := t.dead(claim)
				if !dead || t.full() {
					return nil
				}
				kill("sweep.claim")
				if err := t.took(t.store.root.Remove(claimsDir + "/" + end)); err != nil {
					return err
				}
			}
		})
	})
}

// dead returns the last link of a claim and whether it can go.
func (t *tidier) dead(claim string) (string, bool) {
	end, err := t.store.walk(claim, "")
	if err != nil || end.link == "" {
		return "", false
	}
	return end.link, t.fate(end.holder) != alive && t.old(claimsDir+"/"+end.link)
}

// grants removes grants of dispatches that are gone, and of generations past.
// One of a generation to come may be half of an update, and the next update
// replaces it.
func (t *tidier) grants(ctx context.Context) error {
	return t.each(ctx, grantsDir, func(name string) error {
		path := grantsDir + "/" + name
		if !t.superfluous(name) || !t.old(path) {
			return nil
		}
		if t.dry {
			t.done++
			return nil
		}
		kill("sweep.grant")
		return t.took(t.store.root.Remove(path))
	})
}

func (t *tidier) superfluous(name string) bool {
	id, rest, _ := strings.Cut(name, ".")
	generation, err := strconv.ParseUint(strings.TrimSuffix(rest, ".json"), 10, 64)
	if err != nil || !store.ID(id).Valid() {
		return false
	}
	if t.lives(store.ID(id)) && generation >= t.living[store.ID(id)] {
		return false
	}
	e, _, err := t.store.readRecord(store.ID(id))
	if err != nil {
		return errors.Is(err, store.ErrNotFound)
	}
	return generation < e.Generation
}
