package install

// Line returns the command line of a hook for a program that has no client of
// its own, to be put into its settings by hand.
func Line(opts Options) (string, error) {
	opts.Client = "generic"
	if err := opts.checkPaths(); err != nil {
		return "", err
	}
	return Command(opts), nil
}
