package mcpserver

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/mailbox"
)

// Every field has a name, a description and tags that can be read; and a list has a bound.
func TestTags(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[BriefArgs](), reflect.TypeFor[ReportArgs](), reflect.TypeFor[ReadArgs](), reflect.TypeFor[RecordArgs](),
		reflect.TypeFor[DispatchArgs](), reflect.TypeFor[ReleaseArgs](), reflect.TypeFor[RequestArgs](), reflect.TypeFor[MessageArgs](),
	} {
		names := map[string]bool{}
		for i, a := range argsOf(typ) {
			f := typ.Field(i)
			require.Regexp(t, `^[a-z][a-z_]*$`, a.name)
			require.False(t, names[a.name], a.name)
			names[a.name] = true
			require.NotEmpty(t, a.about, a.name)
			for _, tag := range []string{"max", "min"} {
				if v, ok := f.Tag.Lookup(tag); ok {
					_, err := strconv.Atoi(v)
					require.NoError(t, err, "%s of %s", tag, a.name)
				}
			}
			_, how, ok := strings.Cut(f.Tag.Get("arg"), ",")
			require.True(t, !ok || how == "required" || how == "own", a.name)
			if a.kind == reflect.Slice {
				require.Positive(t, a.most, a.name)
			}
		}
	}
}

// The bounds in the tags are the ledger's.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		typ  reflect.Type
		name string
		most int
	}{
		{reflect.TypeFor[ReportArgs](), "summary", ledger.MaxSummary},
		{reflect.TypeFor[ReportArgs](), "artifacts", ledger.MaxReported},
		{reflect.TypeFor[RequestArgs](), "text", ledger.MaxRequest},
		{reflect.TypeFor[MessageArgs](), "text", mailbox.MaxText},
		{reflect.TypeFor[RecordArgs](), "text", mailbox.MaxText},
		{reflect.TypeFor[RecordArgs](), "messages", mailbox.MaxMessages},
		{reflect.TypeFor[RecordArgs](), "goal", ledger.MaxGoal},
		{reflect.TypeFor[RecordArgs](), "title", ledger.MaxTitle},
		{reflect.TypeFor[RecordArgs](), "acceptance", ledger.MaxAccept},
		{reflect.TypeFor[DispatchArgs](), "acceptance", ledger.MaxAccept},
		{reflect.TypeFor[RecordArgs](), "decision", ledger.MaxDecision},
	} {
		for _, a := range argsOf(c.typ) {
			if a.name == c.name {
				require.Equal(t, c.most, a.most, c.name)
			}
		}
	}
}
