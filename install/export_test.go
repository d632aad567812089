package install

// Plain is plain, for the tests.
func Plain(text []byte) ([]byte, error) { return plain(text) }
