package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
)

func TestMain(m *testing.M) {
	if tool := filepath.Base(os.Args[0]); tool == "jaq" || tool == "jq" { // hooks of tests find it as a stand-in
		os.Exit(Main(os.Args, Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
	}
	if err := os.Unsetenv("GITHUB_ACTIONS"); err != nil { // it chooses a format
		panic(err)
	}
	state, err := os.MkdirTemp("", "hookwatch-cli-")
	if err != nil {
		panic(err)
	}
	err = errors.Join(os.Setenv("HOME", state), os.Setenv("XDG_STATE_HOME", filepath.Join(state, "state")), standIn(filepath.Join(state, "bin"), "jq"), addHostileTool(state),
		processtest.ResolveShims(), processtest.Overlap(), process.Adopt())
	if err != nil {
		panic(err)
	}
	// The rolling log's library keeps one goroutine per file forever. The clock of patterns ends
	// by itself some time after the last match.
	processtest.VerifyTestMain(m, func() { _ = os.RemoveAll(state) }, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"), goleak.IgnoreAnyFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"))
}

// standIn puts a JSON tool that is this program in front of PATH. Debian's jq takes four times as long
// to start, and hooks of tests start it thousands of times.
func standIn(dir, tool string) error {
	self, err := os.Executable()
	return errors.Join(err, os.Mkdir(dir, 0o755), os.Symlink(self, filepath.Join(dir, tool)),
		os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH")))
}

// newProject writes a project to a directory with a space in its name.
func newProject(t *testing.T, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a project")
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// call runs the command line in a directory.
func call(t *testing.T, dir, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics bytes.Buffer
	root := newRoot(newApp(Streams{In: strings.NewReader(stdin), Out: &out, Err: &diagnostics}))
	root.SetArgs(append([]string{"-C", dir}, args...))
	code = exitCode(root.ExecuteContext(t.Context()), &diagnostics)
	return code, out.String(), diagnostics.String()
}

func load(t *testing.T, root string) *session.Project {
	t.Helper()
	cfg, err := config.Load(config.LoadOptions{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	p, problems := session.Load(cfg, session.Filter{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	aborted := &abortedError{Why: "no space left"}
	for _, tt := range []struct {
		err    error
		code   int
		stderr string
	}{
		{nil, 0, ""},
		{errFailed, 1, ""},
		{fmt.Errorf("run: %w", errFailed), 1, ""},
		{errInterrupted, 130, ""},
		{fmt.Errorf("run: %w", errInterrupted), 130, ""},
		{aborted, 3, "hookwatch: no space left\n"},
		{fmt.Errorf("run: %w", aborted), 3, "hookwatch: run: no space left\n"},
		{errors.Join(aborted, nil), 3, "hookwatch: no space left\n"},
		{errors.New("no such thing"), 2, "hookwatch: no such thing\n"},
		{&config.Error{Problems: []suites.Problem{{What: "a"}, {What: "b\nPASS 500"}}}, 2, "hookwatch: a\nb\\nPASS 500\n"},
		{errors.Join(&config.Error{Problems: []suites.Problem{{What: "a"}, {What: "b"}}}, errors.New("c\x1b[2J")), 2, "hookwatch: a\nb\nc\\x1b[2J\n"},
		{&config.Error{Problems: []suites.Problem{{At: suites.Position{File: "f\n"}, What: "x"}, {At: suites.Position{File: "g", Line: 1, Column: 2}, What: "y"}}}, 2, "hookwatch: f\\n: x\ng:1:2: y\n"},
		{&abortedError{Why: "no jaq", Next: []string{"  install jaq: cargo"}}, 3, "hookwatch: no jaq\n  install jaq: cargo\n"},
		{errors.New("two\nlines"), 2, "hookwatch: two\\nlines\n"},
	} {
		var stderr bytes.Buffer
		if code := exitCode(tt.err, &stderr); code != tt.code || stderr.String() != tt.stderr {
			t.Errorf("%v: %d and %q, want %d and %q", tt.err, code, stderr.String(), tt.code, tt.stderr)
		}
	}
}

// TestOutcome checks the error for a run, the most severe first.
func TestOutcome(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	failed := suites.Tally{Passed: 1, Failed: 1}
	for _, tt := range []struct {
		name   string
		sum    session.Summary
		strict bool
		code   int
	}{
		{"passed", session.Summary{Tally: suites.Tally{Passed: 1, Skipped: 1, Unproven: 1}}, false, 0},
		{"nothing", session.Summary{}, true, 0},
		{"failed", session.Summary{Tally: failed}, false, 1},
		{"unproven, strict", session.Summary{Tally: suites.Tally{Passed: 1, Unproven: 1}}, true, 1},
		{"skipped, strict", session.Summary{Tally: suites.Tally{Passed: 1, Skipped: 1}}, true, 0},
		{"aborted", session.Summary{Tally: suites.Tally{Failed: 1, Aborted: 1}, Aborted: "preflight"}, false, 3},
		{"not recorded", session.Summary{Tally: failed, RecordError: full}, false, 3},
		{"interrupted", session.Summary{Tally: failed, Interrupted: true, RecordError: full, Aborted: "x"}, true, 130},
	} {
		if code := exitCode(outcome(newApp(Streams{}), globals{strict: tt.strict}, tt.sum, false), io.Discard); code != tt.code {
			t.Errorf("%s: %d, want %d", tt.name, code, tt.code)
		}
	}
}

// TestOutcomeOfChanged checks that a run of changed cases passes only if no unchanged case fails.
func TestOutcomeOfChanged(t *testing.T) {
	t.Parallel()
	sum := session.Summary{Tally: suites.Tally{Passed: 1}, Present: suites.Tally{Passed: 1, Failed: 1}}
	for changed, want := range map[bool]int{false: 0, true: 1} {
		if code := exitCode(outcome(newApp(Streams{Err: io.Discard}), globals{}, sum, changed), io.Discard); code != want {
			t.Errorf("--changed %v: %d, want %d", changed, code, want)
		}
	}
}

// TestNoTerminal checks that a stream that is no terminal has neither colour nor keys.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	a := &app{Streams: Streams{In: strings.NewReader("q"), Out: new(bytes.Buffer)}}
	if keys := terminal.Open(t.Context(), a.In, a.Out); keys != nil {
		keys.Close()
		t.Error("keys are read from a file that is no terminal")
	}
	if a.color(a.Out) || a.width() != 80 {
		t.Errorf("colour %v, width %d", a.color(a.Out), a.width())
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if terminal.Is(file) {
		t.Error("a file is a terminal")
	}
}

// TestShutdown checks that only an error caused by cancellation is an interruption.
func TestShutdown(t *testing.T) {
	other := errors.New("disk full")
	for name, test := range map[string]struct {
		cancelled bool
		returns   error
		want      error
	}{
		"ended by itself":           {false, nil, nil},
		"failed":                    {false, other, other},
		"failed of its own context": {false, context.Canceled, context.Canceled},
		"cancelled":                 {true, fmt.Errorf("fire: %w", context.Canceled), errInterrupted},
		"failed while cancelled":    {true, other, other},
	} {
		t.Run(name, func(t *testing.T) {
			var s shutdown
			s.needed.Store(true)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			err := s.after(ctx, func(context.Context) error {
				if test.cancelled {
					cancel()
				}
				return test.returns
			})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// TestShutdownClosing checks that a session that closes its run after a signal has time for it.
func TestShutdownClosing(t *testing.T) {
	t.Parallel()
	for closing, want := range map[bool]time.Duration{false: cleanupTime, true: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			var s shutdown
			s.needed.Store(true)
			ctx, cancel := context.WithCancel(t.Context())
			began := time.Now()
			err := s.after(ctx, func(ctx context.Context) error {
				s.closing.Store(closing)
				cancel()
				<-time.After(time.Second) // fake time
				return ctx.Err()
			})
			if took := time.Since(began); took != want || !errors.Is(err, errInterrupted) {
				t.Errorf("closing %v: %v after %s, want %s", closing, err, took, want)
			}
			<-time.After(time.Second)
		})
	}
}
