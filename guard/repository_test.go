package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/grants"
)

// Where git finds another repository than the workspace's, nothing that it does is known.
func TestOtherRepositories(t *testing.T) {
	tree := []string{
		own + "/design.md", sib + "/design.md", ".git/HEAD", "docs/guide.md",
		own + "/nested/.git/HEAD", own + "/nested/deep/x", own + "/module/.git",
		own + "/bare/HEAD", own + "/bare/refs/x", own + "/bare/objects/x", own + "/bare/config",
		own + "/linked/HEAD", own + "/linked/commondir", own + "/half/HEAD", own + "/half/refs/x",
		"docs/bare/HEAD", "docs/bare/refs/", "docs/bare/objects/",
	}
	for line, want := range map[string]string{
		"git status":                                   "no_target",
		"git fetch":                                    "no_target",
		"git log -p -- .":                              "own_unit",
		"git -C half fetch":                            "own_unit",
		"cd nested && git init":                        "opaque_command",
		"git -C nested --help log":                     "opaque_command",
		"git -C nested status":                         "opaque_command",
		"git -C nested fetch":                          "opaque_command",
		"git -C nested/deep log":                       "opaque_command",
		"cd nested && git diff -- .":                   "opaque_command",
		"cd nested; cd deep; git diff -- .":            "opaque_command",
		"git -C module status":                         "opaque_command",
		"git -C in fetch":                              "opaque_command",
		"cd bare && git diff --no-index HEAD config":   "opaque_command",
		"cd bare/refs && git fetch":                    "opaque_command",
		"git -C linked fetch":                          "opaque_command",
		"git -C ../../../docs/bare fetch":              "opaque_command",
		"git -C ../../../docs fetch":                   "shared",
		"bash -c 'cd bare; git fetch'":                 "opaque_command",
		"x=$(cd nested && git rev-parse HEAD); echo a": "opaque_command",
	} {
		t.Run(line, func(t *testing.T) {
			w := newWorld(t, "construction/units/{unit}", tree, map[string]string{own + "/in": "nested/deep"})
			w.dispatch("U03", reviewer, func(q *dispatch.Request) { q.Grant.Opaque = grants.OpaqueBlock })
			out := w.decide(w.shell(line))
			require.Equal(t, want, out.Code.String(), out.Reason)
		})
	}
}
