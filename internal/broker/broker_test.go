package broker

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// echo answers with what it was asked.
func echo(_ context.Context, args []string) Answer {
	return Answer{Exit: len(args), Stdout: []byte(strings.Join(args, "|")), Stderr: []byte("said")}
}

func serve(t *testing.T, dir string, run Run) *Server {
	t.Helper()
	s, err := Serve(dir, run)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestAsk(t *testing.T) {
	s := serve(t, t.TempDir(), echo)
	for _, args := range [][]string{{}, {""}, {"report", "a b", "", "é\n", "\xff"}} {
		a, err := Ask(t.Context(), s.Address(), args)
		require.NoError(t, err)
		require.Equal(t, Answer{len(args), []byte(strings.Join(args, "|")), []byte("said")}, a)
	}
}

// The socket is for its owner alone, and gone when nobody serves any more.
func TestSocket(t *testing.T) {
	dir := t.TempDir()
	s, err := Serve(dir, echo)
	require.NoError(t, err)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 1)
	info, err := names[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600)|os.ModeSocket, info.Mode())
	require.NoError(t, s.Close())
	names, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = Ask(t.Context(), s.Address(), nil)
	require.ErrorIs(t, err, ErrUnreachable)
	_, err = Serve(filepath.Join(dir, "none"), echo)
	require.Error(t, err)
}

// A folder whose name is too long for a socket's address serves as well.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	require.NoError(t, os.Mkdir(dir, 0o700))
	s := serve(t, dir, echo)
	a, err := Ask(t.Context(), s.Address(), []string{"a"})
	require.NoError(t, err)
	require.Equal(t, "a", string(a.Stdout))
}

// Who does not know the word, or asks what is no question, gets no answer and runs nothing.
func TestWrongQuestions(t *testing.T) {
	var ran atomic.Int32
	s := serve(t, t.TempDir(), func(context.Context, []string) Answer { ran.Add(1); return Answer{} })
	word, path, _ := strings.Cut(s.Address(), ":")
	for _, address := range []string{"", path, ":" + path, strings.ToLower(word) + ":" + path, word + "x:" + path, word[1:] + ":" + path, word + ":relative"} {
		_, err := Ask(t.Context(), address, []string{"brief"})
		require.ErrorIs(t, err, ErrUnreachable, address)
	}
	block := func(data string) string {
		var b bytes.Buffer
		require.NoError(t, writeBlock(&b, []byte(data)))
		return b.String()
	}
	for name, sent := range map[string]string{
		"nothing":           "",
		"half a length":     "\x00\x00",
		"too long":          "\xff\xff\xff\xff",
		"less than it says": "\x00\x00\x00\x09" + word,
		"no end of a word":  block(word + "\x00brief"),
		"too many words":    block(word + "\x00" + strings.Repeat("\x00", maxArgs+1)),
		"empty":             block(""),
		"text":              "GET / HTTP/1.1\r\n\r\n",
	} {
		c, err := net.Dial("unix", path)
		require.NoError(t, err)
		_, err = io.WriteString(c, sent)
		require.NoError(t, err)
		require.NoError(t, c.(*net.UnixConn).CloseWrite())
		answer, _ := io.ReadAll(c) // it is reset where something was left unread
		require.Empty(t, answer, name)
		require.NoError(t, c.Close())
	}
	require.Zero(t, ran.Load())
	for _, args := range [][]string{{strings.Repeat("x", maxQuestion)}, make([]string, maxArgs+1), {"a\x00b"}} {
		_, err := Ask(t.Context(), s.Address(), args)
		require.ErrorIs(t, err, ErrMessage)
	}
	require.Zero(t, ran.Load())
}

// Who connects and says nothing, or takes no answer, is hung up on after a while.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s := &Server{word: "w", run: echo, ctx: ctx}
		ours, theirs := net.Pipe()
		start := time.Now()
		s.answer(theirs)
		require.Equal(t, patience, time.Since(start))
		_, err := ours.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)

		ours, theirs = net.Pipe()
		go func() { _ = writeQuestion(ours, "w", []string{"brief"}) }()
		start = time.Now()
		s.answer(theirs)
		require.Equal(t, patience, time.Since(start))

		// A question that takes too long is told so.
		s.run = func(ctx context.Context, _ []string) Answer { <-ctx.Done(); return Answer{Exit: 9} }
		ours, theirs = net.Pipe()
		go s.answer(theirs)
		start = time.Now()
		require.NoError(t, writeQuestion(ours, "w", nil))
		a, err := readAnswer(ours)
		require.NoError(t, err)
		require.Equal(t, 9, a.Exit)
		require.Equal(t, maxRun, time.Since(start))
	})
}

// No more than a few questions are answered at a time, and closing ends them all.
func TestAtOnce(t *testing.T) {
	var now, most atomic.Int32
	entered := make(chan struct{}, 100)
	s, err := Serve(t.TempDir(), func(ctx context.Context, _ []string) Answer {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		entered <- struct{}{}
		<-ctx.Done()
		now.Add(-1)
		return Answer{}
	})
	require.NoError(t, err)
	ended := make(chan struct{})
	const asking = 3 * maxAtOnce
	for range asking {
		go func() {
			_, _ = Ask(context.Background(), s.Address(), nil) // whether it is answered yet, chance decides
			ended <- struct{}{}
		}()
	}
	for range maxAtOnce {
		<-entered
	}
	require.NoError(t, s.Close())
	for range asking {
		<-ended
	}
	require.EqualValues(t, maxAtOnce, most.Load())
	require.Zero(t, now.Load())
}

// FuzzReadQuestion: what is read is what is written again.
func FuzzReadQuestion(f *testing.F) {
	for _, args := range [][]string{nil, {""}, {"brief"}, {"report", "--kind", "done", "a b"}} {
		var b bytes.Buffer
		require.NoError(f, writeQuestion(&b, "word", args))
		f.Add(b.Bytes())
	}
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		word, args, err := readQuestion(bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, ErrMessage)
			return
		}
		var b bytes.Buffer
		require.NoError(t, writeQuestion(&b, word, args))
		require.True(t, bytes.HasPrefix(data, b.Bytes()))
	})
}

// FuzzReadAnswer does so for answers.
func FuzzReadAnswer(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, writeAnswer(&b, Answer{3, []byte("out"), []byte("err")}))
	f.Add(b.Bytes())
	f.Add([]byte("\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readAnswer(bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, ErrMessage)
			return
		}
		var b bytes.Buffer
		require.NoError(t, writeAnswer(&b, a))
		require.True(t, bytes.HasPrefix(data, b.Bytes()))
	})
}

func BenchmarkServe(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := Serve(dir, echo)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
