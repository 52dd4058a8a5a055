//go:build !man

// Command hookwatch reruns the tests of Claude Code hooks that a change affects.
package main

import (
	"os"

	"hookwatch/cmd/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
