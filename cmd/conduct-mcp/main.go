// Conduct-mcp is what conduct mcp becomes: the program that links the library of
// that protocol, which conduct itself does not.
package main

import (
	"os"

	"github.com/seed6310be5c/conduct/internal/cli"
	"github.com/seed6310be5c/conduct/mcpserver/stdio"
)

func main() { os.Exit(cli.MainMCP(os.Args[1:], stdio.Serve)) }
