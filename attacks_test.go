package conduct_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/hooks/hooktest"
	"github.com/seed6310be5c/conduct/internal/cli"
	"github.com/seed6310be5c/conduct/internal/gate"
	"github.com/seed6310be5c/conduct/internal/guardcmd"
	"github.com/seed6310be5c/conduct/internal/system"
)

// mechanism is one file of testdata/attacks: a way in, in a few spellings.
type mechanism struct {
	Name     string    `json:"name"`
	Why      string    `json:"why"`
	Attempts []attempt `json:"attempts"`
}

// attempt is one call that must be blocked, and that leaks when it is not. Its
// strings hold $R, $U, $H … (testdata/attacks/README.md).
type attempt struct {
	Name     string            `json:"name"`
	OS       string            `json:"os"`
	Tree     map[string]string `json:"tree"`
	Links    map[string]string `json:"links"`
	Git      bool              `json:"git"`
	Mount    []string          `json:"mount"`
	Dispatch [][]string        `json:"dispatch"`
	Setup    []step            `json:"setup"`
	Clock    string            `json:"clock"`
	call
	Code  string   `json:"code"`
	Watch []string `json:"watch"`
	Leak  *leak    `json:"leak"`
}

// call is a tool call as an agent program makes it.
type call struct {
	Client  string            `json:"client"`
	Agent   *string           `json:"agent"`
	AgentID *string           `json:"agent_id"`
	Session string            `json:"session"`
	CallID  string            `json:"call_id"`
	Cwd     *string           `json:"cwd"`
	HookCwd string            `json:"hook_cwd"`
	Env     map[string]string `json:"env"`
	Tool    string            `json:"tool"`
	Input   any               `json:"input"`
	Edit    []edit            `json:"edit"`
}

// edit changes the bytes of a payload.
type edit struct {
	Cut     int      `json:"cut"` // keep this many percent
	Append  string   `json:"append"`
	Nest    int      `json:"nest"`
	Replace []string `json:"replace"`
}

// step is something that happens before the call.
type step struct {
	Run   []string `json:"run"`
	Sh    string   `json:"sh"`
	Call  *call    `json:"call"`
	Code  string   `json:"code"` // of Call
	Await string   `json:"await"`
}

// leak is what happens with the guard off; left out, it is the call itself.
type leak struct {
	call
	Tree map[string]string `json:"tree"`
	// Through says that this second call goes through the guard and passes: the
	// attempt was to make that possible.
	Through bool `json:"through"`
}

func readMechanisms(t *testing.T) []mechanism {
	t.Helper()
	return readAttacks(t, "testdata/attacks/*.json", func(m mechanism) string { return m.Name })
}

// readAttacks reads files of one mechanism each, called like it.
func readAttacks[M any](t *testing.T, glob string, name func(M) string) []M {
	t.Helper()
	files, err := filepath.Glob(glob)
	require.NoError(t, err)
	var all []M
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(data))
		d.DisallowUnknownFields()
		var m M
		require.NoError(t, d.Decode(&m), f)
		require.Equal(t, strings.TrimSuffix(filepath.Base(f), ".json"), name(m))
		all = append(all, m)
	}
	return all
}

// The corpus is broad: many mechanisms, few spellings of each.
func TestAttacksAreManyAndDistinct(t *testing.T) {
	all := readMechanisms(t)
	require.GreaterOrEqual(t, len(all), 15)
	seen, n := map[string]string{}, 0
	for _, m := range all {
		require.NotEmpty(t, m.Why, m.Name)
		require.NotEmpty(t, m.Attempts, m.Name)
		require.LessOrEqual(t, len(m.Attempts), 5, m.Name)
		for _, a := range m.Attempts {
			require.NotEmpty(t, a.Name, m.Name)
			id := m.Name + "/" + a.Name
			a.Name = ""
			key, err := json.Marshal(a)
			require.NoError(t, err)
			require.Empty(t, seen[string(key)], "%s is there already", id)
			seen[string(key)] = id
			n++
		}
	}
	require.GreaterOrEqual(t, n, 60)
}

// Every attempt is blocked with its code, and does reach a sibling or a record
// when nothing stops it.
func TestAttacks(t *testing.T) {
	bin := buildPrograms(t)
	for _, m := range readMechanisms(t) {
		t.Run(m.Name, func(t *testing.T) {
			for _, a := range m.Attempts {
				t.Run(a.Name, func(t *testing.T) {
					t.Parallel()
					if a.OS != "" && a.OS != runtime.GOOS {
						t.Skipf("the attempt needs %s", a.OS)
					}
					newSite(t, bin, a).run(a)
				})
			}
		})
	}
}

// buildPrograms builds both programs. The blank use of cli ties the test's
// cached result to their source.
func buildPrograms(t *testing.T) string {
	t.Helper()
	_ = cli.Main
	bin := t.TempDir()
	out, err := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "./cmd/...").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// site is one workspace under attack.
type site struct {
	t    *testing.T
	vars map[string]string
	n    int
}

var variable = regexp.MustCompile(`\$(R|U|H|O|C|N|S|BASE|BIN|UID|BLOB|D[0-9])\b`)

func (s *site) text(v string) string {
	return variable.ReplaceAllStringFunc(v, func(m string) string {
		got, ok := s.vars[m[1:]]
		require.True(s.t, ok, "%s is not known yet", m)
		return got
	})
}

// fill puts the variables into every string of a JSON value, keys too.
func (s *site) fill(v any) any {
	switch v := v.(type) {
	case string:
		return s.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.fill(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			out[s.text(k)] = s.fill(x)
		}
		return out
	}
	return v
}

// siblings is what every workspace holds beside the own unit U03; $C is a text
// and $N a file name that no one else has.
var siblings = map[string]string{
	"construction/units/U03/design.md":     "# U03 design\nTODO later\n",
	"construction/units/U03/sub/notes.md":  "own notes\n",
	"construction/units/U04/design.md":     "$C of U04 TODO\n",
	"construction/units/U04/secret.txt":    "$C\n",
	"construction/units/U04/$N.md":         "$C\n",
	"construction/units/U05/design.md":     "$C of U05 TODO\n",
	"construction/units/U03-old/design.md": "$C, older TODO\n",
	"docs/guide.md":                        "shared\n",
}

func random(t *testing.T) string {
	t.Helper()
	var b [6]byte
	_, err := rand.Read(b[:])
	require.NoError(t, err)
	return hex.EncodeToString(b[:])
}

func newSite(t *testing.T, bin string, a attempt) *site {
	t.Helper()
	return newSiteIn(t, t.TempDir(), bin, a)
}

func newSiteIn(t *testing.T, dir, bin string, a attempt) *site {
	t.Helper()
	base, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	s := &site{t: t, vars: map[string]string{
		"BASE": base, "R": base + "/ws", "U": base + "/ws/construction/units", "H": base + "/home", "O": base + "/out",
		"C": "canary" + random(t), "N": "name" + random(t), "S": "11111111-2222-4333-8444-555555555555",
		"BIN": bin, "UID": fmt.Sprint(os.Getuid()),
	}}
	for _, v := range []string{"R", "H", "O"} {
		require.NoError(t, os.Mkdir(s.vars[v], 0o700))
	}
	if raw, err := json.Marshal(a); err == nil && bytes.Contains(raw, []byte("$BIN")) {
		// The programs themselves are attacked: these are its own.
		s.vars["BIN"] = base + "/bin"
		require.NoError(t, os.CopyFS(s.vars["BIN"], os.DirFS(bin)))
	}
	s.write(siblings)
	s.write(a.Tree)
	for name, target := range a.Links {
		p := s.path(name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o700))
		require.NoError(t, os.Symlink(s.text(target), p))
	}
	if a.Git {
		s.shell("git init -q -b main && git add -A && git -c user.name=dev -c user.email=dev@example.invalid commit -q -m first")
		id := strings.TrimSpace(s.shell("git rev-parse HEAD:construction/units/U04/design.md"))
		s.vars["BLOB"] = id[:2] + "/" + id[2:]
	}
	s.dispatch(a)
	s.mount(a.Mount)
	return s
}

func (s *site) dispatch(a attempt) {
	s.conduct("init", "--layout", "construction/units/{unit}")
	all := a.Dispatch
	if all == nil {
		all = [][]string{{"--unit", "U03", "--agent", "reviewer"}}
	}
	for i, args := range all {
		out := s.conduct(append([]string{"dispatch"}, args...)...)
		s.vars[fmt.Sprintf("D%d", i+1)] = strings.Fields(out)[0]
	}
}

func (s *site) mount(m []string) {
	if m == nil {
		return
	}
	from, to := s.path(m[0]), s.path(m[1])
	require.NoError(s.t, os.MkdirAll(to, 0o700))
	err := bind(from, to)
	if errors.Is(err, syscall.EPERM) {
		s.t.Skip("this kernel lets only root mount")
	}
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, unbind(to)) })
}

func (s *site) path(name string) string {
	name = s.text(name)
	if filepath.IsAbs(name) {
		return name
	}
	return s.vars["R"] + "/" + name
}

func (s *site) write(tree map[string]string) {
	for name, content := range tree {
		p := s.path(name)
		require.NoError(s.t, os.MkdirAll(filepath.Dir(p), 0o700))
		require.NoError(s.t, os.WriteFile(p, []byte(s.text(content)), 0o600))
	}
}

func (s *site) env(more map[string]string) []string {
	env := []string{
		"PATH=" + s.vars["BIN"] + ":" + os.Getenv("PATH"), "HOME=" + s.vars["H"], "TMPDIR=" + s.vars["BASE"],
		"LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
	}
	for k, v := range more {
		env = append(env, k+"="+s.text(v))
	}
	return env
}

// conduct runs the conductor's program as the conductor.
func (s *site) conduct(args ...string) string {
	s.t.Helper()
	for i := range args {
		args[i] = s.text(args[i])
	}
	cmd := exec.Command(s.vars["BIN"]+"/conduct", args...)
	cmd.Dir, cmd.Env = s.vars["R"], s.env(nil)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.Fail(s.t, "conduct "+strings.Join(args, " "), "%s", exit.Stderr)
	}
	require.NoError(s.t, err)
	return string(out)
}

func (s *site) shell(line string) string {
	s.t.Helper()
	cmd := exec.Command("bash", "-c", s.text(line))
	cmd.Dir, cmd.Env = s.vars["R"], s.env(nil)
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	return string(out)
}

func (s *site) run(a attempt) {
	for _, st := range a.Setup {
		s.step(st)
	}
	watched := s.watched(a.Watch)
	quiet := slices.DeleteFunc(slices.Clone(watched), func(p string) bool { return p == s.vars["R"]+"/.conduct" })
	before := prints(quiet)

	code, reason := s.guard(a.call, a.Clock)
	require.Equal(s.t, a.Code, code, reason)
	require.True(s.t, maps.Equal(before, prints(quiet)), "the guard changed something")

	s.leaks(a, watched)
}

// leaks does what the call would have done, and checks that it mattered.
func (s *site) leaks(a attempt, watched []string) {
	c := a.call
	if a.Leak != nil {
		s.write(a.Leak.Tree)
		c = inherit(a.Leak.call, a.call)
		if a.Leak.Through {
			code, reason := s.guard(c, "")
			require.Empty(s.t, reason, "the call that the attempt opens the way for is blocked: %s", code)
		}
	}
	before := prints(watched)
	out := s.perform(c)
	if !strings.Contains(out, s.vars["C"]) && !strings.Contains(out, s.vars["N"]) {
		require.False(s.t, maps.Equal(before, prints(watched)), "nothing leaked and nothing changed, so there was nothing to block: %s", out)
	}
}

func inherit(c, from call) call {
	if c.Client == "" {
		c.Client = from.Client
	}
	if c.Cwd == nil {
		c.Cwd = from.Cwd
	}
	if c.Session == "" {
		c.Session = from.Session
	}
	if c.Tool == "" {
		c.Tool, c.Input = from.Tool, from.Input
	}
	return c
}

func (s *site) step(st step) {
	switch {
	case st.Run != nil:
		s.conduct(slices.Clone(st.Run)...)
	case st.Sh != "":
		s.shell(st.Sh)
	case st.Call != nil:
		code, reason := s.guard(*st.Call, "")
		require.Equal(s.t, st.Code, code, reason)
	case st.Await != "":
		require.Eventually(s.t, func() bool {
			return strings.Contains(s.conduct("status", "--all", "--json"), `"state":"`+st.Await+`"`)
		}, 10*time.Second, 20*time.Millisecond)
	}
}

// guard sends a call through the hook and returns the code, and the reason of a
// block. What the answer shows is not the sibling's.
func (s *site) guard(c call, clock string) (code, reason string) {
	s.t.Helper()
	payload, client := s.payload(c)
	r := s.hook(c, client, payload, clock)
	v, err := hooktest.Read(client, r)
	require.NoError(s.t, err, "%s%s", r.Stdout, r.Stderr)
	for _, secret := range []string{"C", "N"} {
		if !bytes.Contains(payload, []byte(s.vars[secret])) {
			require.NotContains(s.t, string(r.Stdout)+string(r.Stderr), s.vars[secret])
		}
	}
	if v.Blocked {
		require.LessOrEqual(s.t, len([]rune(v.Reason)), 400)
		reason = v.Reason
	}
	if client == "generic" {
		return v.Code, reason
	}
	return s.logged(v.Blocked), reason
}

// logged returns the code of the last judged call. A client that shows none
// must have shown what the log says.
func (s *site) logged(blocked bool) string {
	s.t.Helper()
	lines := strings.Split(strings.TrimSpace(s.conduct("log", "--json")), "\n")
	var last struct {
		Code    string `json:"code"`
		Allowed bool   `json:"allowed"`
	}
	if len(lines[0]) == 0 {
		require.False(s.t, blocked, "a block that the log does not hold")
		return "not_dispatched"
	}
	require.NoError(s.t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	require.Equal(s.t, blocked, !last.Allowed)
	return last.Code
}

func (s *site) hook(c call, client string, payload []byte, clock string) hooks.Response {
	env := map[string]string{"CLAUDE_PROJECT_DIR": "$R", "GEMINI_PROJECT_DIR": "$R", "QWEN_PROJECT_DIR": "$R"}
	for k, v := range c.Env {
		env[k] = v
	}
	var stdout, stderr bytes.Buffer
	if clock != "" {
		shift, err := time.ParseDuration(clock)
		require.NoError(s.t, err)
		getenv := func(name string) string { return s.text(env[name]) }
		code := guardcmd.Run([]string{"--client", client},
			gate.Options{Stdin: bytes.NewReader(payload), Getenv: getenv, Clock: &shifted{shift: shift}}, &stdout, &stderr)
		return hooks.Response{Exit: code, Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
	}
	cmd := exec.Command(s.vars["BIN"]+"/conduct-guard", "--client", client)
	cmd.Dir, cmd.Env = s.vars["R"], s.env(env)
	if c.HookCwd != "" {
		cmd.Dir = s.path(c.HookCwd)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(payload), &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		require.NoError(s.t, err)
	}
	return hooks.Response{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.Bytes(), Stderr: stderr.Bytes()}
}

// shifted is a machine whose wall clock somebody has set; its boot clock runs on.
type shifted struct {
	system.Clock
	shift time.Duration
}

func (c *shifted) Now() time.Time { return time.Now().Add(c.shift) }

// watched are the places that no dispatched agent may change.
func (s *site) watched(more []string) []string {
	out := []string{}
	for _, p := range []string{
		"$R/.conduct", "$R/conduct.yaml", "$R/.claude", "$R/.git/hooks", "$R/.git/config",
		"$U/U04", "$U/U05", "$U/U03-old",
	} {
		out = append(out, s.text(p))
	}
	for _, p := range more {
		out = append(out, s.path(p))
	}
	return out
}

// prints describes everything below some paths.
func prints(roots []string) map[string]string {
	out := map[string]string{}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // what is not there has no print
			}
			if info, ierr := e.Info(); ierr == nil {
				out[p] = info.Mode().String()
			}
			if e.Type().IsRegular() {
				data, rerr := os.ReadFile(p)
				out[p] += fmt.Sprintf(" %q %v", data, rerr)
			}
			if e.Type()&fs.ModeSymlink != 0 {
				out[p], _ = os.Readlink(p)
			}
			return nil
		})
	}
	return out
}
