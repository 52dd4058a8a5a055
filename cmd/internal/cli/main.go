// Package cli is hookwatch's command line: one file a command, and one place
// where an error becomes an exit code.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	gojqcli "github.com/itchyny/gojq/cli"
	"github.com/spf13/cobra"

	"hookwatch/suites/process"
)

// Streams are what the program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

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

// endedBy gives the error of what is to be done. A signal ends it at once, in
// whatever it is: reading a tree of a million files, waiting for somebody to
// write. Only what has to be put in order ends by itself.
func (a *app) endedBy(ctx context.Context, do func(context.Context) error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				done <- &crashError{crash, debug.Stack()}
			}
		}()
		done <- do(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	if !a.inOrder.Load() {
		return errInterrupted
	}
	return <-done
}

// A crashError is a mistake of the program itself. What it was about may be part
// of what is said, so it is shown as all other text is.
type crashError struct {
	crash any
	stack []byte
}

func (e *crashError) Error() string { return fmt.Sprintf("internal error: %v", e.crash) }

func crashed(w io.Writer, crash any, stack []byte) {
	writef(w, "hookwatch: internal error: %v\n", crash)
	_, _ = w.Write(stack)
}

// The exit codes, as topics/exit-codes.md documents them.
const (
	exitPassed      = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAborted     = 3
	exitInterrupted = 130
)

// Kinds of errors that the rest of the program has no type for.
var (
	errFailed      = errors.New("a case failed")
	errInterrupted = errors.New("interrupted")
)

// An abortedError ends a run that could not be carried through or recorded.
type abortedError struct {
	why  string
	next []string // what to do about it, a line each
}

func (e *abortedError) Error() string { return e.why }

// exitCode is the only place that maps an error to a code. What the views have
// shown already is not said again.
func exitCode(err error, stderr io.Writer) int {
	var aborted *abortedError
	var crash *crashError
	switch {
	case err == nil:
		return exitPassed
	case errors.As(err, &crash):
		crashed(stderr, crash.crash, crash.stack)
		return exitUsage
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &aborted):
		complain(stderr, err)
		return exitAborted
	default:
		complain(stderr, err)
		return exitUsage
	}
}

// noArgs refuses arguments in words that name the likely slip.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no argument %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
}
