// Package cli is hookwatch's command line: one file a command, and one place
// where an error becomes an exit code.
package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	gojqcli "github.com/itchyny/gojq/cli"

	"hookwatch/suites/process"
)

// Main runs the program with its arguments, the first of which is its own name,
// and returns the exit code. Under the name of a JSON tool it is that tool:
// hooks find it as a stand-in.
func Main(args []string, streams Streams) int {
	switch filepath.Base(args[0]) {
	case "jq", "jaq":
		return gojqcli.Run()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen to the first
	a := newApp(streams)
	if err := process.Adopt(); err != nil {
		writef(a.Err, "hookwatch: what hooks leave behind may escape: %v\n", err)
	}
	root := newRoot(a)
	root.SetArgs(args[1:])
	return exitCode(a.endedBy(ctx, root.ExecuteContext), a.Err)
}

// orderly is how long a command that put something up, such as sandboxes, may take to
// clear it away after a signal. What is left is cleared away by the next start, and
// processes of hooks end with this one; what was announced is on record.
const orderly = 150 * time.Millisecond

// endedBy returns the error of a command. A signal ends the command immediately,
// whatever it does: reading a tree of a million files, waiting for input. A command that
// has to clear something away gets a moment for it.
func (a *app) endedBy(ctx context.Context, do func(context.Context) error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				done <- &CrashError{Crash: crash, Stack: debug.Stack()}
			}
		}()
		done <- do(ctx)
	}()
	select {
	case err := <-done:
		return interruption(ctx, err)
	case <-ctx.Done():
	}
	if !a.inOrder.Load() {
		return ErrInterrupted
	}
	select {
	case err := <-done:
		return interruption(ctx, err)
	case <-time.After(orderly):
		return ErrInterrupted
	}
}

// interruption returns ErrInterrupted for an error that only says that ctx was cancelled.
func interruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return ErrInterrupted
	}
	return err
}
