// Package file keeps questions and what was decided below the .conduct folder.
//
//	questions/<dispatch>/<key>.asked.json    what was asked, for how long
//	questions/<dispatch>/<key>.decided.json  what was decided
//
// Each is created exclusively and with its whole content, by a link to a file that
// is whole: of any number of processes that decide one question, one does. Nothing is
// ever changed. Who asks may die at any moment: what nobody decided until its
// deadline is unavailable, which readers say and the next writer notes.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/approval"
	"github.com/seed6310be5c/conduct/store"
	records "github.com/seed6310be5c/conduct/store/file"
)

const (
	top     = "questions"
	asked   = ".asked.json"
	decided = ".decided.json"
)

var (
	// ErrFull is returned by Ask when a dispatch has asked approval.MaxQuestions.
	ErrFull = errors.New("too many questions")
	// ErrUnknown is returned for a question that is not there.
	ErrUnknown = errors.New("no such question")
	// ErrSeveral is returned for the beginning of several questions' keys.
	ErrSeveral = errors.New("several questions")
	// ErrDecided is returned by Answer for a question that was decided before.
	ErrDecided = errors.New("decided already")
)

func dir(id store.ID) string                    { return top + "/" + string(id) }
func path(q approval.Question, k string) string { return dir(q.Dispatch) + "/" + q.Key + k }

// Store is the journal of a workspace. It uses the records' store and is closed with
// it. It is an approval.Journal.
type Store struct {
	files *records.Store
	root  *os.Root
	// step is called before each step of a write: a test dies there.
	step func(string)
}

var _ approval.Journal = (*Store)(nil)

// Open returns the journal below the folder of the records. It writes nothing.
func Open(files *records.Store) *Store {
	return &Store{files: files, root: files.Root(), step: func(string) {}}
}

// Ask notes a question, unless it is noted already: ErrFull, approval.ErrBounds, and what
// the disk says.
func (s *Store) Ask(q approval.Question) (approval.Question, bool, error) {
	if !q.Dispatch.Valid() || !store.ValidKey(q.Key) {
		return q, false, fmt.Errorf("ask: %q of %q is no key of a question", q.Key, q.Dispatch)
	}
	if err := q.Check(); err != nil {
		return q, false, fmt.Errorf("ask: %w", err)
	}
	if kept, err := s.question(q.Dispatch, q.Key); !errors.Is(err, fs.ErrNotExist) {
		return kept, false, err
	}
	n, err := s.count(q.Dispatch)
	if err != nil {
		return q, false, err
	}
	if n >= approval.MaxQuestions {
		return q, false, fmt.Errorf("dispatch %s: %w: %d", q.Dispatch, ErrFull, n)
	}
	err = s.create(q, asked, q.Encode())
	if errors.Is(err, fs.ErrExist) { // another process was faster
		kept, err := s.question(q.Dispatch, q.Key)
		return kept, false, err
	}
	return q, err == nil, err
}

// Decide notes a decision, unless there is one, and returns the one that counts.
func (s *Store) Decide(q approval.Question, d approval.Decision) (approval.Decision, error) {
	if had, ok, err := s.Decided(q); ok || err != nil {
		return had, err
	}
	err := s.create(q, decided, d.Encode())
	if errors.Is(err, fs.ErrExist) {
		had, _, err := s.Decided(q)
		return had, err
	}
	return d, err
}

// Decided returns the decision that was noted, if there is one.
func (s *Store) Decided(q approval.Question) (approval.Decision, bool, error) {
	data, err := s.files.ReadDocument(path(q, decided))
	if errors.Is(err, fs.ErrNotExist) {
		return approval.Decision{}, false, nil
	}
	if err != nil {
		return approval.Decision{}, false, err
	}
	d, err := approval.DecodeDecision(data)
	return d, err == nil, err
}

// create makes a document that is not there yet, durably: fs.ErrExist when it is.
func (s *Store) create(q approval.Question, kind string, data []byte) error {
	s.step("mkdir")
	dirs, err := s.files.Mkdir(dir(q.Dispatch))
	if err != nil {
		return err
	}
	temp := dir(q.Dispatch) + "/." + q.Key + "-" + strconv.FormatUint(rand.Uint64(), 10)
	s.step("write" + kind)
	if err := s.files.Put(temp, append(data, '\n')); err != nil {
		return err
	}
	s.step("link" + kind)
	err = s.root.Link(temp, path(q, kind))
	s.step("unlink" + kind)
	_ = s.root.Remove(temp) // what stays goes with the folder
	if err != nil {
		return fmt.Errorf("note a question: %w", err)
	}
	s.step("sync" + kind)
	return s.files.Sync(append(dirs, dir(q.Dispatch))...)
}

func (s *Store) question(id store.ID, key string) (approval.Question, error) {
	q := approval.Question{Dispatch: id, Key: key}
	data, err := s.files.ReadDocument(path(q, asked))
	if err != nil {
		return q, err
	}
	got, err := approval.Decode(data)
	if err == nil && (got.Dispatch != id || got.Key != key) {
		err = fmt.Errorf("question %q: %w: it is another one", key, store.ErrDamaged)
	}
	if err != nil {
		return q, err
	}
	return got, nil
}

// count counts the questions of a dispatch.
func (s *Store) count(id store.ID) (int, error) {
	keys, err := s.keys(id)
	return len(keys), err
}

// keys lists the keys of a dispatch's questions.
func (s *Store) keys(id store.ID) ([]string, error) {
	var out []string
	for name, err := range s.files.Names(dir(id)) {
		if err != nil {
			return nil, s.unlisted(dir(id), err)
		}
		if key, ok := strings.CutSuffix(name, asked); ok && store.ValidKey(key) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return out, nil
}

// unlisted says what an error of listing a folder means: what is no folder is damaged.
func (s *Store) unlisted(folder string, err error) error {
	if info, lerr := s.root.Lstat(folder); lerr == nil && !info.IsDir() {
		return &store.DamageError{File: folder, Reason: "it is no folder"}
	}
	return s.files.Unreadable(folder, err)
}

// Dispatches lists the dispatches that have questions.
func (s *Store) Dispatches() ([]store.ID, error) {
	var out []store.ID
	for name, err := range s.files.Names(top) {
		if err != nil {
			return nil, s.unlisted(top, err)
		}
		if id := store.ID(name); id.Valid() {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// Entry is a question and what became of it.
type Entry struct {
	approval.Question
	// Decision is what was decided; that nobody did in time is one too. It is nil while
	// the question is open.
	Decision *approval.Decision
}

// Questions lists the questions of a dispatch as they are now, oldest first. What
// cannot be read is left out: whoever asked gets no answer to it.
func (s *Store) Questions(id store.ID, now time.Time) ([]Entry, error) {
	keys, err := s.keys(id)
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, key := range keys {
		q, err := s.question(id, key)
		if err != nil {
			continue
		}
		e := Entry{Question: q}
		d, ok, err := s.Decided(q)
		switch {
		case ok:
			e.Decision = &d
		case err != nil || !now.Before(q.Deadline):
			e.Decision = &approval.Decision{Answer: approval.Unavailable, At: q.Deadline}
		}
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.AskedAt.Compare(b.AskedAt) })
	return out, nil
}

// All lists the questions of every dispatch, oldest first. Where the folder of one is
// damaged nobody of it gets an answer; that is no matter of the others.
func (s *Store) All(now time.Time) ([]Entry, error) {
	out, _, err := s.all(now)
	return out, err
}

// Whole is All for who must not take a damaged folder for one without questions: it is
// an error.
func (s *Store) Whole(now time.Time) ([]Entry, error) {
	out, damage, err := s.all(now)
	if err = errors.Join(err, damage); err != nil {
		return nil, err
	}
	return out, nil
}

// all is All, and what is damaged.
func (s *Store) all(now time.Time) (out []Entry, damage, err error) {
	ids, err := s.Dispatches()
	if err != nil {
		return nil, nil, err
	}
	for _, id := range ids {
		some, err := s.Questions(id, now)
		if errors.Is(err, store.ErrDamaged) {
			damage = errors.Join(damage, err)
			continue
		}
		if err != nil {
			return nil, damage, err
		}
		out = append(out, some...)
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return a.AskedAt.Compare(b.AskedAt) })
	return out, damage, nil
}

// minKey is how many characters of a key name a question.
const minKey = 4

// Find returns the question whose key begins so: ErrUnknown, ErrSeveral.
func (s *Store) Find(key string, now time.Time) (Entry, error) {
	all, err := s.All(now)
	if err != nil {
		return Entry{}, err
	}
	all = slices.DeleteFunc(all, func(e Entry) bool { return len(key) < minKey || !strings.HasPrefix(e.Key, strings.ToLower(key)) })
	switch len(all) {
	case 0:
		return Entry{}, fmt.Errorf("%w: %q", ErrUnknown, key)
	case 1:
		return all[0], nil
	}
	return Entry{}, fmt.Errorf("%w begin with %q", ErrSeveral, key)
}

// Answer notes a person's answer: ErrDecided when there is one, or its time is up.
func (s *Store) Answer(e Entry, d approval.Decision) (approval.Decision, error) {
	if e.Decision != nil {
		got, err := s.Decide(e.Question, *e.Decision) // of one that nobody decided it is noted now
		if err != nil {
			return got, err
		}
		return got, fmt.Errorf("question %s: %w: %s", e.Key, ErrDecided, got.Answer)
	}
	got, err := s.Decide(e.Question, d)
	if err == nil && got != d {
		err = fmt.Errorf("question %s: %w: %s", e.Key, ErrDecided, got.Answer)
	}
	return got, err
}

// Settle notes what nobody decided in time, of questions whose asker has died too. What
// is damaged is an error when all others are settled.
func (s *Store) Settle(now time.Time) (int, error) {
	all, damage, err := s.all(now)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range all {
		if e.Decision == nil || e.Decision.Answer != approval.Unavailable {
			continue
		}
		if _, ok, err := s.Decided(e.Question); ok || err != nil {
			continue
		}
		if _, err := s.Decide(e.Question, *e.Decision); err != nil {
			return n, err
		}
		n++
	}
	return n, damage
}

// Remove deletes the questions of a dispatch.
func (s *Store) Remove(id store.ID) error {
	if !id.Valid() {
		return fmt.Errorf("remove questions: %q is no id", id)
	}
	for name, err := range s.files.Names(dir(id)) {
		if err == nil {
			err = s.root.Remove(dir(id) + "/" + name)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove questions of %s: %w", id, err)
		}
	}
	if err := s.root.Remove(dir(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove questions of %s: %w", id, err)
	}
	return nil
}
