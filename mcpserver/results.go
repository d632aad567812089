package mcpserver

import (
	"time"

	"github.com/seed6310be5c/conduct/ledger"
)

// The results that no view of the ledger is the type of. Nothing is encoded from
// these types: they are what the command line prints with --json, and a test holds
// what it prints against their schemas.

type refusal struct {
	Error struct {
		Code    string `view:"code"`
		Message string `view:"message"`
		Hint    string `view:"hint"`
	} `view:"error"`
}

type goalResult struct {
	Goal string `view:"goal"`
}

type reportResult struct {
	Item     string        `view:"item"`
	Status   ledger.Status `view:"status"`
	Repeated bool          `view:"repeated"`
}

type sentResult struct {
	Item     string `view:"item"`
	To       string `view:"to"`
	Repeated bool   `view:"repeated"`
}

// writtenResult is what two items' workers wrote to each other.
type writtenResult struct {
	Log []map[string]any `view:"log"`
}

// itemResult is an item with its events, whose fields depend on their kinds.
type itemResult struct {
	ledger.ConductorItem
	Log []map[string]any `view:"log"`
}

type calls struct {
	Allowed int `view:"allowed"`
	Blocked int `view:"blocked"`
}

type dispatchResult struct {
	ID            string         `view:"id"`
	Unit          string         `view:"unit"`
	Agent         string         `view:"agent"`
	Role          string         `view:"role"`
	Stage         string         `view:"stage"`
	Note          string         `view:"note"`
	State         string         `view:"state"`
	IssuedAt      time.Time      `view:"issued_at"`
	ExpiresAt     time.Time      `view:"expires_at"`
	RemainingS    int            `view:"remaining_s"`
	LastCallAt    time.Time      `view:"last_call_at"`
	Generation    int            `view:"generation"`
	Seen          bool           `view:"seen"`
	Verdict       string         `view:"verdict"`
	Item          string         `view:"item"`
	Agents        []string       `view:"agents"`
	Calls         calls          `view:"calls"`
	Grant         map[string]any `view:"grant"`
	LaunchLine    string         `view:"launch_line"`
	HookInstalled bool           `view:"hook_installed"`
}

type countedCalls struct {
	calls
	ByCode map[string]int `view:"by_code"`
}

type receipt struct {
	ID                string       `view:"id"`
	Unit              string       `view:"unit"`
	Agent             string       `view:"agent"`
	Agents            []string     `view:"agents"`
	Verdict           string       `view:"verdict"`
	IssuedAt          time.Time    `view:"issued_at"`
	ActiveAt          time.Time    `view:"active_at"`
	EndedAt           time.Time    `view:"ended_at"`
	Calls             countedCalls `view:"calls"`
	SharedWrites      []string     `view:"shared_writes"`
	UndispatchedCalls int          `view:"undispatched_calls"`
	Evidence          string       `view:"evidence"`
	AuditSHA256       string       `view:"audit_sha256"`
}

// releaseResult has the receipt, and its fields beside it too, and the item that the
// verdict is of.
type releaseResult struct {
	Receipt receipt `view:"receipt"`
	receipt
	Item string `view:"item"`
}
