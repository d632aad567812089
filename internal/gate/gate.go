// Package gate is the hook's process between its stdin and its answer: it reads
// the payload, finds the workspaces that the call can touch, asks the guard,
// writes down what the guard wants written, and puts the answer into the
// client's form. Whatever goes wrong on the way becomes the client's own block
// while a dispatch is in force.
package gate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed6310be5c/conduct/audit"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/guard"
	"github.com/seed6310be5c/conduct/hooks"
	"github.com/seed6310be5c/conduct/internal/system"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/workspace"
)

// Deadline is how long a call may take before it is blocked. It lies far below
// every client's own timeout, which most take as leave to go on.
const Deadline = 2 * time.Second

// DefaultWait is how long a person may take to answer a question, unless the grant
// says otherwise. It lies below the time that conduct init has programs wait for the hook.
const DefaultWait = 20 * time.Second

// Environment variables of our own.
const (
	VarDispatch = "CONDUCT_DISPATCH"
	VarOff      = "CONDUCT_OFF"
	VarConfined = "CONDUCT_CONFINED"
)

// Options is everything that the answer depends on beside the disk.
type Options struct {
	Client   hooks.Client
	Dispatch string // --dispatch
	Agent    string // --agent: whose hook this is, for programs whose payloads do not say
	Dir      string // --dir
	Stdin    io.Reader
	Getenv   func(string) string
	Clock    dispatch.Clock
	Deadline time.Duration
}

// Run answers one call of the hook.
func Run(o Options) hooks.Response {
	g := &gate{o: o, start: time.Now(), limits: make(chan time.Duration, 2)}
	done := make(chan hooks.Response, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				done <- g.failed("the guard crashed")
			}
		}()
		done <- g.run()
	}()
	timer := time.NewTimer(g.limit())
	defer timer.Stop()
	for {
		select {
		case r := <-done:
			return r
		case limit := <-g.limits:
			timer.Reset(limit)
		case <-timer.C:
			return g.failed("it took too long")
		}
	}
}

// limit is how long a judgement may take.
func (g *gate) limit() time.Duration {
	if g.o.Deadline > 0 {
		return g.o.Deadline
	}
	return Deadline
}

type gate struct {
	o       Options
	start   time.Time
	payload []byte
	// idle becomes true once it is known that no dispatch is in force anywhere
	// that the call can touch. Until then a failure blocks.
	idle  atomic.Bool
	event atomic.Uint32
	disk  *unit.Disk
	found []place
	// limits are how long it may take from now on: a person who is asked takes longer.
	limits chan time.Duration
}

// place is a workspace that was found, with its records.
type place struct {
	ws    workspace.Workspace
	store *file.Store
	book  *dispatch.Book
	log   *audit.Log
}

// failed is the answer when there is no decision.
func (g *gate) failed(why string) hooks.Response {
	d := guard.Decision{Code: guard.Internal, Reason: guard.Refusal(guard.Internal)}
	if g.idle.Load() {
		d = guard.Decision{Code: guard.Idle}
	}
	_ = why // the agent can do nothing with it; doctor shows what it can
	return g.o.Client.Encode(hooks.Answer{Decision: d, Event: guard.Event(g.event.Load())})
}

func (g *gate) env(name string) string {
	if g.o.Getenv == nil {
		return ""
	}
	return g.o.Getenv(name)
}

func (g *gate) run() hooks.Response {
	data, err := readAll(io.LimitReader(g.o.Stdin, hooks.MaxPayload+1))
	if err != nil || len(data) > hooks.MaxPayload {
		return g.badPayload(fmt.Errorf("%w: larger than it may be", hooks.ErrPayload))
	}
	g.payload = data
	call, err := g.o.Client.Decode(data)
	if err != nil {
		return g.badPayload(err)
	}
	g.named(&call)
	g.event.Store(uint32(call.Event))
	g.disk = unit.NewDisk()
	if call.Event == guard.Other {
		g.idle.Store(true)
		return g.answer(guard.Outcome{Decision: guard.Decision{Code: guard.NotDispatched}}, call)
	}
	if err := g.find(g.starts(&call)); err != nil {
		return g.failed(err.Error())
	}
	defer g.close()
	in := guard.Input{Call: call, Now: g.o.Clock.Now(), FS: g.disk, Env: g.environment(&call)}
	if len(g.found) == 0 && in.Env.Dispatch == "" {
		g.idle.Store(true)
	}
	for _, p := range g.found {
		in.Workspaces = append(in.Workspaces, guard.Workspace{
			Root: unit.Split(p.ws.Root), Records: p.book, Roots: func() unit.Roots { return Roots(p.ws) },
		})
	}
	if len(call.Commands) > 0 || call.Board != nil {
		in.Confine = func() string { return g.obstacle(&call) }
		in.Change = func() string { return g.rival(&call) }
	}
	out := settled(in)
	if g.apply(in, out) {
		// Another call used up what this one counted on: judge it without.
		out = guard.Decide(in)
		g.apply(in, out)
	}
	out = g.ask(in, out)
	g.record(&out, &call)
	return g.answer(out, call)
}

// How long a client may take to write what tells whose call it is, and how often it is
// looked for. Claude Code collects what it writes for a tenth of a second.
const (
	settleTime = time.Second
	settleStep = 10 * time.Millisecond
)

// settled judges a call once the client has written what it takes, or did not.
func settled(in guard.Input) guard.Outcome {
	out := guard.Decide(in)
	for waited := time.Duration(0); waited < settleTime && slices.ContainsFunc(out.Rulings, func(r guard.Ruling) bool { return r.Early }); waited += settleStep {
		time.Sleep(settleStep)
		out = guard.Decide(in)
	}
	return out
}

// named fills in whose call it is where the hook's command line says so. What the
// payload says of a subagent is more exact and stands.
func (g *gate) named(call *guard.Call) {
	if g.o.Agent == "" || call.AgentID != "" {
		return
	}
	call.AgentType, call.Marks, call.Marked = g.o.Agent, true, true
}

// Sizes in bytes of payloads: of most, and of all but few.
const (
	usual = 4 << 10
	large = 68 << 10
)

// readAll is io.ReadAll with room for what mostly comes, and then at once for
// nearly all. Memory that is not written to costs nothing; growing does.
func readAll(r io.Reader) ([]byte, error) {
	buf := make([]byte, 0, usual)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(len(buf), large-len(buf)))
		}
	}
}

func (g *gate) answer(out guard.Outcome, call guard.Call) hooks.Response {
	a := hooks.Answer{
		Decision: out.Decision, Payload: g.payload, Prompt: out.Prompt, Command: out.Command,
		Dispatch: string(out.Dispatch), Event: call.Event,
	}
	if out.Confined != nil {
		a.Command = g.confined(out)
	}
	return g.o.Client.Encode(a)
}

// Roots are the places where a workspace's layout applies. Where not all of them
// can be known, the file system's root stands for them too: every path then has
// siblings above it that it may reach, and searches are refused.
func Roots(ws workspace.Workspace) unit.Roots {
	names, err := workspace.Roots(ws)
	if len(names) == 0 {
		names = []string{ws.Root}
	}
	var out unit.Roots
	for _, n := range names {
		out = append(out, unit.Split(n))
	}
	if err != nil {
		out = append(out, unit.Path{})
	}
	return out
}

func (g *gate) environment(call *guard.Call) guard.Env {
	e := guard.Env{Dispatch: g.o.Dispatch, Off: g.env(VarOff) == "1", Confined: g.env(VarConfined) == "1", Home: g.env("HOME")}
	if e.Dispatch == "" {
		e.Dispatch = g.env(VarDispatch)
	}
	if id, ok := strings.CutPrefix(e.Dispatch, guard.TokenPrefix); ok && id != "" { // else it names a dispatch that is none, which blocks
		e.Dispatch = id
	}
	e.Temp = []string{"/tmp", filepath.Clean(os.TempDir())}
	if !writes(call) {
		return g.projects(e)
	}
	e.Path = filepath.SplitList(g.env("PATH"))
	if exe, err := os.Executable(); err == nil {
		dir := filepath.Dir(exe)
		e.Programs = []string{exe, dir + "/conduct", dir + "/conduct-guard", dir + "/conduct-mcp"}
	}
	return g.projects(e)
}

func (g *gate) projects(e guard.Env) guard.Env {
	for _, v := range g.o.Client.ProjectDirs() {
		if d := g.env(v); d != "" {
			e.Projects = append(e.Projects, d)
		}
	}
	return e
}

// writes says whether a call may write something. Only then it matters where our
// own programs lie, which is dear to find out.
func writes(call *guard.Call) bool {
	return len(call.Commands) > 0 || slices.ContainsFunc(call.Targets, func(t guard.Target) bool { return t.Op&guard.Write != 0 })
}

// starts are the folders from which workspaces are looked for: every one that
// the call can touch.
func (g *gate) starts(call *guard.Call) []string {
	out := g.fixedStarts()
	if call.Cwd == "" {
		if wd, err := os.Getwd(); err == nil {
			out = append(out, wd)
		}
	}
	return append(append(out, call.Cwd), guard.Reach(call)...)
}

func (g *gate) fixedStarts() []string {
	out := []string{g.o.Dir}
	for _, v := range g.o.Client.ProjectDirs() {
		out = append(out, g.env(v))
	}
	return out
}

// find collects the workspaces of the folders, the outermost first.
func (g *gate) find(starts []string) error {
	starts = slices.DeleteFunc(starts, func(s string) bool { return !strings.HasPrefix(s, "/") })
	f, err := workspace.FindAll(starts, workspace.Options{Dir: g.env(workspace.Var)})
	if err != nil && (len(f.Workspaces) > 0 || !errors.Is(err, workspace.ErrTooMany)) {
		return err
	}
	for _, ws := range f.Workspaces {
		if err := g.open(ws); err != nil {
			return err
		}
	}
	slices.SortStableFunc(g.found, func(a, b place) int { return len(a.ws.Root) - len(b.ws.Root) })
	g.dropInner()
	return nil
}

func (g *gate) open(ws workspace.Workspace) error {
	st, err := file.Open(ws.Dir, file.Options{})
	if err != nil {
		if errors.Is(err, os.ErrPermission) {
			return nil // another user's records never block this one
		}
		return err
	}
	g.found = append(g.found, place{ws, st, &dispatch.Book{Store: st, Clock: g.o.Clock}, audit.OpenAt(st.Root(), st.Fd())})
	return nil
}

func (g *gate) close() {
	for _, p := range g.found {
		_ = p.store.Close() // nothing is lost with it
	}
}

// dropInner leaves out workspaces that lie inside of a unit of another one: an
// agent may write there, so what it finds is not to be believed.
func (g *gate) dropInner() {
	if len(g.found) < 2 {
		return
	}
	g.found = slices.DeleteFunc(g.found, func(p place) bool {
		return slices.ContainsFunc(g.found, func(outer place) bool {
			return len(outer.ws.Root) < len(p.ws.Root) && InUnit(outer.book, outer.ws, g.disk, p.ws.Root)
		})
	})
}

// InUnit says whether a path lies in a unit of a workspace, by what its live
// dispatches know.
func InUnit(book *dispatch.Book, ws workspace.Workspace, fsys unit.FS, path string) bool {
	for id, err := range book.LiveIDs() {
		if err != nil {
			return false
		}
		d, err := book.Read(id)
		if err != nil {
			continue
		}
		scope, err := d.Grant.Scope()
		if err != nil {
			continue
		}
		l := scope.Locate(Roots(ws), unit.Split(path), func() bool { return false })
		return l.Where != unit.Shared
	}
	return false
}

// badPayload blocks while a dispatch is in force in a workspace found from the
// hook's own folder, --dir or the client's variables; else the call passes.
func (g *gate) badPayload(cause error) hooks.Response {
	g.disk = unit.NewDisk()
	starts := g.fixedStarts()
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	if err := g.find(starts); err != nil {
		return g.failed(err.Error())
	}
	defer g.close()
	live := g.o.Dispatch != "" || g.env(VarDispatch) != ""
	for _, p := range g.found {
		if inForce(p.book) && g.env(VarOff) != "1" && p.book.Off().IsZero() {
			live = true
			line := audit.Line{Time: g.o.Clock.Now(), Code: guard.BadPayload.String(), Reason: shorten(cause.Error())}
			_ = p.log.Append(audit.Ambiguous, line) // counted when it is lost
		}
	}
	d := guard.Decision{Code: guard.Idle}
	if live {
		d = guard.Decision{Code: guard.BadPayload, Reason: guard.Refusal(guard.BadPayload)}
	}
	return g.o.Client.Encode(hooks.Answer{Decision: d, Event: guard.ToolCall})
}

// inForce says whether any dispatch is live, or may be.
func inForce(b *dispatch.Book) bool {
	if b.Empty() {
		return false
	}
	for id, err := range b.LiveIDs() {
		if err != nil {
			return true
		}
		if d, err := b.Read(id); err != nil || d.Live() {
			return true
		}
	}
	return false
}

func shorten(s string) string {
	if len(s) > 200 {
		return strings.ToValidUTF8(s[:200], "")
	}
	return s
}

// System returns Options for this process.
func System(client hooks.Client) Options {
	return Options{Client: client, Stdin: os.Stdin, Getenv: os.Getenv, Clock: &system.Clock{}}
}
