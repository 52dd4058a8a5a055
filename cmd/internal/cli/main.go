// Package cli is hookwatch's command line: one file per command, and one place where an error
// becomes an exit code.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	gojqcli "github.com/itchyny/gojq/cli"

	"hookwatch/config"
	"hookwatch/suites/process"
)

// Main runs the program with its arguments, the first of which is its own name, and returns the
// exit code. Under the name of a JSON tool it runs that tool, because hooks find it as a
// stand-in.
func Main(args []string, streams Streams) int {
	switch filepath.Base(args[0]) {
	case "jq", "jaq":
		return gojqcli.Run()
	}
	if len(args) == 4 && args[1] == recorderName { // the client waits for it at every event
		runRecorder(args[2], args[3], streams.In)
		return Passed
	}
	delayCollection()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends code that ignores the first
	a := newApp(streams)
	if err := process.Adopt(); err != nil {
		writef(a.Err, "hookwatch: what hooks leave behind may escape: %v\n", err)
	}
	root := newRoot(a)
	root.SetArgs(args[1:])
	return exitCode(a.cleanup.after(ctx, func(ctx context.Context) error {
		defer a.end()
		return root.ExecuteContext(ctx)
	}), a.Err)
}

// delayCollection keeps the first garbage collection until 32 MB are allocated, because most commands
// end before that. From then on garbage is collected as usual.
func delayCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(800) // of the minimum of 4 MB
	first := new(*int)               // collected with the first garbage; a pointer, because tiny values share a block
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}

// cleanupTime is the time that a command with resources such as sandboxes has for cleaning up after a
// signal. Leftovers are removed at the next start, and processes of hooks end with this one;
// announced verdicts are already recorded.
const cleanupTime = 150 * time.Millisecond

// closingTime is the time that a session has which has begun to close its run within cleanupTime, so
// that a busy machine does not leave it to the next start. A second signal ends it.
const closingTime = 10 * time.Second

// A shutdown is what a command has to do before a signal ends it.
type shutdown struct {
	needed  atomic.Bool // there is something to clean up: sandboxes, a run
	closing atomic.Bool // a session closes its run after a signal
}

// after runs a command and returns its error. A signal ends it immediately, even while it reads
// a tree of a million files or waits for input. A command that must clean up gets a moment for
// that.
func (s *shutdown) after(ctx context.Context, do func(context.Context) error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if crash := recover(); crash != nil {
				done <- &crashError{Crash: crash, Stack: debug.Stack()}
			}
		}()
		done <- do(ctx)
	}()
	select {
	case err := <-done:
		return interruption(ctx, err)
	case <-ctx.Done():
	}
	if !s.needed.Load() {
		return errInterrupted
	}
	for limit := cleanupTime; ; limit = closingTime {
		select {
		case err := <-done:
			return interruption(ctx, err)
		case <-time.After(limit):
		}
		if limit == closingTime || !s.closing.Load() {
			return errInterrupted
		}
	}
}

// interruption returns errInterrupted for an error that only reports the cancellation of ctx.
func interruption(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return errInterrupted
	}
	return err
}

// errorLines returns the lines of an error message. Only lists have more than one line, because a
// line end within a text is escaped.
func errorLines(err error) []string {
	var lines []string
	var configured *config.Error
	var cut advised
	switch joined, ok := err.(interface{ Unwrap() []error }); { //nolint:errorlint // the join itself is taken apart
	case ok && err.Error() == errors.Join(joined.Unwrap()...).Error():
		for _, e := range joined.Unwrap() {
			lines = append(lines, errorLines(e)...)
		}
	case errors.As(err, &configured) && configured.Error() == err.Error():
		for _, p := range configured.Problems {
			lines = append(lines, p.Error())
		}
	case errors.As(err, &cut):
		lines = append([]string{err.Error()}, cut.Advice()...)
	default:
		lines = []string{err.Error()}
		if short := process.Shortage(err); short != nil { // as the system reported it
			lines = append([]string{err.Error(), "  " + short.What}, short.Advice()...)
		}
	}
	return lines
}

// An advised error has advice for the user, one line each.
type advised interface {
	error
	Advice() []string
}

// complain writes an error to the stream for diagnostics.
func complain(w io.Writer, err error) {
	head := "hookwatch: "
	for _, l := range errorLines(err) {
		writef(w, "%s\n", head+l)
		head = ""
	}
}

// The exit codes, as documented in topics/exit-codes.md.
const (
	Passed      = 0
	Failed      = 1
	Usage       = 2
	Aborted     = 3
	Interrupted = 130
)

// Kinds of errors for which the rest of the program has no type.
var (
	errFailed      = errors.New("a case failed")
	errInterrupted = errors.New("interrupted")
)

// An abortedError ends a run that could not be completed or recorded.
type abortedError struct {
	Why  string
	Next []string // advice, one line each
}

func (e *abortedError) Error() string { return e.Why }

// Advice returns advice for the user, one line each.
func (e *abortedError) Advice() []string { return e.Next }

// exitCode is the only place that maps an error to a code. It prints only errors that the views
// have not shown already.
func exitCode(err error, stderr io.Writer) int {
	var cut *abortedError
	var crash *crashError
	switch {
	case err == nil:
		return Passed
	case errors.As(err, &crash):
		writef(stderr, "hookwatch: internal error: %v\n", crash.Crash)
		_, _ = stderr.Write(crash.Stack)
		return Usage
	case errors.Is(err, errFailed):
		return Failed
	case errors.Is(err, errInterrupted):
		return Interrupted
	case errors.As(err, &cut), process.Shortage(err) != nil:
		complain(stderr, err)
		return Aborted
	default:
		complain(stderr, err)
		return Usage
	}
}

// A crashError is a bug in hookwatch itself. Its value may contain text from elsewhere, so it is
// made printable like all other text.
type crashError struct {
	Crash any
	Stack []byte
}

func (e *crashError) Error() string { return fmt.Sprintf("internal error: %v", e.Crash) }
