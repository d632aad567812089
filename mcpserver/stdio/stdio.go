// Package stdio serves the tools of package mcpserver over two streams, with the
// official SDK. It alone links that, and with it half of the standard library:
// conduct itself, which starts for every command that is run confined, does not.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed6310be5c/conduct/mcpserver"
)

// Serve answers the calls that come in until there are no more, and all that have
// come are answered. That the client goes, or ctx ends, is no error.
func Serve(ctx context.Context, s *mcpserver.Server, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "conduct", Title: "conduct", Version: s.Version()}, &mcp.ServerOptions{
		Instructions: s.Instructions(),
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, // the tools never change
	})
	for _, t := range s.Tools() {
		server.AddTool(describe(t), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return answer(s.Call(ctx, t.Name, r.Params.Arguments)), nil
		})
	}
	err := server.Run(ctx, &transport{in: in, out: out})
	if err == nil || ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("the connection to the client broke: %w", err)
}

func describe(t mcpserver.Tool) *mcp.Tool {
	no := false
	return &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.About, InputSchema: raw(t.Input), OutputSchema: raw(t.Output),
		Annotations: &mcp.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: t.ReadOnly, IdempotentHint: t.Idempotent, DestructiveHint: &t.Destructive, OpenWorldHint: &no,
		},
	}
}

// answer gives the object twice: as it is for programs, as a text for models whose
// client passes on nothing else.
func answer(r mcpserver.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: r.Failed, StructuredContent: raw(r.JSON), Content: []mcp.Content{&mcp.TextContent{Text: string(r.JSON)}}}
	for _, n := range r.Notes {
		out.Content = append(out.Content, &mcp.TextContent{Text: n})
	}
	return out
}

// raw is JSON that is sent as it stands.
type raw []byte

// MarshalJSON makes it a json.Marshaler.
func (r raw) MarshalJSON() ([]byte, error) { return r, nil }
