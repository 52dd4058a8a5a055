package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites/disk"
	"hookwatch/suites/printable"
)

// Streams are the standard streams of the program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

const programName = "hookwatch"

// An app holds the state shared by all commands: streams and global flags.
type app struct {
	Streams         // for text: everything written to them is made printable
	raw     Streams // for code that escapes its own output: views, JSON, and colour
	dir     string
	path    string

	formatName string // value of --format
	format     *format

	suites  []string
	filter  string
	shuffle uint64
	strict  bool
	noColor bool
	verbose bool
	once    bool
	changed bool
	audit   bool
	accept  bool
	live    bool
	firedBy string // with live: the client
	shard   string
	flags   *cobra.Command
	pinned  disk.Pinned // contents of a watched project's files when they were saved

	restored  bool
	startedIn string      // see workDir
	inOrder   atomic.Bool // there is something to clean up at the end: sandboxes, a run
	closing   atomic.Bool // a session closes its run after a signal
}

func newApp(s Streams) *app {
	return &app{Streams: Streams{s.In, printable.NewWriter(s.Out), printable.NewWriter(s.Err)}, raw: s}
}

// json returns the writer for JSON documents.
func (a *app) json() io.Writer { return printable.NewJSONWriter(a.raw.Out) }

// log returns the logger for diagnostics of the program itself.
func (a *app) log() zerolog.Logger {
	level := zerolog.WarnLevel
	if a.verbose {
		level = zerolog.DebugLevel
	}
	return zerolog.New(consoleWriter(a.raw.Err, a.color(a.Err))).Level(level)
}

func consoleWriter(out io.Writer, color bool) io.Writer {
	return zerolog.ConsoleWriter{
		Out: out, NoColor: !color, PartsExclude: []string{zerolog.TimestampFieldName},
		FormatPrepare: printableFields, // before colour is added
		FormatLevel: func(level any) string { // as a session writes them
			if level == zerolog.LevelWarnValue {
				return "warning:"
			}
			return fmt.Sprint(level) + ":"
		},
	}
}

func printableFields(event map[string]any) error {
	for name, value := range event {
		if text, ok := value.(string); ok {
			event[name] = printable.Field(text)
		}
	}
	return nil
}

func (a *app) color(w io.Writer) bool {
	return !a.noColor && os.Getenv("NO_COLOR") == "" && terminal.Is(w)
}

func (a *app) warn(warnings []string) {
	log := a.log()
	for _, w := range warnings {
		log.Warn().Msg(w)
	}
}

// workDir returns the absolute directory to work in. The result of the first call is kept because
// the directory may be renamed or replaced while hookwatch watches.
func (a *app) workDir() (dir string, err error) {
	if a.startedIn != "" {
		return a.startedIn, nil
	}
	if a.dir != "" {
		dir, err = filepath.Abs(a.dir)
	} else {
		dir, err = os.Getwd()
	}
	if err == nil {
		a.startedIn = dir
	}
	return dir, err
}

// dirOf returns the directory to which relative arguments refer.
func dirOf(a *app) string {
	dir, err := a.workDir()
	if err != nil {
		return "."
	}
	return dir
}

// program returns the command with which the user can call hookwatch again on the same project.
func (a *app) program() program { return program{Dir: a.dir, Path: a.path} }

// noArgs rejects arguments with a hint at the likely mistake.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if fi, err := os.Stat(args[0]); err == nil && fi.IsDir() {
		hint = "for another project: " + strings.Replace(cmd.CommandPath(), " ", " -C "+args[0]+" ", 1)
	} else if cmd.Flags().Lookup(args[0]) != nil {
		hint = "did you mean --" + args[0] + "?"
	}
	return fmt.Errorf("%s takes no argument %q; %s", cmd.CommandPath(), args[0], hint)
}

// oneArg rejects more than one argument.
func oneArg(cmd *cobra.Command, args []string) error {
	if len(args) <= 1 {
		return nil
	}
	return fmt.Errorf("%s takes one argument, not %d: call it once for each, as in %s %s", cmd.CommandPath(), len(args), cmd.CommandPath(), quote(args[0]))
}

func (a *app) width() int { return columns(a.Out) }

// columns returns the width of a stream's terminal, or the usual one.
func columns(stream io.Writer) int {
	n, ok := terminal.FD(stream)
	if !ok {
		return 80
	}
	w, _, err := term.GetSize(n)
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// view returns the view of the chosen format combined with desktop notifications. say is called,
// from another goroutine, if there is no desktop.
func (a *app) view(p *session.Project, watch bool, say func(string)) session.View {
	notices := notify.NewDesktop(notify.DesktopOptions{
		Off: !p.Config.Notify.Desktop, Bell: a.raw.Err, TTY: terminal.Is(a.Err), Notice: say,
	})
	return session.Multi(a.format.view(a, p, watch), notices)
}
