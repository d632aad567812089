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

// SortedCodes returns the codes of a tally in their order.
func SortedCodes(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

// DecodeReceipt reads what Encode wrote.
func DecodeReceipt(data []byte) (Receipt, error) {
	r := Receipt{Tally: Tally{ByCode: map[string]int{}}}
	rd := wire.NewReader(data)
	err := rd.Object(func(name string) (err error) {
		switch name {
		case "agents":
			r.Tally.Agents, err = rd.Strings()
		case "shared_writes":
			r.Tally.SharedWrites, err = rd.Strings()
		case "issued_at":
			r.IssuedAt, err = rd.Time()
		case "active_at":
			r.ActiveAt, err = rd.Time()
		case "ended_at":
			r.EndedAt, err = rd.Time()
		case "calls":
			err = r.decodeCalls(rd)
		case "undispatched_calls":
			var n int64
			n, err = rd.Int()
			r.Undispatched = int(n)
		default:
			to := map[string]*string{"id": &r.ID, "unit": &r.Unit, "agent": &r.Agent, "verdict": &r.Verdict,
				"audit_sha256": &r.Tally.SHA256}[name]
			if to == nil {
				return rd.Skip()
			}
			*to, err = rd.String()
		}
		return err
	})
	if err == nil {
		err = rd.End()
	}
	return r, err
}

func (r *Receipt) decodeCalls(rd *wire.Reader) error {
	return rd.Object(func(name string) error {
		if name == "by_code" {
			return rd.Object(func(code string) error {
				n, err := rd.Int()
				r.Tally.ByCode[code] = int(n)
				return err
			})
		}
		n, err := rd.Int()
		switch name {
		case "allowed":
			r.Tally.Allowed = int(n)
		case "blocked":
			r.Tally.Blocked = int(n)
		}
		return err
	})
}

// Fields writes the members of an encoded receipt into an object that is open.
func Fields(w *wire.Writer, receipt []byte) error {
	rd := wire.NewReader(receipt)
	return rd.Object(func(name string) error {
		v, err := rd.Raw()
		w.Raw(name, v)
		return err
	})
}
