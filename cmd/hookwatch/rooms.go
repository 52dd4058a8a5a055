//go:build rooms && unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/coverage"
	"syscall"
)

// init lets .ci/rooms count the functions that run in between: at SIGUSR1 the program forgets what
// ran, at SIGUSR2 it writes what ran since to GOCOVERDIR, and answers each on stderr.
func init() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range asked {
			var err error
			if s == syscall.SIGUSR1 {
				err = coverage.ClearCounters()
			} else {
				dir := os.Getenv("GOCOVERDIR")
				if err = coverage.WriteMetaDir(dir); err == nil {
					err = coverage.WriteCountersDir(dir)
				}
			}
			fmt.Fprintf(os.Stderr, "rooms: %v %v\n", s, err)
		}
	}()
}
