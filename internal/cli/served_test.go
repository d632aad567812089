package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/internal/broker"
	"github.com/seed6310be5c/conduct/mcpserver"
	"github.com/seed6310be5c/conduct/store"
)

// tool calls a tool of the bench's workspace. Its answer must fit the schema that
// clients were given.
func (b *bench) tool(name, args string) mcpserver.Result {
	b.t.Helper()
	for _, role := range mcpserver.Roles() {
		s := b.env(new(bytes.Buffer), new(bytes.Buffer)).server(role)
		i := slices.IndexFunc(s.Tools(), func(t mcpserver.Tool) bool { return t.Name == name })
		if i < 0 {
			continue
		}
		r := s.Call(context.Background(), name, []byte(args))
		var schema jsonschema.Schema
		require.NoError(b.t, json.Unmarshal(s.Tools()[i].Output, &schema))
		resolved, err := schema.Resolve(nil)
		require.NoError(b.t, err)
		var doc any
		require.NoError(b.t, json.Unmarshal(r.JSON, &doc), "%s", r.JSON)
		require.NoError(b.t, resolved.Validate(doc), "%s %s", name, r.JSON)
		return r
	}
	b.t.Fatalf("no tool %q", name)
	return mcpserver.Result{}
}

var helps = regexp.MustCompile(`conduct [a-z ]+ --help"`)

var minted = regexp.MustCompile(`\b[0-9A-HJKMNP-TV-Z]{26}\b`)

// A verb of the command line and its tool are one thing: what the one prints with
// --json is, byte for byte, what the other returns; refusals and warnings too.
func TestToolsAreTheVerbs(t *testing.T) {
	long := strings.Repeat("x", 501)
	steps := []struct{ line, tool, args string }{
		{"board show", "work_ledger_read", `{}`},
		{"board goal", "work_ledger_record", `{"action":"goal"}`}, // differs: see below
		{"board goal|ship <it> & smile", "work_ledger_record", `{"action":"goal","goal":"ship <it> & smile"}`},
		{"board create --title|pay by card --acceptance|charged once --session|s1", "work_ledger_record", `{"action":"create","title":"pay by card","acceptance":"charged once","session":"s1"}`},
		{"board create --title|the bill", "work_ledger_record", `{"action":"create","title":"the bill"}`},
		{"board create --title|a part --parent I0", "work_ledger_record", `{"action":"create","title":"a part","parent":"I0"}`},
		{"board create --title|x --parent 01M8Q2ZHKY0G54W50WRGX68HE3", "work_ledger_record", `{"action":"create","title":"x","parent":"01M8Q2ZHKY0G54W50WRGX68HE3"}`},
		{"dispatch --unit U03 --agent a --item I0 --ttl 1h --role worker --exempt units/U04/a --max-depth 1", "work_dispatch", `{"unit":"U03","agent":"a","item":"i0","ttl":"1h","role":"worker","exempt":["units/U04/a"],"max_depth":1}`},
		{"dispatch --unit U03 --agent a", "work_dispatch", `{"unit":"U03","agent":"a"}`},
		{"dispatch --unit U9", "work_dispatch", `{"unit":"U9"}`},
		{"dispatch --unit U04 --ttl 8d", "work_dispatch", `{"unit":"U04","ttl":"8d"}`},
		{"dispatch --unit U04 --require-hook", "work_dispatch", `{"unit":"U04","require_hook":true}`},
		{"dispatch --unit U04 --read-only --shared read --opaque confine --confine all --git allow --bind session --observe --deny-tool X --note n --stage s --session s2 --on-block ask --ask-wait 5s --read docs/ --write units/U05/", "work_dispatch",
			`{"unit":"U04","read_only":true,"shared":"read","opaque":"confine","confine":"all","git":"allow","bind":"session","observe":true,"deny_tool":["X"],"note":"n","stage":"s","session":"s2","on_block":"ask","ask_wait":"5s","read":["docs/"],"write":["units/U05/"]}`},
		{"dispatch --unit U05 --opaque block --confine all", "work_dispatch", `{"unit":"U05","opaque":"block","confine":"all"}`},
		{"dispatch --unit U05 --item I0", "work_dispatch", `{"unit":"U05","item":"I0"}`},
		{"board bind --item I1 --dispatch D1", "work_ledger_record", `{"action":"bind","item":"I1","dispatch":"D1"}`},
		{"board bind --item I1 --dispatch D0", "work_ledger_record", `{"action":"bind","item":"I1","dispatch":"D0"}`},
		{"board bind --item I1 --dispatch 01M8Q2ZHKY0G54W50WRGX68HE3", "work_ledger_record", `{"action":"bind","item":"I1","dispatch":"01M8Q2ZHKY0G54W50WRGX68HE3"}`},
		{"brief --dispatch D0", "work_brief", `{"dispatch":"D0"}`},
		{"brief --dispatch D0 --log", "work_brief", `{"dispatch":"D0","log":true}`},
		{"brief --dispatch 01M8Q2ZHKY0G54W50WRGX68HE3", "work_brief", `{"dispatch":"01M8Q2ZHKY0G54W50WRGX68HE3"}`},
		{"brief --dispatch ../x", "work_brief", `{"dispatch":"../x"}`},
		{"report --dispatch D0 --kind done --artifact pr:12 --artifact path:units/U03/a.md|it works", "work_report", `{"dispatch":"D0","kind":"done","summary":"it works","artifacts":["pr:12","path:units/U03/a.md"]}`},
		{"report --dispatch D0 --kind done --artifact pr:12 --artifact path:units/U03/a.md|it works", "work_report", `{"dispatch":"D0","kind":"done","summary":"it works","artifacts":["pr:12","path:units/U03/a.md"]}`},
		{"report --dispatch D0 --kind done " + long, "work_report", `{"dispatch":"D0","kind":"done","summary":"` + long + `"}`},
		{"report --dispatch D0 --kind done --artifact see:me|it", "work_report", `{"dispatch":"D0","kind":"done","summary":"it","artifacts":["see:me"]}`},
		{"report --dispatch D0 --kind done|two\nlines", "work_report", `{"dispatch":"D0","kind":"done","summary":"two\nlines"}`},
		{"brief --dispatch D1", "work_brief", `{"dispatch":"d1"}`},
		{"board decide --item I0|good", "work_ledger_record", `{"action":"decide","item":"I0","decision":"good"}`},
		{"board verdict --item I1 blocked", "work_ledger_record", `{"action":"verdict","item":"I1","verdict":"blocked"}`},
		{"board show --item I0", "work_ledger_read", `{"item":"i0"}`},
		{"board show --item I9", "work_ledger_read", `{"item":"I9"}`},
		{"release --id D0 --verdict ready --generation 7", "work_release", `{"dispatch":"D0","verdict":"ready","generation":7}`},
		{"release --id D0 --verdict ready --require-observed", "work_release", `{"dispatch":"D0","verdict":"ready","require_observed":true}`},
		{"release --id D0 --verdict ready", "work_release", `{"dispatch":"D0","verdict":"ready"}`},
		{"release --id D0 --verdict blocked", "work_release", `{"dispatch":"D0","verdict":"blocked"}`},
		{"release --unit U04 --agent x --verdict ready", "work_release", `{"unit":"U04","agent":"x","verdict":"ready"}`},
		{"release --unit U04 --verdict not-ready", "work_release", `{"unit":"U04","verdict":"not-ready"}`},
		{"brief --dispatch D0", "work_brief", `{"dispatch":"D0"}`},
		{"report --dispatch D0 --kind done late", "work_report", `{"dispatch":"D0","kind":"done","summary":"late"}`},
		{"dispatch --unit U05 --item I2 --agent c", "work_dispatch", `{"unit":"U05","agent":"c","item":"I2"}`},
		{"dispatch --unit U04 --item I1 --agent d", "work_dispatch", `{"unit":"U04","agent":"d","item":"I1"}`},
		{"request --dispatch D2 --kind channel --to I1|which table?", "work_request", `{"dispatch":"D2","kind":"channel","to":"i1","text":"which table?"}`},
		{"request --dispatch D2 --kind channel --to I1|which table?", "work_request", `{"dispatch":"D2","kind":"channel","to":"I1","text":"which table?"}`},
		{"request --dispatch D2 --kind relay --to I2|x", "work_request", `{"dispatch":"D2","kind":"relay","to":"I2","text":"x"}`},
		{"request --dispatch D2 --kind relay --to 01M8Q2ZHKY0G54W50WRGX68HE3|x", "work_request", `{"dispatch":"D2","kind":"relay","to":"01M8Q2ZHKY0G54W50WRGX68HE3","text":"x"}`},
		{"message --dispatch D2 --to I1|hello", "work_message", `{"dispatch":"D2","action":"send","to":"I1","text":"hello"}`},
		{"channel open --from I2 --to I1 --ttl 2d", "work_ledger_record", `{"action":"channel_open","from":"I2","to":"I1","ttl":"2d"}`},
		{"channel open --from I2 --to I1 --ttl soon", "work_ledger_record", `{"action":"channel_open","from":"I2","to":"I1","ttl":"soon"}`},
		{"channel open --from I2 --to I1 --messages 2", "work_ledger_record", `{"action":"channel_open","from":"I2","to":"I1","messages":2}`},
		{"channel open --from I2 --to I1", "work_ledger_record", `{"action":"channel_open","from":"I2","to":"I1"}`},
		{"message --dispatch D2 --to I1|hello", "work_message", `{"dispatch":"D2","action":"send","to":"I1","text":"hello"}`},
		{"message --dispatch D2 --to I1|hello", "work_message", `{"dispatch":"D2","action":"send","to":"I1","text":"hello"}`},
		{"channel relay --from I1 --to I2|bills", "work_ledger_record", `{"action":"relay","from":"I1","to":"I2","text":"bills"}`},
		{"inbox --dispatch D3", "work_message", `{"dispatch":"D3","action":"read"}`},
		{"inbox --dispatch D3", "work_message", `{"dispatch":"D3","action":"read"}`},
		{"inbox --dispatch D3 --again", "work_message", `{"dispatch":"D3","action":"read","again":true}`},
		{"inbox --dispatch D2", "work_message", `{"dispatch":"D2","action":"read"}`},
		{"channel show", "work_ledger_read", `{"channels":true}`},
		{"channel show --from I2 --to I1", "work_ledger_read", `{"item":"I2","with":"I1"}`},
		{"channel show --from I2 --to I2", "work_ledger_read", `{"item":"I2","with":"I2"}`},
		{"channel close --from I2 --to I1", "work_ledger_record", `{"action":"channel_close","from":"I2","to":"I1"}`},
		{"message --dispatch D2 --to I1|late", "work_message", `{"dispatch":"D2","action":"send","to":"I1","text":"late"}`},
		{"board accept --item I0", "work_ledger_record", `{"action":"accept","item":"I0"}`},
		{"board accept --item I1", "work_ledger_record", `{"action":"accept","item":"I1"}`},
		{"board close --item I0", "work_ledger_record", `{"action":"close","item":"I0"}`},
		{"board decide --item I0 late", "work_ledger_record", `{"action":"decide","item":"I0","decision":"late"}`},
		{"dispatch --unit U03 --agent e --board|a part more --acceptance|it is there", "work_dispatch", `{"unit":"U03","agent":"e","board":"a part more","acceptance":"it is there"}`},
		{"dispatch --unit U03 --agent f --acceptance x", "work_dispatch", `{"unit":"U03","agent":"f","acceptance":"x"}`},
		{"board show", "work_ledger_read", `{}`},
	}
	cli, mcp := newBench(t), newBench(t)
	require.NoError(t, os.MkdirAll(filepath.Join(cli.root, "docs"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(mcp.root, "docs"), 0o700))
	var ours, theirs ids
	for i, s := range steps {
		cli.clock.pass(time.Second) // items lie in the order of their ids
		mcp.clock.pass(time.Second)
		at := fmt.Sprintf("%d: %s", i, s.line)
		_, out, errs := cli.run(append(words(ours.fill(s.line)), "--json")...)
		r := mcp.tool(s.tool, theirs.fill(s.args))
		if i == 1 { // what is missing is said in the words of either
			require.True(t, r.Failed)
			continue
		}
		doc := strings.ReplaceAll(string(r.JSON), mcp.root, cli.root) + "\n"
		out = helps.ReplaceAllString(out, "the tool's schema says what its arguments are\"") // where the other says which help
		require.Equal(t, ours.plain(out), theirs.plain(doc), at)
		require.Equal(t, strings.Contains(out, `{"error":`), r.Failed, at)
		require.Equal(t, ours.plain(strings.TrimSpace(errs)), theirs.plain(strings.Join(r.Notes, "\n")), at)
		require.NotContains(t, out, `"code":"failed","message":"","`)
	}
}

// words splits a line at spaces, and where it has bars, only there.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(line, "|") {
		if i > 0 { // a value up to the next flag
			value, rest, _ := strings.Cut(part, " --")
			out, part = append(out, value), rest
			if part != "" {
				part = "--" + part
			}
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// ids knows the ids that one side has minted, by what they are of.
type ids struct{ items, dispatches []string }

// plain replaces ids by their numbers, and notes new ones.
func (x *ids) plain(out string) string {
	for _, field := range []struct {
		name string
		to   *[]string
	}{{`"item":"`, &x.items}, {`^\{"id":"`, &x.dispatches}} {
		if m := regexp.MustCompile(field.name + `(\w{26})"`).FindStringSubmatch(out); m != nil && !slices.Contains(*field.to, m[1]) {
			*field.to = append(*field.to, m[1])
		}
	}
	return minted.ReplaceAllStringFunc(out, func(id string) string {
		if i := slices.Index(x.items, id); i >= 0 {
			return fmt.Sprint("item ", i)
		}
		if i := slices.Index(x.dispatches, id); i >= 0 {
			return fmt.Sprint("dispatch ", i)
		}
		return id
	})
}

var numbered = regexp.MustCompile(`\b[IDid]\d\b`)

// fill puts the ids into a line, in capitals or not as the line has it.
func (x *ids) fill(line string) string {
	return numbered.ReplaceAllStringFunc(line, func(word string) string {
		of := x.items
		if strings.EqualFold(word[:1], "d") {
			of = x.dispatches
		}
		i := int(word[1] - '0')
		switch {
		case i >= len(of):
			return word // there is none, which is meant
		case word[0] == 'i' || word[0] == 'd':
			return strings.ToLower(of[i])
		}
		return of[i]
	})
}

// Every argument of the tools for dispatches is a flag of its verb, and every flag is
// an argument, but for those that are said here.
func TestArgumentsAreFlags(t *testing.T) {
	without := map[string][]string{
		"work_dispatch": {"from", "help"}, "work_release": {"id", "help"},
	}
	beside := map[string][]string{"work_release": {"dispatch"}}
	b := newBench(t)
	env := b.env(new(bytes.Buffer), new(bytes.Buffer))
	for name, verb := range map[string]string{"work_dispatch": "dispatch", "work_release": "release"} {
		tools := env.server(mcpserver.AsConductor).Tools()
		tool := tools[slices.IndexFunc(tools, func(t mcpserver.Tool) bool { return t.Name == name })]
		c, _, err := newRoot(env, []string{verb}).Find([]string{verb})
		require.NoError(t, err)
		flags := []string{}
		c.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(without[name], f.Name) {
				flags = append(flags, strings.ReplaceAll(f.Name, "-", "_"))
			}
		})
		require.ElementsMatch(t, append(flags, beside[name]...), tool.Args)
	}
}

// A server sees a workspace that is made after it has begun, and holds nothing
// between two calls.
func TestWorkspaceIsOpenedForEachCall(t *testing.T) {
	b := newBench(t)
	s := b.env(new(bytes.Buffer), new(bytes.Buffer)).server(mcpserver.AsConductor)
	away := filepath.Join(b.root, "away")
	require.NoError(t, os.Rename(filepath.Join(b.root, ".conduct"), away))
	r := s.Call(context.Background(), "work_ledger_read", nil)
	require.True(t, r.Failed)
	require.Contains(t, string(r.JSON), `"code":"not_found"`)
	require.NoError(t, os.Rename(away, filepath.Join(b.root, ".conduct")))
	require.False(t, s.Call(context.Background(), "work_ledger_read", nil).Failed)
	before, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // where there is no such folder, the rest was tested
	}
	require.False(t, s.Call(context.Background(), "work_ledger_record", []byte(`{"action":"create","title":"t"}`)).Failed)
	after, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	require.Len(t, after, len(before))
}

// Without its program there is no server, and the error says how to get it.
func TestServerIsMissing(t *testing.T) {
	b := newBench(t)
	code, _, errs := b.run("mcp", "--as", "worker")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "no program \"conduct-mcp\"")
	require.Contains(t, errs, "hint: go install github.com/seed6310be5c/conduct/cmd/conduct-mcp@latest")
}

// A server that runs confined has a worker's tools done outside, and answers as one
// that does not.
func TestConfinedServer(t *testing.T) {
	b := newBench(t)
	item, other := strings.TrimSpace(b.ok("board", "create", "--title", "t")), strings.TrimSpace(b.ok("board", "create", "--title", "u"))
	mine := strings.Fields(b.ok("dispatch", "--unit", "U03", "--item", item))[0]
	theirs := strings.Fields(b.ok("dispatch", "--unit", "U04", "--item", other))[0]
	b.ok("channel", "open", "--from", item, "--to", other)
	free := func(name, args string) mcpserver.Result {
		s := b.env(new(bytes.Buffer), new(bytes.Buffer)).server(mcpserver.AsWorker)
		return s.Call(context.Background(), name, []byte(args))
	}
	d, err := b.env(new(bytes.Buffer), new(bytes.Buffer)).open()
	require.NoError(t, err)
	defer d.close()
	asked, err := broker.Serve(t.TempDir(), d.verbsOf(store.ID(mine)))
	require.NoError(t, err)
	inside := b.env(new(bytes.Buffer), new(bytes.Buffer))
	inside.Getwd = func() (string, error) { return "/", nil } // where there is no workspace
	inside.Getenv = func(name string) string {
		return map[string]string{varDispatch: mine, broker.Var: asked.Address()}[name]
	}
	confined := func(name, args string) mcpserver.Result {
		return inside.server(mcpserver.AsWorker).Call(context.Background(), name, []byte(args))
	}
	for _, c := range []struct{ tool, confined, free string }{
		{"work_brief", `{}`, `{"dispatch":"D"}`},
		{"work_brief", `{"log":true}`, `{"dispatch":"D","log":true}`},
		{"work_report", `{"kind":"done","summary":"--kind=x \"it\" works","artifacts":["pr:12"]}`, `{"dispatch":"D","kind":"done","summary":"--kind=x \"it\" works","artifacts":["pr:12"]}`},
		{"work_report", `{"kind":"done","summary":""}`, `{"dispatch":"D","kind":"done","summary":""}`},
		{"work_request", `{"kind":"relay","to":"O","text":"x"}`, `{"dispatch":"D","kind":"relay","to":"O","text":"x"}`},
		{"work_message", `{"action":"send","to":"O","text":"- hello"}`, `{"dispatch":"D","action":"send","to":"O","text":"- hello"}`},
		{"work_message", `{"action":"read"}`, `{"dispatch":"D","action":"read"}`},
		{"work_message", `{"action":"read","again":true}`, `{"dispatch":"D","action":"read","again":true}`},
	} {
		fill := strings.NewReplacer(`"D"`, `"`+mine+`"`, `"O"`, `"`+other+`"`)
		got, want := confined(c.tool, fill.Replace(c.confined)), free(c.tool, fill.Replace(c.free))
		repeated := strings.ReplaceAll(string(got.JSON), `"repeated":false`, `"repeated":true`) // the second of the two is
		require.Equal(t, strings.ReplaceAll(string(want.JSON), `"repeated":false`, `"repeated":true`), repeated, c.confined)
		require.Equal(t, want.Failed, got.Failed)
	}
	r := confined("work_brief", `{"dispatch":"`+theirs+`"}`)
	require.Contains(t, string(r.JSON), `"code":"conflict"`)
	require.Contains(t, b.ok("board", "show", "--item", item), `--kind=x "it" works`)

	require.NoError(t, asked.Close())
	r = confined("work_brief", `{}`)
	require.True(t, r.Failed)
	require.Contains(t, string(r.JSON), "nobody answers outside of the sandbox")
	require.Contains(t, string(r.JSON), "put what you have to say into your answer")
}
