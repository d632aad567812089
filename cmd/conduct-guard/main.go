// Conduct-guard is the hook's program: a payload on stdin, the client's answer out.
package main

import (
	"os"

	"github.com/seed6310be5c/conduct/internal/guardcmd"
)

func main() { os.Exit(guardcmd.Main(os.Args[1:])) }
