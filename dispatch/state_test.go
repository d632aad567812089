package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
)

// TestMachine is the whole machine: every state with every move.
func TestMachine(t *testing.T) {
	moves := []dispatch.Move{dispatch.MoveCall, dispatch.MoveGrant, dispatch.MoveRenew, dispatch.MoveRelease, dispatch.MoveAbandon, dispatch.MoveExpire}
	const no = dispatch.State("")
	for state, row := range map[dispatch.State][6]dispatch.State{
		//                    call             grant              renew              release            abandon             expire
		dispatch.Reserved:  {dispatch.Active, dispatch.Reserved, dispatch.Reserved, dispatch.Released, dispatch.Abandoned, dispatch.Expired},
		dispatch.Active:    {dispatch.Active, dispatch.Active, dispatch.Active, dispatch.Released, dispatch.Abandoned, dispatch.Expired},
		dispatch.Expired:   {no, no, no, dispatch.Released, dispatch.Abandoned, no},
		dispatch.Released:  {no, no, no, no, no, no},
		dispatch.Abandoned: {no, no, no, no, no, no},
		"made up":          {no, no, no, no, no, no},
	} {
		for i, want := range row {
			got, err := state.Next(moves[i])
			if want == no {
				require.ErrorIs(t, err, dispatch.ErrForbidden, "%s, %s", state, moves[i])
				require.Equal(t, state, got)
				continue
			}
			require.NoError(t, err, "%s, %s", state, moves[i])
			require.Equal(t, want, got, "%s, %s", state, moves[i])
		}
		require.Equal(t, state == dispatch.Reserved || state == dispatch.Active, state.Live(), state)
	}
	_, err := dispatch.Reserved.Next("made up")
	require.EqualError(t, err, "made up of a dispatch that is reserved is not possible")
}

func TestVerdicts(t *testing.T) {
	require.Equal(t, []dispatch.Verdict{"ready", "not-ready", "blocked", "abandoned"}, dispatch.Verdicts())
	for _, v := range dispatch.Verdicts() {
		want := dispatch.MoveRelease
		if v == dispatch.VerdictAbandoned {
			want = dispatch.MoveAbandon
		}
		require.Equal(t, want, v.Move(), v)
	}
}
