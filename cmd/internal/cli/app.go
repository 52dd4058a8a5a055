package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites/printable"
)

// Streams are the standard streams of the program.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

const programName = "hookwatch"

// An app is what commands print to: the streams, the chosen format and the log.
type app struct {
	Streams         // for text: everything written to them is made printable
	raw     Streams // for code that escapes its own output: views, JSON, and colour
	format  *format
	dir     string // absolute: where the user works
	noColor bool
	verbose bool
	cleanup shutdown
	atEnd   []func() // called when the command has ended
}

func newApp(s Streams) *app {
	return &app{Streams: Streams{s.In, printable.NewWriter(s.Out), printable.NewWriter(s.Err)}, raw: s}
}

// end releases what the command used.
func (a *app) end() {
	for _, release := range a.atEnd {
		release()
	}
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

// interactive reports whether the user can be asked.
func (a *app) interactive() bool {
	return terminal.Is(a.In) && terminal.Is(a.Out) && terminal.Is(a.Err)
}

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

// proseColumns returns the columns that prose may take on a stream; 0, for any number, in a file or pipe, whose lines
// are searched.
func proseColumns(stream io.Writer) int {
	if !terminal.Is(stream) {
		return 0
	}
	return columns(stream)
}

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
func (a *app) view(p *session.Project, by program, watch bool, say func(string)) session.View {
	notices := notify.NewDesktop(notify.DesktopOptions{
		Off: !p.Config.Notify.Desktop, Bell: a.raw.Err, Notice: say,
		TTY: terminal.Is(a.Err) && a.format.layout == asText, // a program that reads a line expects no bell in it
	})
	return session.Multi(a.format.view(a, p, placeOptions(p, by), watch), notices)
}
