package dispatch

import (
	"encoding/hex"
	"errors"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/seed6310be5c/conduct/store"
)

// Bound is where an agent was bound to last.
type Bound struct {
	ID store.ID
	// Depth is how many launches lie between the conductor's and this agent.
	Depth int
	// Next is the number that the agent's next binding gets.
	Next int
}

// bindings bounds how often one agent may be bound anew.
const bindings = 1000

// Bound returns the last binding of an agent key; ok is false without one.
//
// Bindings are never changed: an agent that gets its next unit gets another
// one with the next number, so that what creates them needs no lock.
func (b *Book) Bound(agentKey string) (bound Bound, ok bool, err error) {
	for n := range bindings {
		v, err := b.Store.Marked(store.Bind, bindKey(agentKey, n))
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return Bound{}, false, err
		}
		id, depth := splitDepth(v)
		bound, ok = Bound{ID: id, Depth: depth, Next: n + 1}, true
	}
	return bound, ok, nil
}

// Bind binds an agent to a dispatch as its n-th binding. ErrExists when another
// process was faster.
func (b *Book) Bind(agentKey string, n int, id store.ID, depth int) error {
	return b.Store.Mark(store.Bind, bindKey(agentKey, n), withDepth(id, depth))
}

func bindKey(agentKey string, n int) string { return agentKey + "-" + strconv.Itoa(n) }

func withDepth(id store.ID, depth int) string { return string(id) + "." + strconv.Itoa(depth) }

func splitDepth(v string) (store.ID, int) {
	id, d, _ := strings.Cut(v, ".")
	depth, err := strconv.Atoi(d)
	if err != nil {
		depth = 0
	}
	return store.ID(id), depth
}

// LaunchKey is the key of a launch call.
func LaunchKey(client, session, call string) string {
	return store.Key("launch", client, session, call)
}

// Launched returns the dispatch that a launch call was for.
func (b *Book) Launched(key string) (id store.ID, depth int, ok bool) {
	v, err := b.Store.Marked(store.Launch, key)
	if err != nil {
		return "", 0, false
	}
	id, depth = splitDepth(v)
	return id, depth, true
}

// NoteLaunch remembers the dispatch that a launch call is for.
func (b *Book) NoteLaunch(key string, id store.ID, depth int) error {
	return b.Store.Mark(store.Launch, key, withDepth(id, depth))
}

// farAway stands for a folder that is too long to be noted: it is then not known.
const farAway = "far"

// NoteDir remembers the working folder that a launch call gave its agent.
func (b *Book) NoteDir(key, dir string) error {
	value := hex.EncodeToString([]byte(dir))
	if len(value) > store.MaxMark {
		value = farAway
	}
	err := b.Store.Mark(store.Folder, key, value)
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// LaunchDir returns the working folder that a launch call gave its agent; one
// that is not absolute is not known.
func (b *Book) LaunchDir(key string) (dir string, ok bool) {
	v, err := b.Store.Marked(store.Folder, key)
	if err != nil {
		return "", false
	}
	text, err := hex.DecodeString(v)
	if err != nil {
		return farAway, true
	}
	return string(text), true
}

// SessionKey is the key of a client's session.
func SessionKey(client, session string) string { return store.Key("session", client, session) }

// Windows returns the dispatches whose launch is open in a session.
func (b *Book) Windows(sessionKey string) []store.ID {
	var out []store.ID
	for k, v := range b.Store.Marks(store.Window) {
		if strings.HasPrefix(k, sessionKey+"-") {
			out = append(out, store.ID(v))
		}
	}
	return out
}

// OpenWindow notes that a launch of a dispatch is open in a session.
func (b *Book) OpenWindow(sessionKey string, id store.ID) error {
	err := b.Store.Mark(store.Window, windowKey(sessionKey, id), string(id))
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// CloseWindow undoes OpenWindow; none is no error.
func (b *Book) CloseWindow(sessionKey string, id store.ID) error {
	return b.Store.Unmark(store.Window, windowKey(sessionKey, id))
}

func windowKey(sessionKey string, id store.ID) string {
	return sessionKey + "-" + store.Key("window", string(id))[:16]
}

// Sessions yields the dispatches that bind sessions and the key of the session that made each.
func (b *Book) Sessions() iter.Seq2[store.ID, string] {
	return func(yield func(store.ID, string) bool) {
		for k, v := range b.Store.Marks(store.Session) {
			if !yield(store.ID(k), v) {
				return
			}
		}
	}
}

// ConductorKey is how the session that dispatched is named in Sessions.
func ConductorKey(session string) string { return "s-" + store.Key("session", session) }

// Profiles returns the profiles under which an agent's name has dispatches, the
// held ones last.
func (b *Book) Profiles(agent string) ([]string, error) { return b.Store.Profiles(NameKey(agent)) }

// Named yields the dispatches of an agent's name with one profile.
func (b *Book) Named(agent, profile string) iter.Seq2[store.ID, error] {
	return b.Store.Named(NameKey(agent), profile)
}

// LiveIDs yields the ids of all live dispatches.
func (b *Book) LiveIDs() iter.Seq2[store.ID, error] { return b.Store.Live() }

// Empty says whether nothing is live; it errs towards false.
func (b *Book) Empty() bool { return b.Store.Empty() }

// Seen says whether an agent has made a judged call under a dispatch.
func (b *Book) Seen(id store.ID) bool {
	_, err := b.Store.Marked(store.Seen, string(id))
	return err == nil
}

// Tell notes that the worker of a dispatch is told of the n-th turn of its knobs;
// false when it was told before. Of any number of callers one is the first.
func (b *Book) Tell(id store.ID, n int) (first bool, err error) {
	err = b.Store.Mark(store.Told, string(id)+"-"+strconv.Itoa(n), b.Clock.Now().UTC().Format(time.RFC3339Nano))
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// Spent returns the call that used a one-call opening.
func (b *Book) Spent(opening string) (call string, ok bool) {
	call, err := b.Store.Marked(store.Once, opening)
	return call, err == nil
}

// Spend uses a one-call opening for a call; ErrExists when another call has.
func (b *Book) Spend(opening, call string) error {
	err := b.Store.Mark(store.Once, opening, call)
	if errors.Is(err, store.ErrExists) {
		if by, ok := b.Spent(opening); ok && by == call {
			return nil
		}
	}
	return err
}

// offKey names the one mark that says until when the guard stands aside.
const offKey = "until"

// Off returns until when the guard stands aside; zero when it does not.
func (b *Book) Off() time.Time {
	v, err := b.Store.Marked(store.Off, offKey)
	if err != nil {
		return time.Time{}
	}
	until, err := time.Parse(time.RFC3339Nano, v)
	if err != nil || !b.Clock.Now().Before(until) {
		return time.Time{}
	}
	return until
}

// SetOff makes the guard stand aside until a time; the zero time ends that.
func (b *Book) SetOff(until time.Time) error {
	if err := b.Store.Unmark(store.Off, offKey); err != nil || until.IsZero() {
		return err
	}
	return b.Store.Mark(store.Off, offKey, until.UTC().Format(time.RFC3339Nano))
}

// Marked returns the dispatch that a mark of a kind is about.
func Marked(k store.Kind, key, value string) store.ID {
	switch k {
	case store.Seen, store.Session:
		return store.ID(key)
	case store.Told:
		id, _, _ := strings.Cut(key, "-")
		return store.ID(id)
	}
	id, _ := splitDepth(value)
	return id
}
