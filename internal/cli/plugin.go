package cli

import (
	"github.com/seed6310be5c/conduct/hooks/opencode"
	"github.com/seed6310be5c/conduct/install"
)

// plugin is the program of a client that wants one. A file that everybody shares
// names neither a workspace nor a guard of this machine.
func plugin(opts install.Options) string {
	guard, root := opts.Guard, ""
	switch opts.Scope {
	case install.Project:
		guard = install.Program
	case install.Local:
		if root = opts.Workspace; root == "" {
			root = opts.Root
		}
	}
	return opencode.Plugin(guard, root)
}
