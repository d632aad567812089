package opencode

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// PluginFile is the plugin's file name in a folder of plugins.
const PluginFile = "conduct.js"

// limit is how many milliseconds the plugin waits for the guard.
const limit = 60_000

//go:embed plugin.js
var plugin string

// Plugin returns the text of the plugin that asks the guard before every tool
// call. The guard is an absolute path, and so is the workspace's root; "" as the
// root stands for all of a person's workspaces.
//
// Where there is no .conduct, nothing is started and nothing is said. Where there is
// one, a guard that is missing, fails, is too slow or prints something else than an
// answer blocks the call.
func Plugin(guard, root string) string { return pluginWaiting(guard, root, limit) }

func pluginWaiting(guard, root string, millis int) string {
	return strings.NewReplacer(
		`"%GUARD%"`, string(wire.Quote(nil, guard)),
		`"%ROOT%"`, string(wire.Quote(nil, root)),
		`"%LIMIT%"`, strconv.Itoa(millis),
	).Replace(plugin)
}
