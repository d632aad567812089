package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

// Each line is a message, or waits for its turn, or is answered; never two of them.
func FuzzLines(f *testing.F) {
	for _, in := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"[]\r\n\n{}\nnull\n\"x\"", `{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		c := &connection{out: &out, open: map[jsonrpc.ID]bool{}}
		in := bufio.NewReaderSize(bytes.NewReader(data), 16)
		for {
			text, err := readLine(in)
			if err != nil && !errors.Is(err, errLong) {
				require.ErrorIs(t, err, io.EOF)
				return
			}
			require.LessOrEqual(t, len(text), maxLine)
			out.Reset()
			before := len(c.waiting)
			msg, failed := c.accept(line{text, err})
			require.NoError(t, failed)
			came := 0
			for _, is := range []bool{msg != nil, len(c.waiting) > before, out.Len() > 0} {
				if is {
					came++
				}
			}
			require.Equal(t, 1, came, "%q", text)
			require.True(t, out.Len() == 0 || json.Valid(out.Bytes()), "%q", out.Bytes())
		}
	})
}
