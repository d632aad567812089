package cli

import (
	"errors"
	"fmt"
	"strings"

	questions "github.com/seed6310be5c/conduct/approval/file"
	"github.com/seed6310be5c/conduct/config"
	"github.com/seed6310be5c/conduct/dispatch"
	"github.com/seed6310be5c/conduct/internal/agents"
	"github.com/seed6310be5c/conduct/knobs"
	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/sandbox"
	"github.com/seed6310be5c/conduct/store"
	"github.com/seed6310be5c/conduct/store/file"
	"github.com/seed6310be5c/conduct/unit"
	"github.com/seed6310be5c/conduct/wire"
	"github.com/seed6310be5c/conduct/workspace"
)

// The exit codes, as docs/exit-codes.md lists them.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitConflict = 3
	exitNotFound = 4
	exitLocked   = 5
	exitDamaged  = 6
	exitBlocked  = 7
	exitNoBox    = 8
)

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// quiet ends a command with a code after it has printed what there is to say.
type quiet int

func (q quiet) Error() string { return fmt.Sprintf("exit %d", int(q)) }

// hinted is an error with a command that helps.
type hinted struct {
	error
	hint string
	code string // for --json; "" is the exit code's
}

func (h hinted) Unwrap() error { return h.error }

func hint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return hinted{error: err, hint: fmt.Sprintf(format, args...)}
}

// answer is how an error is shown.
type answer struct {
	exit int
	code string
	hint string
}

// explain maps an error to its exit code and its hint.
func explain(err error) answer {
	a := classify(err)
	var h hinted
	if errors.As(err, &h) {
		if h.hint != "" {
			a.hint = h.hint
		}
		if h.code != "" {
			a.code = h.code
		}
	}
	return a
}

func classify(err error) answer {
	var u usageError
	var none *workspace.NoneError
	var refused *ledger.Error
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &u), errors.Is(err, dispatch.ErrTTL), errors.Is(err, dispatch.ErrInvalid), errors.Is(err, unit.ErrLayout),
		errors.Is(err, knobs.ErrUnknown), errors.Is(err, knobs.ErrBy):
		return answer{exitUsage, "usage", "conduct help"}
	case errors.Is(err, store.ErrDamaged):
		return answer{exitDamaged, "damaged", "conduct status shows what is damaged; conduct janitor sets it aside"}
	case errors.Is(err, dispatch.ErrConflict), errors.Is(err, unit.ErrTwoPlaces), errors.Is(err, store.ErrGeneration),
		errors.Is(err, dispatch.ErrForbidden), errors.Is(err, agents.ErrTaken):
		return answer{exitConflict, "conflict", "conduct status"}
	case errors.Is(err, knobs.ErrFull):
		return answer{exitConflict, "conflict", "conduct knob show; release the dispatch and make another one"}
	case errors.Is(err, questions.ErrUnknown):
		return answer{exitNotFound, "not_found", "conduct approve"}
	case errors.Is(err, questions.ErrDecided), errors.Is(err, questions.ErrSeveral):
		return answer{exitConflict, "conflict", "conduct approve"}
	case errors.Is(err, store.ErrLocked):
		return answer{exitLocked, "locked", "try again; conduct doctor shows who holds it"}
	case errors.As(err, &none):
		if len(none.Missing) > 0 {
			return answer{exitNotFound, "not_found", "make the main checkout visible here, or set CONDUCT_DIR to its .conduct folder"}
		}
		return answer{exitNotFound, "not_found", "conduct init"}
	case errors.Is(err, workspace.ErrNotOurs):
		return answer{exitNotFound, "not_found", "correct CONDUCT_DIR, or conduct init"}
	case errors.Is(err, dispatch.ErrNone), errors.Is(err, store.ErrNotFound), errors.Is(err, unit.ErrUnknown), errors.Is(err, agents.ErrTemplate):
		return answer{exitNotFound, "not_found", "conduct status"}
	case errors.Is(err, sandbox.ErrUnavailable):
		return answer{exitNoBox, "SANDBOX_UNAVAILABLE", "conduct doctor shows which sandboxes work here; nothing ran"}
	case errors.Is(err, sandbox.ErrCwd), errors.Is(err, sandbox.ErrMoved):
		return answer{exitFailed, "failed", "start in the own unit or in a shared folder; nothing ran"}
	case errors.Is(err, config.ErrInvalid):
		return answer{exitFailed, "failed", "correct " + config.File}
	case errors.Is(err, file.ErrForeignFolder):
		return answer{exitFailed, "failed", "move that folder away, or start in another one"}
	}
	return answer{exitFailed, "failed", ""}
}

// refusal is how a refusal of the board is shown.
func refusal(e *ledger.Error) answer {
	a := answer{exitConflict, string(e.Code), "conduct board show"}
	item := "ID"
	if e.Item != "" {
		item = string(e.Item)
	}
	switch e.Code {
	case ledger.UnknownItem:
		a.exit = exitNotFound
	case ledger.FieldTooLong, ledger.FieldInvalid:
		a.exit, a.hint = exitUsage, fmt.Sprintf("correct %q", e.Field)
	case ledger.BadPointer:
		a.exit, a.hint = exitUsage, "conduct report --help shows the shapes"
	case ledger.AlreadyBound:
		a.hint = "conduct board show --item " + item
	case ledger.NotBound:
		a.hint = "conduct board bind --item ID --dispatch ID"
	case ledger.ItemCapExceeded:
		a.hint = "conduct board close --item ID; conduct board remove --item ID deletes a closed one"
	case ledger.EventCapExceeded:
		a.hint = "conduct board close --item " + item + ", and create another one"
	case ledger.ArtifactCapExceeded:
		a.hint = "report fewer artifacts"
	case ledger.NoChannel, ledger.ChannelExpired, ledger.ChannelExhausted:
		a.hint = "conduct channel open --from ITEM --to " + item
	case ledger.ChannelOpen:
		a.hint = "conduct channel show; conduct channel close ends it"
	case ledger.ChannelCapExceeded:
		a.hint = "conduct channel show, and conduct channel close for one that is done"
	case ledger.DepthExceeded:
		a.hint = "create it without --parent"
	}
	return a
}

// unknownCommand is how cobra begins what it says of a word that is no command.
const unknownCommand = "unknown command "

// report prints an error and returns the exit code.
func (e *Env) report(err error) int {
	if err == nil {
		return exitOK
	}
	var q quiet
	if errors.As(err, &q) {
		return int(q)
	}
	a := explain(err)
	message := oneLine(err.Error())
	if unknown, ok := strings.CutPrefix(message, unknownCommand); ok {
		a.exit, a.code = exitUsage, "usage"
		if a.hint == "" {
			a.hint = "conduct help"
		}
		name, _, _ := strings.Cut(unknown, " for ")
		message = unknownCommand + name
	}
	if e.json {
		var w wire.Writer
		w.Object("").Object("error").String("code", a.code).String("message", message).String("hint", a.hint).End().End()
		fmt.Fprintf(e.Stdout, "%s\n", w.Bytes())
		return a.exit
	}
	fmt.Fprintf(e.Stderr, "conduct: %s\n", message)
	if a.hint != "" {
		fmt.Fprintf(e.Stderr, "hint: %s\n", a.hint)
	}
	return a.exit
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// note says something that is no failure, beside what is printed for others.
func (e *Env) note(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "conduct: "+format+"\n", args...)
}

func (e *Env) warn(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "conduct: warning: "+format+"\n", args...)
}
