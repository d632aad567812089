package broker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrMessage is returned for bytes that are no question or no answer.
var ErrMessage = errors.New("malformed message")

// Bounds in bytes.
const (
	maxQuestion = 64 << 10
	maxAnswer   = 4 << 20 // of each stream
	maxArgs     = 256
)

// A question is its length and then texts, each ended by a zero byte: the word, and the
// words of the command line.

func writeQuestion(w io.Writer, word string, args []string) error {
	var b strings.Builder
	for _, text := range append([]string{word}, args...) {
		if strings.ContainsRune(text, 0) {
			return fmt.Errorf("%w: a word with a zero byte", ErrMessage)
		}
		b.WriteString(text)
		b.WriteByte(0)
	}
	if b.Len() > maxQuestion || len(args) > maxArgs {
		return fmt.Errorf("%w: the command line is longer than %d bytes or %d words", ErrMessage, maxQuestion, maxArgs)
	}
	return writeBlock(w, []byte(b.String()))
}

func readQuestion(r io.Reader) (word string, args []string, err error) {
	data, err := readBlock(r, maxQuestion)
	if err != nil {
		return "", nil, err
	}
	all, ok := strings.CutSuffix(string(data), "\x00")
	words := strings.Split(all, "\x00")
	if !ok || len(words) > maxArgs+1 {
		return "", nil, fmt.Errorf("%w: no list of words", ErrMessage)
	}
	return words[0], words[1:], nil
}

// An answer is the exit code and both streams, each with its length.

func writeAnswer(w io.Writer, a Answer) error {
	if _, err := w.Write([]byte{byte(a.Exit)}); err != nil {
		return err
	}
	if err := writeBlock(w, a.Stdout); err != nil {
		return err
	}
	return writeBlock(w, a.Stderr)
}

func readAnswer(r io.Reader) (a Answer, err error) {
	var exit [1]byte
	if _, err := io.ReadFull(r, exit[:]); err != nil {
		return a, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	a.Exit = int(exit[0])
	if a.Stdout, err = readBlock(r, maxAnswer); err == nil {
		a.Stderr, err = readBlock(r, maxAnswer)
	}
	return a, err
}

func writeBlock(w io.Writer, data []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...))
	return err
}

func readBlock(r io.Reader, most uint32) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > most {
		return nil, fmt.Errorf("%w: %d bytes, of %d at the most", ErrMessage, n, most)
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return data, nil
}
