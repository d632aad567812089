package hooktest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
)

// answers holds Encode to every code.
func answers(t *testing.T, c hooks.Client) {
	const reason = "blocked: \"U04\" is a sibling;\nread U03 <instead> \u2028"
	for _, code := range guard.Codes() {
		d := guard.Decision{Code: code, Reason: reason}
		for _, event := range []guard.Event{guard.ToolCall, guard.Other} {
			v := verdict(t, c, hooks.Answer{Decision: d, Event: event})
			require.Equal(t, !code.Allows(), v.Blocked, code)
			if v.Blocked {
				require.Equal(t, reason, v.Reason, code)
			} else if c.Name() == "generic" {
				require.Equal(t, code.String(), v.Code)
			} else {
				require.Equal(t, c.Name() != "cursor", v.Silent, code)
			}
		}
		if code.Allows() {
			continue
		}
		for _, empty := range []string{"", " \n"} {
			v := verdict(t, c, hooks.Answer{Decision: guard.Decision{Code: code, Reason: empty}, Event: guard.ToolCall})
			require.Equal(t, hooks.NoReason, v.Reason, code)
		}
		if c.Name() == "generic" {
			continue
		}
		// Where a block would mean something else, nothing is said.
		for _, event := range []guard.Event{guard.LaunchDone, guard.AgentStart, guard.AgentStop, guard.TurnStart} {
			v := verdict(t, c, hooks.Answer{Decision: d, Event: event})
			require.True(t, v.Silent, "%s at event %d", code, event)
		}
	}
}

func verdict(t *testing.T, c hooks.Client, a hooks.Answer) Verdict {
	t.Helper()
	v, err := Read(c.Name(), c.Encode(a))
	require.NoError(t, err)
	return v
}

// rewrites holds that a prompt reaches the new agent or that the launch is blocked.
func rewrites(t *testing.T, c hooks.Client, files map[string][]byte) {
	const prompt = "conduct:01J\nwork on \"it\""
	launches := 0
	for name, data := range files {
		call, err := c.Decode(data)
		require.NoError(t, err)
		if call.Event != guard.ToolCall || call.Launch == nil {
			continue
		}
		launches++
		v := verdict(t, c, hooks.Answer{
			Decision: guard.Decision{Code: guard.NotDispatched}, Payload: data, Prompt: prompt, Event: call.Event,
		})
		if call.Launch.Rewrites {
			require.Equal(t, prompt, v.Prompt, name)
		} else {
			require.True(t, v.Blocked, name)
		}
	}
	require.NotZero(t, launches, "no launch among the payloads")
}
