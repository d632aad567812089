package guard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
	"github.com/seed6310be5c/conduct/guard"
)

// A worker runs our own verbs under its own id, and no others; whose id it is must
// be plain from the text.
func TestOwnVerbs(t *testing.T) {
	w := aidlc(t)
	opaque := func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueBlock }
	mine, other := w.dispatch("U03", reviewer, opaque), w.dispatch("U04", "worker", opaque)
	for line, allowed := range map[string]bool{
		"conduct brief --dispatch MINE":                                               true,
		"conduct brief --dispatch=MINE --json":                                        true,
		"conduct brief --dispatch conduct:MINE":                                       true,
		"conduct brief --dispatch=conduct:MINE":                                       true,
		"conduct brief --dispatch LOWER":                                              true,
		"CONDUCT_DISPATCH=conduct:MINE conduct brief":                                 true,
		"conduct brief --dispatch conduct:OTHER":                                      false,
		"conduct brief --dispatch conduct:conduct:MINE":                               false,
		"conduct brief --dispatch conduct:":                                           false,
		"conduct brief --dispatch MINE.1":                                             false,
		"conduct brief --dispatch MINE --dispatch conduct:OTHER":                      false,
		"conduct brief --log --dispatch MINE":                                         true,
		"conduct brief --log --dispatch OTHER":                                        false,
		"conduct --json brief --dispatch MINE":                                        true,
		"CONDUCT_DISPATCH=MINE conduct brief":                                         true,
		"conduct report --kind done --dispatch MINE 'it works'":                       true,
		"conduct report --kind done --artifact pr:12 --dispatch MINE 'it works'":      true,
		"conduct report --kind done --dispatch MINE \"it works: $(date)\"":            true,
		"conduct report --kind done --dispatch MINE --artifact \"commit:$SHA\" works": true,
		"conduct report --kind done --dispatch MINE -- --all":                         true,
		"conduct report --kind done --dispatch MINE -- '--dispatch=OTHER is not me'":  true,
		"conduct check --dispatch MINE --op read docs/guide.md":                       true,
		"conduct brief":                                                                false,
		"conduct brief --dispatch OTHER":                                               false,
		"conduct brief --dispatch=OTHER":                                               false,
		"conduct brief --dispatch MINE --dispatch OTHER":                               false,
		"CONDUCT_DISPATCH=OTHER conduct brief":                                         false,
		"CONDUCT_DISPATCH=OTHER conduct brief --dispatch MINE":                         false,
		"export CONDUCT_DISPATCH=OTHER; conduct brief":                                 false,
		"conduct brief --dispatch MINE --dir /tmp":                                     false,
		"conduct brief --dispatch MINE \"$X\"":                                         false,
		"conduct brief --dispatch MINE $X":                                             false,
		"conduct brief --dispatch MINE \"$(echo --dispatch=OTHER)\"":                   false,
		"conduct brief --dispatch MINE *":                                              false,
		"conduct report --kind done --dispatch MINE a$(cat x)":                         false,
		"echo --dispatch=OTHER | xargs conduct brief --dispatch MINE":                  false,
		"conduct report --kind done --artifact --dispatch=MINE works":                  false,
		"conduct request --kind relay --to ITEM --dispatch MINE 'which port?'":         true,
		"conduct request --kind relay --to --dispatch=MINE 'which port?'":              false,
		"conduct request --kind relay --to ITEM --dispatch OTHER 'which port?'":        false,
		"conduct message --to ITEM --dispatch MINE '8080'":                             true,
		"conduct message --to --dispatch=MINE '8080'":                                  false,
		"conduct inbox --again --dispatch MINE":                                        true,
		"conduct inbox --dispatch OTHER":                                               false,
		"conduct channel open --from ITEM --to ITEM":                                   false,
		"conduct channel show --dispatch MINE":                                         false,
		"conduct board wait --dispatch MINE":                                           false,
		"conduct report --kind --dispatch=MINE works":                                  false,
		"conduct report --kind done works -- --dispatch=MINE":                          false,
		"conduct report --artifact --dispatch=MINE --dispatch OTHER --kind done works": false,
		"conduct report --kind done --dispatch MINE \"a$X\"":                           true,
		"conduct report --kind done --dispatch MINE \"a\"$X":                           false,
		"conduct report --kind done --dispatch MINE \"a\"$(cat x)":                     false,
		"conduct report --kind done --dispatch MINE \"a${@:1}\"":                       false,
		"conduct report --kind done --dispatch MINE \"a${@%x}\"":                       false,
		"conduct report --kind done --dispatch MINE \"a${x:-$@}\"":                     false,
		"conduct report --kind done --dispatch MINE \"a${x+\"$@\"}\"":                  false,
		"conduct report --kind done --dispatch MINE \"a${b[@]}\"":                      false,
		"conduct report --kind done --dispatch MINE \"a${!x}\"":                        false,
		"conduct report --kind done --dispatch MINE \"all $# of ${#b[@]}\"":            true,
		"CONDUCT_DIR=/x conduct brief --dispatch MINE":                                 false,
		"env CONDUCT_DIR=/x conduct brief --dispatch MINE":                             false,
		"CONDUCT_BROKER=w:/x CONDUCT_DISPATCH=MINE conduct brief":                      false,
		"export CONDUCT_BROKER=w:/x; conduct brief --dispatch MINE":                    false,
		"CONDUCT_BROKER=w:/x timeout 5 conduct brief --dispatch MINE":                  false,
		"conduct board show":                                                           false,
		"conduct board close --item OTHER":                                             false,
		"conduct --dispatch=MINE --item report board bind --item OTHER":                false,
		"conduct --item brief board show --dispatch MINE":                              false,
		"conduct --verdict version release --verdict ready":                            false,
		"conduct --verdict help release --verdict ready":                               false,
		"X=--verdict; conduct $X version release --verdict ready":                      false,
		"conduct release --verdict ready":                                              false,
		"bash -c 'conduct report --kind done --dispatch OTHER works'":                  false,
		"bash -c 'conduct report --kind done --dispatch MINE works'":                   true,
		"timeout 5 conduct brief --dispatch MINE":                                      true,
		"conduct mcp --as worker":                                                      false,
		"conduct mcp --as conductor <calls":                                            false,
		"conduct-mcp --as worker --dispatch MINE":                                      false,
		"/usr/local/bin/conduct-mcp --as conductor":                                    false,
		"timeout 5 conduct-mcp --as conductor":                                         false,
		"python3 run.py conduct-mcp --as conductor":                                    false,
		"conduct version":        true,
		"conduct --json version": true,
		"conduct help board":     true,
		"conduct --help":         true,
	} {
		text := strings.NewReplacer("MINE", string(mine.ID), "OTHER", string(other.ID), "LOWER", strings.ToLower(string(mine.ID))).Replace(line)
		code := w.code(w.shell(text))
		if allowed {
			require.NotEqual(t, "control_command", code, line)
			require.NotEqual(t, "opaque_command", code, line)
		} else {
			require.Equal(t, "control_command", code, line)
		}
	}
}

// Who is refused a verb is told every one that is a worker's.
func TestControlRefusalNamesTheWorkersVerbs(t *testing.T) {
	w := aidlc(t)
	mine := w.dispatch("U03", reviewer, nil)
	said := w.decide(w.shell("conduct board show")).Reason
	for _, verb := range []string{"brief", "report", "request", "message", "inbox", "status", "check"} {
		require.NotEqual(t, "control_command", w.code(w.shell("conduct "+verb+" --dispatch "+string(mine.ID))), verb)
		require.Regexp(t, `[" ]`+verb+`"`, said)
	}
	require.Contains(t, said, "with --dispatch "+string(mine.ID)+" behind the verb", "and its own id")
	require.LessOrEqual(t, len(guard.Repeat(said)), guard.MaxReason)
	require.True(t, strings.HasSuffix(strings.TrimSuffix(guard.Repeat(said), guard.Repeated), "\"conduct help\"."), "whole")
	require.Contains(t, guard.Refusal(guard.ControlCommand), "with --dispatch and your own id behind the verb")
}
