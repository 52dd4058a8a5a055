//go:build man

// With the tag man, the command writes the manual pages into the directory of its argument.
package main

import (
	"fmt"
	"os"

	"hookwatch/cmd/internal/cli"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run -tags man ./cmd/hookwatch DIR")
		os.Exit(cli.Usage)
	}
	if err := cli.WriteManual(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
