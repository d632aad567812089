package ledger_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed6310be5c/conduct/ledger"
)

func TestChecklist(t *testing.T) {
	for text, want := range map[string][]string{
		"it works":                            {"it works"},
		"- one\n* two\n\n 3. three\n4) four":  {"one", "two", "three", "four"},
		"- [ ] open\n- [x] ticked\n[ ] plain": {"open", "ticked", "plain"},
		"-dash without a space\n2.5 seconds":  {"-dash without a space", "2.5 seconds"},
		"- ask [ ] in a sentence":             {"ask [ ] in a sentence"},
	} {
		it := ledger.Item{ID: item1, Title: "t", Acceptance: text, Round: 2}
		v, err := it.Checklist()
		require.NoError(t, err)
		require.Equal(t, ledger.Checklist{Item: item1, Title: "t", Round: 2, Checks: want}, v)
	}
	for _, none := range []string{"", " \n\t", "- \n*\n"} {
		it := ledger.Item{ID: item1, Acceptance: none}
		_, err := it.Checklist()
		if none == "- \n*\n" {
			require.NoError(t, err, "a mark without a text is a text")
			continue
		}
		require.ErrorIs(t, err, ledger.FieldInvalid)
	}
}

// What a worker reported, and all else that came after the creation, is not in it.
func TestChecklistIsOfTheAcceptanceAlone(t *testing.T) {
	shown := []string{"ID", "Title", "Acceptance", "Round"}
	require.Len(t, hiddenFrom(shown), reflect.TypeFor[ledger.Item]().NumField()-len(shown))
	see := func(it ledger.Item) string {
		v, err := it.Checklist()
		require.NoError(t, err)
		return string(ledger.Encode(v))
	}
	for i := range reflect.TypeFor[ledger.Item]().NumField() {
		field := reflect.TypeFor[ledger.Item]().Field(i).Name
		t.Run(field, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				it, err := ledger.Fold(item1, history(t))
				require.NoError(t, err)
				it.Acceptance = "a\nb"
				after := it
				change(t, &after, field)
				require.Equal(t, !slices.Contains(shown, field), see(it) == see(after))
			})
		})
	}
}
