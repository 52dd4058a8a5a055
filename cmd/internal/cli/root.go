package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/printable"
	"hookwatch/suites/record"
	"hookwatch/suites/spelling"
)

// Version is hookwatch's own.
const Version = "0.1.0"

// An app is what all commands share: streams and the global flags.
type app struct {
	Streams         // for people: whatever is written to them is made printable
	raw     Streams // for what sees to that itself: views, JSON, and colour
	dir     string
	path    string
	format  string
	suites  []string
	filter  string
	shuffle uint64
	strict  bool
	noColor bool
	verbose bool
	once    bool
	changed bool
	audit   bool
	flags   *cobra.Command
	pinned  disk.Pinned // what a watched project's files were when they were saved

	restored  bool
	startedIn string      // see workDir
	inOrder   atomic.Bool // there is something now that has to be put in order at the end: sandboxes, a run
}

const longHelp = `hookwatch reruns the tests of Claude Code hooks that a change affects, and says
within a second what broke.

Without a command it watches: it runs what is stale since the last run, then
follows every save of a hook, a settings file, config.json, a spec document or a
suite. With --once it runs everything once, for a person or for CI.`

func newApp(s Streams) *app {
	return &app{Streams: Streams{s.In, printable.NewWriter(s.Out), printable.NewWriter(s.Err)}, raw: s}
}

// json is where documents for programs go.
func (a *app) json() io.Writer { return printable.NewJSONWriter(a.raw.Out) }

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:               "hookwatch",
		Short:             "Rerun the tests of Claude Code hooks that a change affects",
		Long:              longHelp,
		Version:           Version,
		Args:              unknownCommand,
		SilenceUsage:      true,
		SilenceErrors:     true,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.check() },
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.root(cmd.Context()) },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	a.flags = root
	g := root.PersistentFlags()
	g.StringVarP(&a.dir, "directory", "C", "", "work as if started in `DIR`")
	g.StringVar(&a.path, "config", "", "use this configuration `FILE` instead of looking for .hookwatch.yaml")
	g.StringVar(&a.format, "format", "human", "output: human, json or jsonl")
	g.StringSliceVar(&a.suites, "suite", nil, "only these suites (`NAME`, ...)")
	g.StringVar(&a.filter, "filter", "", "only cases whose ID or name has this text or matches this `GLOB`")
	g.Uint64Var(&a.shuffle, "shuffle", 0, "run in a random order with this `SEED` (0 keeps the order)")
	g.BoolVar(&a.strict, "strict", false, "unproven cases make the exit code 1")
	g.BoolVar(&a.noColor, "no-color", false, "no colour (also with NO_COLOR set)")
	g.BoolVar(&a.restored, "restored", false, "the records are your own, though made elsewhere: restored from a cache, say")
	g.BoolVarP(&a.verbose, "verbose", "v", false, "show every case")
	config.AddFlags(g)
	root.Flags().BoolVar(&a.once, "once", false, "run all cases once and exit")
	root.Flags().BoolVar(&a.changed, "changed", false, "with --once: only what changed since the last run affects")
	root.Flags().BoolVar(&a.audit, "audit", false, "with --once: check that no case whose verdict changed would have been left out")
	root.AddCommand(a.runCommand(), a.listCommand(), a.whyCommand(), a.verifyCommand(), a.fireCommand(), a.checkCommand(), a.explainCommand(),
		a.compareCommand(), a.historyCommand(), a.coverageCommand(), a.queryCommand(), a.initCommand(), a.doctorCommand(), a.trustCommand(), a.schemaCommand())
	addTopics(root)
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(unknownFlag)
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see hookwatch --help"
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "did you mean hookwatch " + s[0] + "?"
	}
	return fmt.Errorf("unknown command %q (%s)", args[0], hint)
}

// unknownFlag is an error in the flags with what was most likely meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	hint := "see " + cmd.CommandPath() + " --help"
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return fmt.Errorf("%w (%s)", err, hint)
}

func (a *app) check() error {
	if !slices.Contains([]string{"human", "json", "jsonl"}, a.format) {
		return fmt.Errorf("--format %s: want human, json or jsonl", a.format)
	}
	return nil
}

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

// load reads configuration and project for a command that shows what a session
// does, warnings included. Its error names every problem.
func (a *app) load() (*project.Project, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	p, problems := a.loadProject(cfg)
	switch {
	case len(problems) > 0:
		err = problemsError(problems)
	default:
		err = p.Empty
	}
	if err != nil {
		a.ask(cfg) // what was not agreed to may be why
	}
	return p, err
}

// loadShown reads a project for a command that has no view of a session.
func (a *app) loadShown() (*project.Project, error) {
	p, err := a.loadHooks()
	if err != nil {
		return nil, err
	}
	return p, p.Empty
}

// loadHooks does so for one that need not have any case.
func (a *app) loadHooks() (*project.Project, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	a.ask(cfg)
	p, problems := a.loadProject(cfg)
	if len(problems) > 0 {
		return nil, problemsError(problems)
	}
	return p, nil
}

// ask says what the configuration asks for that nobody has agreed to.
func (a *app) ask(cfg *config.Config) {
	if text := cfg.Notice(); text != "" {
		a.warn([]string{text})
	}
}

func (a *app) loadProject(cfg *config.Config) (*project.Project, []suites.Problem) {
	return project.Load(cfg, project.Filter{Suites: a.suites, Text: a.filter}, &a.pinned)
}

// loadConfig reads the configuration alone.
func (a *app) loadConfig() (*config.Config, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	return config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags()})
}

// dirOf is the directory that relative arguments are meant from.
func dirOf(a *app) string {
	dir, err := a.workDir()
	if err != nil {
		return "."
	}
	return dir
}

// records is where a project's records are.
func (a *app) records(cfg *config.Config) record.Place { return project.RecordsPlace(cfg, a.restored) }

// reader opens the project's records for reading, and gives their place.
func (a *app) reader() (r *record.Reader, dir string, err error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, "", err
	}
	a.ask(cfg)
	r, err = record.OpenReader(a.records(cfg))
	return r, cfg.ResultsDir, err
}

func (a *app) tryLoad() (*project.Project, []suites.Problem, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, configProblems(err), err
	}
	p, problems := a.loadProject(cfg)
	return p, problems, nil
}

// problemsError lists problems, one a line.
type problemsError []suites.Problem

func (e problemsError) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

func configProblems(err error) []suites.Problem {
	var cerr *config.Error
	if !errors.As(err, &cerr) {
		return []suites.Problem{{What: err.Error()}}
	}
	return cerr.Problems
}
