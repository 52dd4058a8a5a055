//go:build unix

// Command rooms is hookwatch with a way to count which of its functions run in between:
// at SIGUSR1 it forgets what ran, at SIGUSR2 it writes what ran since to GOCOVERDIR, and
// answers each on stderr. .ci/rooms builds it with coverage and uses it.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/coverage"
	"syscall"

	"hookwatch/cmd/internal/cli"
)

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range asked {
			var err error
			if s == syscall.SIGUSR1 {
				err = coverage.ClearCounters()
			} else if dir := os.Getenv("GOCOVERDIR"); err == nil {
				if err = coverage.WriteMetaDir(dir); err == nil {
					err = coverage.WriteCountersDir(dir)
				}
			}
			fmt.Fprintf(os.Stderr, "rooms: %v %v\n", s, err)
		}
	}()
	os.Exit(cli.Main(os.Args, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
