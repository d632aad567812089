package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed6310be5c/conduct/ledger"
	"github.com/seed6310be5c/conduct/store"
)

// What is damaged is never taken for less than there was.
func TestDamage(t *testing.T) {
	for name, spoil := range map[string]func(log, item string) error{
		"the last event is gone": func(log, _ string) error {
			data, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			return os.WriteFile(log, data[:bytes.LastIndexByte(data[:len(data)-1], '\n')+1], 0o600)
		},
		"an event is gone": func(log, item string) error {
			data, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			lines := bytes.SplitAfter(data, []byte("\n"))
			return errors.Join(os.WriteFile(log, bytes.Join(append(lines[:1:1], lines[2:]...), nil), 0o600), os.Remove(item))
		},
		"an event is changed": func(log, item string) error {
			data, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(log, bytes.Replace(data, []byte(`"kind":"bind"`), []byte(`"kind":"grab"`), 1), 0o600), os.Remove(item))
		},
		"a newer event": func(log, _ string) error {
			f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString(`{"schema":2,"seq":4}` + "\n")
			return errors.Join(err, f.Close())
		},
		"the events are gone":   func(log, _ string) error { return os.Remove(log) },
		"the events are a pipe": func(log, _ string) error { return errors.Join(os.Remove(log), unix.Mkfifo(log, 0o600)) },
		"the events are a link": func(log, _ string) error {
			return errors.Join(os.Rename(log, log+".real"), os.Symlink(filepath.Base(log)+".real", log))
		},
		"the events are a link that leads out": func(log, _ string) error {
			return errors.Join(os.Remove(log), os.Symlink("/etc/passwd", log))
		},
		"the events are a folder": func(log, _ string) error {
			return errors.Join(os.Remove(log), os.Mkdir(log, 0o700))
		},
		"the log is huge":  func(log, _ string) error { return os.Truncate(log, store.MaxSize+1) },
		"the item is torn": func(_, item string) error { return os.Truncate(item, 20) },
		"the item is another's": func(_, item string) error {
			data, err := os.ReadFile(item)
			if err != nil {
				return err
			}
			id := strings.TrimSuffix(filepath.Base(item), ".json")
			return os.WriteFile(item, bytes.Replace(data, []byte(id), []byte(strings.Repeat("0", 26)), 1), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := newBoard(t)
			item, by := bound(t, s)
			report(t, s, item, by, ledger.Question, "a?")
			_, by2 := bound(t, s)
			require.NoError(t, spoil(filepath.Join(dir, logPath(item)), filepath.Join(dir, openPath(item))))
			before := content(t, dir)
			for _, err := range []error{
				func() error { _, err := s.Board(); return err }(),
				func() error { _, err := s.Item(item); return err }(),
				func() error { _, err := s.Events(item); return err }(),
				func() error { _, _, err := s.Brief(by); return err }(),
				func() error { _, err := tryReport(t.Context(), s, item, by, ledger.Done, "d"); return err }(),
				func() error { _, err := tryCreate(t.Context(), s, newID(t), "n"); return err }(),
				func() error { _, err := tryBind(t.Context(), s, newID(t), item); return err }(),
			} {
				require.ErrorIs(t, err, store.ErrDamaged)
			}
			require.Equal(t, before, content(t, dir))
			b, _, err := s.Brief(by2)
			require.NoError(t, err, "a sibling's damage is not its worker's")
			require.Len(t, b.Items, 1)
			require.NoError(t, s.Remove(t.Context(), item), "what is damaged can be removed")
			_, err = s.Board()
			require.NoError(t, err)
		})
	}
}

func TestDamagedGoal(t *testing.T) {
	s, dir := newBoard(t)
	require.NoError(t, s.SetGoal(t.Context(), "ship"))
	for _, text := range []string{"", "{}", `{"schema":2,"goal":"ship"}`, `{"schema":1,"goal":"ship","more":1}`, `{"schema":1,"goal":"ship"}x`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, goalFile), []byte(text), 0o600))
		_, err := s.Board()
		require.ErrorIs(t, err, store.ErrDamaged, text)
		require.ErrorIs(t, s.SetGoal(t.Context(), "another"), store.ErrDamaged)
	}
}
