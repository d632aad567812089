package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/workspace"
)

// clock is a machine whose two clocks are set by hand.
type clock struct {
	now  time.Time
	boot time.Duration
}

func (c *clock) Now() time.Time                { return c.now }
func (c *clock) Boot() (string, time.Duration) { return "boot", c.boot }

// pass lets time pass for both.
func (c *clock) pass(d time.Duration) { c.now, c.boot = c.now.Add(d), c.boot+d }

// bench is a workspace of three units with the commands in this process.
type bench struct {
	t      *testing.T
	root   string
	clock  *clock
	vars   map[string]string
	person bool
}

func newBench(t *testing.T) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, u := range []string{"U03", "U04", "U05"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "units", u), 0o700))
	}
	b := &bench{t: t, root: root, clock: &clock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), boot: time.Hour}, vars: map[string]string{}}
	b.ok("init", "--layout", "units/{unit}")
	return b
}

func (b *bench) env(out, errs *bytes.Buffer) *Env {
	return &Env{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: errs, Clock: b.clock, Self: "conduct",
		Getenv:   func(n string) string { return b.vars[n] },
		Getwd:    func() (string, error) { return b.root, nil },
		Terminal: func() bool { return b.person },
	}
}

func (b *bench) run(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Run(context.Background(), args, b.env(&o, &e))
	return code, o.String(), e.String()
}

func (b *bench) ok(args ...string) string {
	b.t.Helper()
	code, out, errs := b.run(args...)
	require.Equal(b.t, exitOK, code, "%s%s", out, errs)
	return out
}

// status returns the dispatches that status --all lists.
func (b *bench) status() []map[string]any {
	b.t.Helper()
	var doc struct{ Dispatches []map[string]any }
	require.NoError(b.t, json.Unmarshal([]byte(b.ok("status", "--all", "--json")), &doc))
	return doc.Dispatches
}

func TestEachErrorHasItsExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		exit int
		code string
	}{
		{usageError{errors.New("x")}, 2, "usage"},
		{dispatch.ErrTTL, 2, "usage"},
		{dispatch.ErrInvalid, 2, "usage"},
		{unit.ErrLayout, 2, "usage"},
		{&dispatch.ConflictError{Holder: &dispatch.Dispatch{}}, 3, "conflict"},
		{dispatch.ErrConflict, 3, "conflict"},
		{unit.ErrTwoPlaces, 3, "conflict"},
		{store.ErrGeneration, 3, "conflict"},
		{dispatch.ErrForbidden, 3, "conflict"},
		{dispatch.ErrNone, 4, "not_found"},
		{store.ErrNotFound, 4, "not_found"},
		{unit.ErrUnknown, 4, "not_found"},
		{workspace.ErrNotOurs, 4, "not_found"},
		{&workspace.NoneError{}, 4, "not_found"},
		{ledger.Unknown("x"), 4, "unknown_item"},
		{ledger.Unbound("x"), 3, "not_bound"},
		{ledger.Bound("x", "y"), 3, "already_bound"},
		{ledger.CheckGoal(""), 2, "field_invalid"},
		{ledger.CheckGoal(strings.Repeat("x", 1001)), 2, "field_too_long"},
		{&store.LockedError{Holder: "pid 1"}, 5, "locked"},
		{&store.DamageError{File: "x"}, 6, "damaged"},
		{config.ErrInvalid, 1, "failed"},
		{file.ErrForeignFolder, 1, "failed"},
		{errors.New("anything"), 1, "failed"},
		// A damaged record is that, whatever was being done.
		{errors.Join(dispatch.ErrConflict, &store.DamageError{File: "x"}), 6, "damaged"},
	} {
		t.Run(fmt.Sprintf("%T %v", c.err, c.err), func(t *testing.T) {
			for _, err := range []error{c.err, fmt.Errorf("doing this: %w", c.err), hint(c.err, "do that")} {
				a := explain(err)
				require.Equal(t, c.exit, a.exit)
				require.Equal(t, c.code, a.code)
			}
			require.Equal(t, "do that", explain(hint(c.err, "do that")).hint)
		})
	}
}

// Every command and every flag is described, and every verb that does something
// has a script that runs it.
func TestCommandsAreDescribedAndScripted(t *testing.T) {
	files, err := filepath.Glob("../../cmd/conduct/testdata/script/*.txtar")
	require.NoError(t, err)
	var scripts strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		scripts.Write(data)
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		require.NotEmpty(t, c.Short, c.CommandPath())
		require.False(t, strings.HasSuffix(c.Short, "."), c.CommandPath())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { require.NotEmpty(t, f.Usage, "%s --%s", c.CommandPath(), f.Name) })
		if c.HasParent() && !c.HasSubCommands() && c.Name() != "powershell" {
			verb := strings.TrimPrefix(c.CommandPath(), "conduct ")
			require.Regexp(t, `(exec|exits \d|conduct) (conduct )?`+regexp.QuoteMeta(verb)+`\b`, scripts.String())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	var o, e bytes.Buffer
	walk(newRoot(newBench(t).env(&o, &e), nil))
}

// A verb that is made alone has the same help and the same arguments as among the others.
func TestAVerbAloneIsTheSame(t *testing.T) {
	b := newBench(t)
	for _, v := range verbs() {
		for _, args := range [][]string{{v.name, "--help"}, {v.name, "-h", "x"}, {v.name, "--nonsense"}, {v.name, "a", "b", "c", "d"}} {
			var o, e, allO, allE bytes.Buffer
			alone := newRoot(b.env(&o, &e), args)
			require.Len(t, alone.Commands(), 1)
			require.Equal(t, v.name, alone.Commands()[0].Name())
			found, rest, err := alone.Find(args)
			require.NoError(t, err)
			all, restOfAll, err := newRoot(b.env(&allO, &allE), nil).Find(args)
			require.NoError(t, err)
			require.Equal(t, all.CommandPath(), found.CommandPath())
			require.Equal(t, restOfAll, rest)
			require.NoError(t, found.Help())
			require.NoError(t, all.Help())
			require.Equal(t, allO.String(), o.String())
			require.Equal(t, allE.String(), e.String())
		}
	}
}

// From issue to the last renewal 7 days, exactly; and the end is exact too.
func TestRenewalIsBounded(t *testing.T) {
	b := newBench(t)
	b.ok("dispatch", "--unit", "U03", "--agent", "a", "--ttl", "1h")
	b.clock.pass(59 * time.Minute)
	b.ok("renew", "--unit", "U03", "--ttl", "1d")
	require.Equal(t, "2030-01-03T04:03:05Z", b.status()[0]["expires_at"])
	require.InEpsilon(t, 86400.0, b.status()[0]["remaining_s"], 0)

	code, _, errs := b.run("renew", "--unit", "U03", "--ttl", "6d23h1m1s")
	require.Equal(t, exitUsage, code, errs)
	b.ok("renew", "--unit", "U03", "--ttl", "6d23h1m")
	require.Equal(t, "2030-01-09T03:04:05Z", b.status()[0]["expires_at"])

	b.clock.pass(6*24*time.Hour + 23*time.Hour + time.Minute - time.Nanosecond)
	require.Equal(t, "reserved", b.status()[0]["state"])
	b.clock.pass(time.Nanosecond)
	require.Equal(t, "expired", b.status()[0]["state"])
	code, _, errs = b.run("renew", "--unit", "U03", "--ttl", "1h")
	require.Equal(t, exitNotFound, code, errs)
}

// A clock that is set back prolongs nothing; one set forward ends what it must.
func TestClockSetBack(t *testing.T) {
	b := newBench(t)
	b.ok("dispatch", "--unit", "U03", "--agent", "a", "--ttl", "1h")
	b.clock.pass(time.Hour + time.Millisecond)
	b.clock.now = b.clock.now.Add(-3 * time.Hour)
	require.Equal(t, "expired", b.status()[0]["state"])
	require.InDelta(t, 0.0, b.status()[0]["remaining_s"], 0)

	// The unit is free for the same agent again.
	b.ok("dispatch", "--unit", "U03", "--agent", "a", "--ttl", "1h")
	require.Len(t, b.status(), 2)
}

func TestDefaultLife(t *testing.T) {
	b := newBench(t)
	b.ok("dispatch", "--unit", "U03", "--agent", "a")
	require.Equal(t, "2030-01-02T09:04:05Z", b.status()[0]["expires_at"])
}

// What has ended is kept for 7 days, then goes; what is in force stays.
func TestRetention(t *testing.T) {
	b := newBench(t)
	b.ok("dispatch", "--unit", "U03", "--agent", "a")
	b.ok("dispatch", "--unit", "U04", "--agent", "b", "--ttl", "7d")
	b.ok("release", "--unit", "U03", "--verdict", "ready")
	b.clock.pass(7 * 24 * time.Hour)
	b.ok("janitor")
	require.Len(t, b.status(), 2)
	b.clock.pass(time.Nanosecond)
	b.ok("janitor")
	left := b.status()
	require.Len(t, left, 1)
	require.Equal(t, "U04", left[0]["unit"])
	require.Equal(t, "expired", left[0]["state"])

	// An expired one is kept from when its time was up.
	b.clock.pass(7*24*time.Hour - time.Nanosecond)
	b.ok("janitor")
	require.Len(t, b.status(), 1)
	b.clock.pass(time.Nanosecond)
	b.ok("janitor")
	require.Empty(t, b.status())
}

// Only a person switches the guard off, and it comes back by itself.
func TestOff(t *testing.T) {
	b := newBench(t)
	code, _, errs := b.run("off", "--for", "10m")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "only a person at a terminal")
	b.person = true
	for _, v := range []string{"CONDUCT_DISPATCH", "CLAUDECODE", "GEMINI_CLI", "QWEN_CODE", "CODEX_SANDBOX"} {
		b.vars = map[string]string{v: "1"}
		code, _, errs = b.run("off", "--for", "10m")
		require.Equal(t, exitFailed, code, v)
		require.Contains(t, errs, "only a person at a terminal", v)
	}
	b.vars = nil
	require.JSONEq(t, `{"off_until":"2030-01-02T03:14:05Z"}`, b.ok("off", "--for", "10m", "--json"))
	b.clock.pass(10*time.Minute - time.Nanosecond)
	require.Contains(t, b.ok("status"), "stands aside until 2030-01-02T03:14:05Z")
	b.clock.pass(time.Nanosecond)
	require.NotContains(t, b.ok("status"), "stands aside")
}

// A command in a folder that was removed under it says so.
func TestCurrentFolderGone(t *testing.T) {
	b := newBench(t)
	for _, args := range [][]string{{"status"}, {"dispatch", "--unit", "U03"}, {"status", "--dir", "x"}, {"init"}} {
		var o, e bytes.Buffer
		env := b.env(&o, &e)
		env.Getwd = func() (string, error) { return "", os.ErrNotExist }
		require.Equal(t, exitFailed, Run(context.Background(), args, env))
		require.Equal(t, "conduct: the current folder is gone\n", e.String())
		require.Empty(t, o.String())
	}
	var o, e bytes.Buffer
	env := b.env(&o, &e)
	env.Getwd = func() (string, error) { return "", os.ErrNotExist }
	require.Equal(t, exitOK, Run(context.Background(), []string{"status", "--dir", b.root}, env), e.String())
}

// full is an output that takes nothing.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// An answer that cannot be printed is a failure, told on the other stream.
func TestOutputThatTakesNothing(t *testing.T) {
	b := newBench(t)
	b.ok("dispatch", "--unit", "U04", "--agent", "other")
	for _, line := range []string{
		"init", "unit list", "unit show U03", "dispatch --unit U03 --agent a", "grant add --unit U04 --read docs",
		"grant list --unit U04", "renew --unit U04 --ttl 1h", "status", "check --unit U04 docs", "janitor", "version",
		"board goal ship", "board create --title t", "board show", "board show --json", "demo", "help", "completion bash", "init --print-protocol", "on", "release --unit U04 --verdict ready",
		"unit list --json", "status --json", "version --json", "check --unit U03 docs --json", "release --unit U03 --verdict ready --json",
	} {
		t.Run(line, func(t *testing.T) {
			var o, e bytes.Buffer
			env := b.env(&o, &e)
			env.Stdout = full{}
			require.Equal(t, exitFailed, Run(context.Background(), strings.Fields(line), env), e.String())
			said := strings.Split(strings.TrimSpace(e.String()), "\n")
			require.Contains(t, said[len(said)-1], "conduct: cannot print the answer: no space left")
		})
	}
	var o, e bytes.Buffer
	env := b.env(&o, &e)
	env.Stdout = full{}
	require.Equal(t, exitNotFound, Run(context.Background(), []string{"release", "--unit", "U09", "--verdict", "ready", "--json"}, env))
	require.Contains(t, e.String(), "conduct: no such dispatch")
}

// With --json every verb that succeeds prints exactly one object.
func TestJSONIsOneObject(t *testing.T) {
	b := newBench(t)
	b.person = true
	for _, line := range []string{
		"init", "unit list", "unit show U03", "dispatch --unit U03 --agent a", "grant add --unit U03 --read docs",
		"grant list --unit U03", "grant revoke --unit U03 --read docs", "renew --unit U03 --ttl 1h", "status", "status --all",
		"check --unit U03 docs", "check --unit U03 docs units/U03", "janitor", "janitor --dry-run", "off --for 1m", "on",
		"release --unit U03 --verdict ready", "demo", "version", "board goal ship", "board create --title t", "board show",
	} {
		out := b.ok(append(strings.Fields(line), "--json")...)
		d := json.NewDecoder(strings.NewReader(out))
		var doc map[string]any
		require.NoError(t, d.Decode(&doc), line)
		require.NotEmpty(t, doc, line)
		require.False(t, d.More(), line)
		require.Equal(t, 1, strings.Count(out, "\n"), line)
	}
}

func TestAsksJSON(t *testing.T) {
	for _, c := range []struct {
		args string
		want bool
	}{
		{"status --json", true}, {"status --json=true", true}, {"--json", true}, {"status --frob --json", true},
		{"status", false}, {"status -- --json", false}, {"status --jsonx", false}, {"", false},
	} {
		require.Equal(t, c.want, asksJSON(strings.Fields(c.args)), c.args)
	}
}

// The words of one flag value are those that the help lists.
func TestOneOf(t *testing.T) {
	require.NoError(t, oneOf("x", "", "a"))
	require.NoError(t, oneOf("x", "b", "a", "b"))
	err := oneOf("x", "c", "a", "b")
	require.EqualError(t, err, `--x "c" is not one of a, b`)
	require.True(t, slices.Contains([]int{exitUsage}, explain(err).exit))
}

// A dispatch is named by --dispatch wherever it is named by --id.
func TestDispatchIsID(t *testing.T) {
	b := newBench(t)
	id := strings.Fields(b.ok("dispatch", "--unit", "U03"))[0]
	b.ok("grant", "add", "--dispatch", id, "--read", "units/U04/a")
	require.Contains(t, b.ok("grant", "list", "--dispatch="+id), "units/U04/a")
	b.ok("renew", "--dispatch", id, "--ttl", "1h")
	code, _, errs := b.run("release", "--dispatch", "", "--verdict", "ready")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "--id is empty")
	other := strings.Fields(b.ok("dispatch", "--unit", "U04"))[0]
	code, _, errs = b.run("release", "--id", id, "--dispatch", other, "--verdict", "ready")
	require.Equal(t, exitUsage, code)
	require.Contains(t, errs, "it is \""+id+"\" already")
	for _, line := range []string{"release --verdict ready", "renew --ttl 1h", "grant add --read units/U04/a", "grant list", "check x"} {
		for _, wrong := range []string{"--unit U04", "--agent reviewer"} {
			code, _, errs = b.run(strings.Fields(line + " --id " + id + " " + wrong)...)
			require.Equal(t, exitConflict, code, line)
			require.Contains(t, errs, "dispatch "+id+" is of unit \"U03\"", line)
		}
	}
	// The line of the prompt will do.
	require.Contains(t, b.ok("grant", "list", "--id", "conduct:"+strings.ToLower(id)), "units/U04/a")
	code, _, errs = b.run("brief", "--dispatch", "conduct:"+id)
	require.Equal(t, exitConflict, code)
	require.Contains(t, errs, "is bound to no item")
	require.Contains(t, b.ok("release", "--dispatch", id, "--verdict", "ready"), id)
}

// What is wrong with the arguments is said in the words of the usage line, with the help
// of the command that was meant.
func TestWrongArguments(t *testing.T) {
	b := newBench(t)
	for line, want := range map[string]string{
		"board show X":                            `argument "X" is one too many|conduct board show --help`,
		"board goal":                              `argument TEXT is missing|conduct board goal --help`,
		"board create":                            `--title is missing|conduct board create --help`,
		"board verdict --item X":                  `argument VERDICT is missing|conduct board verdict --help`,
		"report --kind done two words":            `argument "words" is one too many: quote what has spaces|conduct report --help`,
		"knob set --unit U03 sandbox":             `argument VALUE is missing|conduct knob set --help`,
		"knob set --unit U03 sandbx off":          `knob "sandbx" is not known: one of sandbox, approval, opaque|conduct knob set --help`,
		"knob show":                               `--dispatch or --unit is missing|conduct knob show --help`,
		"knob show --unit U03 --dispatch X":       `--dispatch and --unit exclude each other|conduct knob show --help`,
		"check --unit U03":                        `argument PATH is missing|conduct check --help`,
		"approve a b":                             `argument "b" is one too many: quote what has spaces|conduct approve --help`,
		"renew --unit U03":                        `--ttl is missing|conduct renew --help`,
		"board list":                              `unknown command "list"|conduct board --help`,
		"board creat":                             `unknown command "creat"|did you mean conduct board create? conduct board --help`,
		"list":                                    `unknown command "list"|conduct help`,
		"relase --unit X":                         `unknown command "relase"|did you mean conduct release? conduct help`,
		"--dir . board --dir . creat --title X":   `unknown command "creat"|did you mean conduct board create? conduct board --help`,
		"board --title X":                         `unknown flag: --title|conduct board --help`,
		"--dir":                                   `flag needs an argument: --dir|conduct --help`,
		"board show --itm X":                      `unknown flag: --itm|did you mean --item? conduct board show --help`,
		"board create --accept X":                 `unknown flag: --accept|did you mean --acceptance? conduct board create --help`,
		"release --jsn":                           `unknown flag: --jsn|did you mean --json? conduct release --help`,
		"release --nothing-like-it":               `unknown flag: --nothing-like-it|conduct release --help`,
		"help list":                               `unknown command "list"|conduct help`,
		"channel open --from X --to X --ttl soon": `--ttl: "soon" is no duration such as "90m", "6h" or "7d"|conduct channel open --help`,
	} {
		code, _, errs := b.run(strings.Fields(line)...)
		require.Equal(t, exitUsage, code, line)
		said, help, _ := strings.Cut(want, "|")
		require.Equal(t, "conduct: "+said+"\nhint: "+help+"\n", errs, line)
	}
}

// What runs below an agent's call, and so past the hook, has its dispatch in the
// environment: it makes, ends, widens and prolongs none.
func TestConductorsVerbsUnderADispatch(t *testing.T) {
	b := newBench(t)
	id := strings.Fields(b.ok("dispatch", "--unit", "U03", "--agent", "reviewer"))[0]
	for _, line := range []string{
		"dispatch --unit U04", "release --unit U03 --verdict ready", "grant add --unit U03 --read construction/units/U04/design.md",
		"grant revoke --unit U03 --read construction/units/U04/design.md", "renew --unit U03 --ttl 1h", "janitor --clear-damaged", "run --unit U04 -- true", "on",
		"board show", "channel show", "knob set --unit U03 opaque allow", "approve",
	} {
		for _, mine := range []string{id, "conduct:" + id, "conduct:"} {
			var out, errs bytes.Buffer
			env := b.env(&out, &errs)
			outer := env.Getenv
			env.Getenv = func(name string) string {
				if name == varDispatch {
					return mine
				}
				return outer(name)
			}
			require.Equal(t, exitConflict, Run(context.Background(), strings.Fields(line), env), "%s: %s", line, errs.String())
			require.Contains(t, errs.String(), "this runs under dispatch ", line)
		}
	}
	require.Len(t, b.status(), 1)
}
