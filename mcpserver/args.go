package mcpserver

import (
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/ledger"
)

// The arguments of the tools. Schemas and decoding are made of these types alone:
//
//	arg:"NAME"            an argument that may be missing
//	arg:"NAME,required"   one that may not
//	arg:"NAME,own"        the worker's dispatch: required, but where the environment says it
//	about:"…"             what it is
//	enum:"a b"            all values, where the type does not say them
//	max:"N"               the longest text in bytes, the most elements of a list, or the largest number
//	min:"N"               the smallest number
//
// Names and values are those of the command line's flags, with _ for -.

// BriefArgs are the arguments of work_brief.
type BriefArgs struct {
	Dispatch string `arg:"dispatch,own" about:"your own dispatch: the ID of the line conduct:ID in your prompt"`
	Log      bool   `arg:"log" about:"also all that was reported, asked for and decided on your item so far"`
}

// ReportArgs are the arguments of work_report.
type ReportArgs struct {
	Dispatch  string            `arg:"dispatch,own" about:"your own dispatch: the ID of the line conduct:ID in your prompt"`
	Kind      ledger.ReportKind `arg:"kind,required" about:"where you stand; question and blocked wait for the conductor's decision, which work_brief shows"`
	Summary   string            `arg:"summary,required" max:"500" about:"one line for the conductor, at most 500 bytes"`
	Artifacts []string          `arg:"artifacts" max:"6" about:"what you made, each as TYPE:VALUE: pr:12, commit:0a1b2c3, path:docs/a.md, url:https://…, ticket:ABC-12; the other workers see these"`
}

// RequestArgs are the arguments of work_request.
type RequestArgs struct {
	Dispatch string             `arg:"dispatch,own" about:"your own dispatch: the ID of the line conduct:ID in your prompt"`
	Kind     ledger.RequestKind `arg:"kind,required" about:"relay: pass this text on to the worker of that item; channel: let me write to it"`
	To       string             `arg:"to,required" about:"the item that it is about, as work_brief lists it among the siblings"`
	Text     string             `arg:"text,required" max:"500" about:"one line for the conductor, at most 500 bytes"`
}

// MessageArgs are the arguments of work_message.
type MessageArgs struct {
	Dispatch string        `arg:"dispatch,own" about:"your own dispatch: the ID of the line conduct:ID in your prompt"`
	Action   MessageAction `arg:"action,required" about:"send: put a text into the inbox of another item, over a channel that the conductor opened; read: fetch your own inbox, each message once"`
	To       string        `arg:"to" about:"send: the item whose worker is to have it"`
	Text     string        `arg:"text" max:"500" about:"send: one line, at most 500 bytes"`
	Again    bool          `arg:"again" about:"read: what the last call returned, once more"`
}

// ReadArgs are the arguments of work_ledger_read.
type ReadArgs struct {
	Item     string `arg:"item" about:"only this item, with everything that happened to it; without it, the whole board"`
	With     string `arg:"with" about:"another item: all that the workers of item and of this one wrote to each other"`
	Channels bool   `arg:"channels" about:"the channels between items, in place of the board"`
}

// RecordArgs are the arguments of work_ledger_record. Which of them an action has is
// said by actions.
type RecordArgs struct {
	Action     Action           `arg:"action,required" about:"what to write down"`
	Goal       string           `arg:"goal" max:"1000" about:"goal: what all the items are for"`
	Item       string           `arg:"item" about:"bind, decide, verdict, close, accept: the item"`
	Title      string           `arg:"title" max:"120" about:"create: what it is, in one line that every worker sees"`
	Acceptance string           `arg:"acceptance" max:"4000" about:"create: when it is done; its own worker sees it"`
	Parent     string           `arg:"parent" about:"create: the item that it is a part of"`
	Session    string           `arg:"session" about:"create: the conductor's session, where it is known"`
	Dispatch   string           `arg:"dispatch" about:"bind: the dispatch, which has to be in force"`
	Decision   string           `arg:"decision" max:"1000" about:"decide: what its worker is told"`
	Verdict    dispatch.Verdict `arg:"verdict" about:"verdict: the judgement; work_release writes it by itself"`
	From       string           `arg:"from" about:"relay: the item whose worker asked; channel_open, channel_close: one of the two items"`
	To         string           `arg:"to" about:"relay: the item whose worker gets the text; channel_open, channel_close: the other one"`
	Text       string           `arg:"text" max:"500" about:"relay: what is passed on, in one line of at most 500 bytes: what was asked for, or your own words"`
	TTL        string           `arg:"ttl" about:"channel_open: how long, as 30m or 2h, up to 1d; 1h without"`
	Messages   int              `arg:"messages" min:"1" max:"50" about:"channel_open: how many messages in all; 10 without"`
}

// DispatchArgs are the arguments of work_dispatch.
type DispatchArgs struct {
	Unit        string   `arg:"unit,required" about:"the unit: its name, or its path relative to the workspace"`
	Agent       string   `arg:"agent" about:"the name of the agent that will be launched; without one, any agent that no other dispatch names"`
	AgentFrom   string   `arg:"agent_from" about:"write an agent definition of its own for this dispatch, after this one; it goes with the dispatch"`
	Item        string   `arg:"item" about:"the item of the board that it works on"`
	Board       string   `arg:"board" about:"in place of item: the title of an item that is made for it"`
	Acceptance  string   `arg:"acceptance" max:"4000" about:"with board: when that item is done; its own worker sees it"`
	Role        string   `arg:"role" enum:"reviewer worker" about:"reviewer: shared paths are read-only"`
	Stage       string   `arg:"stage" about:"a word for the record"`
	Note        string   `arg:"note" about:"a text for the record"`
	Session     string   `arg:"session" about:"the conductor's session, where it is known"`
	TTL         string   `arg:"ttl" about:"how long at the most, as 90m, 6h or 2d; up to 7d, 6h without"`
	ReadOnly    bool     `arg:"read_only" about:"no writes in the workspace"`
	Shared      string   `arg:"shared" enum:"read write" about:"read: shared paths are read-only"`
	Exempt      []string `arg:"exempt" max:"64" about:"files of other units that may be read"`
	Read        []string `arg:"read" max:"64" about:"files, folders (ending in /) or globs of other units that may be read"`
	Write       []string `arg:"write" max:"64" about:"files or folders (ending in /) of others, or shared, that may be written too"`
	DenyTool    []string `arg:"deny_tool" max:"64" about:"tools that are denied, by name or glob"`
	MaxDepth    int      `arg:"max_depth" min:"0" max:"9" about:"how many levels of agents it may launch itself"`
	Opaque      string   `arg:"opaque" enum:"confine block allow" about:"commands that are not understood; confine without"`
	Confine     string   `arg:"confine" enum:"opaque all" about:"which commands run confined; opaque without"`
	Git         string   `arg:"git" enum:"hide allow" about:"git in confined commands; hide without. allow: they may read what siblings have committed"`
	Bind        string   `arg:"bind" enum:"agent session" about:"session: it holds for every session but the conductor's"`
	Observe     bool     `arg:"observe" about:"judge and log, block nothing"`
	OnBlock     string   `arg:"on_block" enum:"block ask" about:"what becomes of a call that is not allowed; block without. ask: a person may allow it once"`
	AskWait     string   `arg:"ask_wait" about:"how long the hook waits for that person's answer, as 15s; 20s without"`
	RequireHook bool     `arg:"require_hook" about:"refuse where no hook is installed that would hold the agent to its unit"`
}

// ReleaseArgs are the arguments of work_release.
type ReleaseArgs struct {
	Dispatch        string           `arg:"dispatch" about:"the id of the dispatch; this or unit"`
	Unit            string           `arg:"unit" about:"the unit, where one dispatch of it is open; this or dispatch"`
	Agent           string           `arg:"agent" about:"with unit: of this agent"`
	Verdict         dispatch.Verdict `arg:"verdict,required" about:"how it ended; it is written to the item too"`
	Generation      uint64           `arg:"generation" min:"1" about:"only if the dispatch has this generation"`
	RequireObserved bool             `arg:"require_observed" about:"fail when no call of the agent was judged"`
}
