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
	if err := process.Adopt(); err != nil {
		fmt.Fprintln(streams.Err, "hookwatch: what hooks leave behind may escape:", err)
	}
	root := newRoot(&app{Streams: streams})
	root.SetArgs(args[1:])
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	return exitCode(root.ExecuteContext(ctx), streams.Err)
}

// The exit codes, as the README documents them.
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
type abortedError struct{ why string }

func (e *abortedError) Error() string { return e.why }

// exitCode is the only place that maps an error to a code. What the views have
// shown already is not said again.
func exitCode(err error, stderr io.Writer) int {
	var aborted *abortedError
	switch {
	case err == nil:
		return exitPassed
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &aborted):
		fmt.Fprintln(stderr, "hookwatch:", err)
		return exitAborted
	default:
		fmt.Fprintln(stderr, "hookwatch:", err)
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
