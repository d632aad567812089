package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Found is an agent program that seems to be in use.
type Found struct {
	Client Client
	// Why says what was found: a folder, or a program.
	Why string
}

// Detect returns the agent programs that have settings in a workspace or a home,
// or a program on the PATH.
func Detect(root, home string) []Found {
	var out []Found
	for _, c := range Clients() {
		if why := c.traces(root, home); why != "" {
			out = append(out, Found{c, why})
		}
	}
	return out
}

// traces is what shows that a program is in use, "" for nothing.
func (c Client) traces(root, home string) string {
	for _, dir := range []string{root, home} {
		for _, f := range strings.Fields(c.folder) {
			path := filepath.Join(dir, filepath.FromSlash(f))
			if st, err := os.Stat(path); dir != "" && err == nil && st.IsDir() {
				return path
			}
		}
	}
	if path := c.Binary(); path != "" {
		return path
	}
	return ""
}

// Binary is the program's path as the PATH has it, "" where it has none.
func (c Client) Binary() string {
	for _, name := range c.Programs {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// AgentOf is the agent whose file a hook stands in, "" for a client whose hooks
// belong to no agent.
func (h Installed) AgentOf() string {
	if c, err := ByName(h.Client); err != nil || !c.Agents {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(h.File), ".json")
}
