// Conduct is the conductor's program: it dispatches agents to units, and
// releases them.
package main

import (
	"os"

	"github.com/seed6310be5c/conduct/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
