package cli

import "github.com/seed6310be5c/conduct/install"

// plugin is the program of a client that wants one, "" where we have none.
func plugin(string, install.Options) string { return "" }
