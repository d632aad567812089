package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"time"

	"github.com/seed6310be5c/conduct/wire"
)

// Tally is what a stream's lines add up to.
type Tally struct {
	Allowed, Blocked int
	ByCode           map[string]int
	Agents           []string // ids, in the order of their first call
	SharedWrites     []string // sorted
	Last             time.Time
	SHA256           string // of the stream's bytes
}

// Tally adds up a stream.
func (l *Log) Tally(stream string) (Tally, error) {
	t := Tally{ByCode: map[string]int{}}
	data, err := l.Raw(stream)
	if err != nil {
		return t, err
	}
	sum := sha256.Sum256(data)
	t.SHA256 = hex.EncodeToString(sum[:])
	writes := map[string]bool{}
	for line, err := range l.Read(stream) {
		if err != nil {
			return t, err
		}
		if line.Event != "" {
			continue
		}
		if line.Allowed {
			t.Allowed++
		} else {
			t.Blocked++
		}
		t.ByCode[line.Code]++
		if line.AgentID != "" && !slices.Contains(t.Agents, line.AgentID) {
			t.Agents = append(t.Agents, line.AgentID)
		}
		for _, w := range line.Writes {
			writes[w] = true
		}
		if line.Time.After(t.Last) {
			t.Last = line.Time
		}
	}
	t.SharedWrites = slices.Sorted(maps.Keys(writes))
	return t, nil
}

// Count returns how many lines of a stream lie between two times.
func (l *Log) Count(stream string, from, to time.Time) (int, error) {
	n := 0
	for line, err := range l.Read(stream) {
		if err != nil {
			return 0, err
		}
		if !line.Time.Before(from) && !line.Time.After(to) {
			n++
		}
	}
	return n, nil
}

// Receipt is what release prints: what ran under a dispatch.
type Receipt struct {
	ID, Unit, Agent, Verdict string
	IssuedAt                 time.Time
	ActiveAt                 time.Time
	EndedAt                  time.Time
	Tally                    Tally
	Undispatched             int
}

// Evidence says whether any judged call stands behind the receipt.
func (r *Receipt) Evidence() string {
	if r.Tally.Allowed+r.Tally.Blocked > 0 {
		return "calls"
	}
	return "none"
}

// Encode writes a receipt as one JSON object.
func (r *Receipt) Encode() []byte {
	var w wire.Writer
	w.Object("").String("id", r.ID).String("unit", r.Unit).String("agent", r.Agent).
		Strings("agents", r.Tally.Agents).String("verdict", r.Verdict).
		Time("issued_at", r.IssuedAt).Time("active_at", r.ActiveAt).Time("ended_at", r.EndedAt)
	w.Object("calls").Int("allowed", int64(r.Tally.Allowed)).Int("blocked", int64(r.Tally.Blocked)).Object("by_code")
	for _, c := range slices.Sorted(maps.Keys(r.Tally.ByCode)) {
		w.Int(c, int64(r.Tally.ByCode[c]))
	}
	w.End().End()
	w.Strings("shared_writes", r.Tally.SharedWrites).Int("undispatched_calls", int64(r.Undispatched)).
		String("evidence", r.Evidence()).String("audit_sha256", r.Tally.SHA256).End()
	return w.Bytes()
}
