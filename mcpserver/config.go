package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed6310be5c/conduct/wire"
)

// Config is what belongs into a client's settings.
type Config struct {
	// File is where it belongs, as a person would say it.
	File string
	// Text is a whole file, for settings that have nothing else in them.
	Text string
}

// form is how a client's settings say which servers it starts.
type form struct {
	client, file string
	write        func(name string, argv []string) string
}

func forms() []form {
	return []form{
		{"claude-code", "`.mcp.json` in the workspace", servers("")},
		{"codex", "`~/.codex/config.toml`", toml},
		{"gemini-cli", "`.gemini/settings.json` in the workspace", servers("")},
		{"qwen-code", "`.qwen/settings.json` in the workspace", servers("")},
		{"opencode", "`opencode.json` in the workspace", opencode},
		{"copilot", "`~/.copilot/mcp-config.json`", servers("local")},
		{"cursor", "`.cursor/mcp.json` in the workspace", servers("")},
		{"kiro", "`.kiro/settings/mcp.json` in the workspace", servers("")},
	}
}

// Clients lists the agent programs that are known to take servers.
func Clients() []string {
	var out []string
	for _, f := range forms() {
		out = append(out, f.client)
	}
	return out
}

// ServerName is what a server is called in a client's settings, and so in the names
// of its tools.
func ServerName(r Role) string {
	if r == AsConductor {
		return "conductor"
	}
	return "conduct"
}

// ConfigFor is what makes a client start a server. Without a folder the server starts from
// the one that the client starts it in. A client that is not known has none.
func ConfigFor(client string, r Role, dir string) Config {
	argv := []string{"conduct", "mcp", "--as", string(r)}
	if dir != "" {
		argv = append(argv, "--dir", dir)
	}
	i := slices.IndexFunc(forms(), func(f form) bool { return f.client == client })
	if i < 0 {
		return Config{}
	}
	f := forms()[i]
	return Config{File: f.file, Text: f.write(ServerName(r), argv)}
}

// servers is the form that most clients share. Copilot's wants a type, and the tools
// that are allowed.
func servers(kind string) func(string, []string) string {
	return func(name string, argv []string) string {
		var w wire.Writer
		w.Object("")
		if kind != "" {
			w.String("type", kind)
		}
		w.String("command", argv[0]).Strings("args", argv[1:])
		if kind != "" {
			w.Strings("tools", []string{"*"})
		}
		w.End()
		return fmt.Sprintf("{\n  \"mcpServers\": {\n    %s: %s\n  }\n}\n", wire.Quote(nil, name), w.Bytes())
	}
}

func opencode(name string, argv []string) string {
	var w wire.Writer
	w.Object("").String("type", "local").Strings("command", argv).Bool("enabled", true).End()
	return fmt.Sprintf("{\n  \"mcp\": {\n    %s: %s\n  }\n}\n", wire.Quote(nil, name), w.Bytes())
}

// toml writes texts as JSON does: a basic string of TOML knows the same escapes.
func toml(name string, argv []string) string {
	var args []string
	for _, a := range argv[1:] {
		args = append(args, string(wire.Quote(nil, a)))
	}
	return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = [%s]\n", name, wire.Quote(nil, argv[0]), strings.Join(args, ", "))
}
