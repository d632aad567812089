package conduct

import (
	_ "github.com/goccy/go-yaml"
	_ "github.com/gofrs/flock"
	_ "github.com/google/renameio/v2"
	_ "github.com/oklog/ulid/v2"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/stretchr/testify/require"
	_ "golang.org/x/sys/unix"
	_ "mvdan.cc/sh/v3/syntax"
	_ "pgregory.net/rapid"
)
