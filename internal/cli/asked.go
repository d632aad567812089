package cli

import (
	"errors"
	"sort"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/store"
)

// The events of a question in the log.
const (
	eventAsked   = "asked"
	eventDecided = "decided"
)

func ofQuestion(l *audit.Line) bool { return l.Event == eventAsked || l.Event == eventDecided }

// withQuestions adds to the calls the questions of wanted dispatches, each with one line
// that it was asked and one that says what was decided. They are made of the journal, so
// that there is one of each whoever died; printed are those that were there before.
func (d *desk) withQuestions(lines []audit.Line, want func(stream string) bool, printed map[string]bool) ([]audit.Line, error) {
	q := d.questions()
	ids, err := q.Dispatches()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !want(string(id)) {
			continue
		}
		all, err := q.Questions(id, d.env.Clock.Now())
		if errors.Is(err, store.ErrDamaged) {
			continue // conduct approve says so
		}
		if err != nil {
			return nil, err
		}
		for _, e := range all {
			line := audit.Line{
				Time: e.AskedAt, Call: e.Key, Code: e.Parts[0].Code, Op: e.Parts[0].Op, Target: e.Parts[0].Target,
				Dispatch: string(id), Agent: e.Agent, Tool: e.Tool, Event: eventAsked,
			}
			if line.Target == "" {
				line.Target = e.Command
			}
			if !printed[e.Key+eventAsked] {
				printed[e.Key+eventAsked] = true
				lines = append(lines, line)
			}
			if e.Decision != nil && !printed[e.Key+eventDecided] {
				printed[e.Key+eventDecided] = true
				line.Time, line.Event, line.Reason, line.Allowed = e.Decision.At, eventDecided, e.Decision.Answer.String(), e.Decision.Answer.Allows()
				if line.Allowed {
					line.Code = guard.Exempt.String()
				}
				if e.Decision.By != "" {
					line.Reason += " by " + e.Decision.By
				}
				lines = append(lines, line)
			}
		}
	}
	sort.SliceStable(lines, func(i, k int) bool { return lines[i].Time.Before(lines[k].Time) })
	return lines, nil
}
