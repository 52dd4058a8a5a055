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
	"hookwatch/cmd/internal/notify/desktop"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites/disk"
	"hookwatch/suites/printable"
)

// Streams are what the program reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Version is hookwatch's own.
const Version = "0.1.0"

// An app is what all commands share: streams and the global flags.
type app struct {
	Streams         // for people: whatever is written to them is made printable
	raw     Streams // for what sees to that itself: views, JSON, and colour
	dir     string
	path    string

	formatName string // as --format names it
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
	flags   *cobra.Command
	pinned  disk.Pinned // what a watched project's files were when they were saved

	restored  bool
	startedIn string      // see workDir
	inOrder   atomic.Bool // there is something now that has to be put in order at the end: sandboxes, a run
}

func newApp(s Streams) *app {
	return &app{Streams: Streams{s.In, printable.NewWriter(s.Out), printable.NewWriter(s.Err)}, raw: s}
}

// json is where documents for programs go.
func (a *app) json() io.Writer { return printable.NewJSONWriter(a.raw.Out) }

// log writes diagnostics of the program itself.
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

// workDir is the directory to work in, absolute. It stays what it was at the first
// call: that directory may be renamed, or another be put into its place, while
// hookwatch watches.
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

// dirOf is the directory that relative arguments are meant from.
func dirOf(a *app) string {
	dir, err := a.workDir()
	if err != nil {
		return "."
	}
	return dir
}

// program is how a person would call hookwatch again on the same project.
func (a *app) program() program { return program{Dir: a.dir, Path: a.path} }

// noArgs refuses arguments in words that name the likely slip.
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

func (a *app) width() int {
	n, ok := terminal.FD(a.Out)
	if !ok {
		return 80
	}
	w, _, err := term.GetSize(n)
	if err != nil || w <= 0 {
		return 80
	}
	return w
}

// view returns the view of the chosen format and, next to it, desktop notifications.
// say is called, from another goroutine, when there is no desktop.
func (a *app) view(p *project.Project, watch bool, say func(string)) notify.View {
	notices := desktop.New(desktop.Options{
		Off: !p.Config.Notify.Desktop, Bell: a.raw.Err, TTY: terminal.Is(a.Err), Say: say,
	})
	return notify.Multi(a.format.view(a, p, watch), notices)
}
