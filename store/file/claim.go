package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// A claim is a link claims/<claim> that names the dispatch that has it. One
// whose dispatch is gone is not replaced but succeeded: by a second link,
// claims/<claim>.<that dispatch>. Making either is exclusive, so that of any
// number of writers one gets it, even where flock lets them all in; and there
// is no moment at which the claim is not there. The holder is at the end of
// the chain.
//
// Without flock one question stays open: a holder without a record may be dead
// or about to write it. A successor therefore looks again after its link is
// there, and every writer looks again after its record is (confirm). Whatever
// the order, one of the two sees the other.

const (
	// settle is how long a writer without a working flock takes a holder
	// without a record to be alive.
	settle = 2 * time.Second
	// maxChain is more links than writers could ever make.
	maxChain = 10_000
)

// chainEnd is what a walk along a chain found.
type chainEnd struct {
	link   string   // the last link's name, "" when there is none
	holder store.ID // the dispatch it names
	next   string   // the name that a successor's link would have
	after  store.ID // the dispatch that the last link succeeds
	has    bool     // the dispatch that was looked for is in the chain
}

// walk follows the chain of a claim and looks for want in it.
func (s *Store) walk(claim string, want store.ID) (chainEnd, error) {
	end := chainEnd{next: claim}
	for range maxChain {
		holder, err := s.claimed(end.next)
		if errors.Is(err, fs.ErrNotExist) {
			return end, nil
		}
		if err != nil {
			return end, err
		}
		end = chainEnd{
			link: end.next, holder: holder, next: claim + "." + string(holder),
			after: end.holder, has: end.has || holder == want,
		}
	}
	return end, fmt.Errorf("claim %q: a chain of more than %d", claim, maxChain)
}

// claimed reads one link.
func (s *Store) claimed(link string) (store.ID, error) {
	// A writer follows its chain again and again, so this goes the short way.
	text, err := readlinkat(s.dir, claimsDir+"/"+link)
	if err != nil {
		return "", err
	}
	_, id, ok := strings.Cut(text, ".")
	if !ok || !store.ID(id).Valid() {
		return "", &store.DamageError{File: claimsDir + "/" + link, Reason: "it is no claim"}
	}
	return store.ID(id), nil
}

// linkText is the text of a claim and of an index entry.
func linkText(unit string, id store.ID) string { return unit + "." + string(id) }

// claim takes the claim for e, or says who has it. It returns the link's name
// and the folders changed.
func (s *Store) claim(ctx context.Context, l *lock, e store.Entry) (string, []string, error) {
	changed, err := s.mkdir(claimsDir)
	if err != nil {
		return "", nil, err
	}
	changed = append(changed, claimsDir)
	for start := time.Now(); time.Since(start) < s.opts.LockWait+settle; {
		end, err := s.walk(e.Keys.Claim, e.ID)
		if err != nil {
			return "", nil, err
		}
		if end.holder == e.ID {
			return end.link, changed, nil // of an earlier try with the same id
		}
		if end.link != "" {
			if s.holds(end.holder) {
				return "", nil, &store.HeldError{By: end.holder}
			}
			if s.settling(l, end.link) {
				if err := pause(ctx); err != nil {
					return "", nil, err
				}
				continue
			}
		}
		kill("claim.take")
		err = s.root.Symlink(linkText(e.Keys.Unit, e.ID), claimsDir+"/"+end.next)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		if err := s.lookAgain(e, end.holder); err != nil {
			s.unclaim(e.Keys.Claim, e.ID)
			return "", nil, err
		}
		return end.next, changed, nil
	}
	return "", nil, &store.LockedError{Holder: "writers of the same claim", Waited: s.opts.LockWait + settle}
}

// lookAgain checks, after e's link is there, that it is the chain's end and
// that the dispatch before it has not come to life meanwhile.
func (s *Store) lookAgain(e store.Entry, before store.ID) error {
	if before != "" && s.holds(before) {
		return &store.HeldError{By: before}
	}
	end, err := s.walk(e.Keys.Claim, e.ID)
	if err == nil && end.holder != e.ID {
		err = &store.HeldError{By: end.holder}
	}
	return err
}

// settling says whether the holder of a link may still be about to write its
// record. Where flock works we have the lock, so it is not.
func (s *Store) settling(l *lock, link string) bool {
	if l.excludes() {
		return false
	}
	info, err := s.root.Lstat(claimsDir + "/" + link)
	return err == nil && time.Since(info.ModTime()) < settle
}

// confirm checks, after e's record is there, that nobody took e for dead
// before. A successor that looks again now sees the record and leaves.
func (s *Store) confirm(ctx context.Context, e store.Entry) error {
	for start := time.Now(); ; {
		end, err := s.walk(e.Keys.Claim, e.ID)
		if err != nil {
			return err
		}
		if end.holder == e.ID {
			return nil
		}
		if !end.has || s.holds(end.holder) || time.Since(start) > settle {
			return &store.HeldError{By: end.holder}
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// compact makes e's link the first of its chain. It needs a lock that excludes.
func (s *Store) compact(l *lock, e store.Entry) {
	end, err := s.walk(e.Keys.Claim, e.ID)
	if err != nil || end.holder != e.ID || end.link == e.Keys.Claim || !l.excludes() {
		return
	}
	kill("claim.compact")
	_ = s.root.Rename(claimsDir+"/"+end.link, claimsDir+"/"+e.Keys.Claim)
}

// unclaim gives the claim back if id has it. A link that has been succeeded
// stays: the chain runs through it.
func (s *Store) unclaim(claim string, id store.ID) {
	end, err := s.walk(claim, id)
	if err != nil || end.holder != id {
		return
	}
	kill("claim.remove")
	_ = s.root.Remove(claimsDir + "/" + end.link)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(firstDelay):
		return nil
	}
}
