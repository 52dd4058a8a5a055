package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/session"
	"hookwatch/cmd/internal/version"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/printable"
	"hookwatch/suites/shell"
	"hookwatch/suites/verdict"
)

const longHelp = `hookwatch watches Claude Code hooks, their settings and suites, reruns the tests
that a save affects, and shows what broke. With --once it runs all tests once.`

// mainFlags are the flags listed in the help of hookwatch itself.
var mainFlags = []string{"once", "format"}

// rootOptions are the flags of hookwatch without a command.
type rootOptions struct {
	once, changed, accept, audit, live bool
	shard                              string
}

func newRoot(a *app) *cobra.Command {
	var o rootOptions
	g, formatName := &globals{pinned: new(disk.Pinned), warn: a.warn}, ""
	root := &cobra.Command{
		Use:           programName,
		Short:         "Rerun the tests of Claude Code hooks that a change affects",
		Long:          longHelp,
		Version:       version.String(),
		Args:          unknownCommand,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			*g = g.in(g.Dir)
			a.dir = g.workDir
			if a.format, err = chooseFormat(cmd, formatName); err != nil || !g.Staged {
				return err
			}
			g.index, err = openIndex(cmd, a, g.workDir)
			return err
		},
		Annotations: map[string]string{runsCases: "", readsIndex: ""},
		RunE:        func(cmd *cobra.Command, _ []string) error { return runRoot(cmd.Context(), a, *g, o) },
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	shared, own := root.PersistentFlags(), root.Flags()
	g.settings = shared
	shared.StringVarP(&g.Dir, "directory", "C", "", "work as if started in `DIR`")
	shared.BoolVar(&g.Staged, "staged", false, "with --once, run and check: the files of the git index, which the next commit will have, not those of the work tree")
	shared.StringVar(&g.Path, "config", "", "use this configuration `FILE` instead of looking for .hookwatch.yaml")
	shared.StringVar(&formatName, "format", "", "output: "+anyFormat()+` (default "human")`)
	shared.StringSliceVar(&g.filter.Suites, "suite", nil, "only these suites (`NAME`, ...)")
	shared.StringVar(&g.filter.Text, "filter", "", "only cases whose ID or name has this text or matches this `GLOB`")
	shared.Uint64Var(&g.shuffle, "shuffle", 0, "run in a random order with this `SEED` (0 keeps the order)")
	shared.BoolVar(&g.strict, "strict", false, "unproven cases make the exit code 1")
	shared.BoolVar(&a.noColor, "no-color", false, "no colour (also with NO_COLOR set)")
	shared.BoolVar(&g.restored, "restored", false, "the records are your own, though made elsewhere: restored from a cache, say")
	shared.BoolVarP(&a.verbose, "verbose", "v", false, "show every case")
	config.AddFlags(shared)
	own.BoolVar(&o.once, "once", false, "run all cases once and exit")
	own.BoolVar(&o.changed, "changed", false, "with --once: only what changed since the last run affects")
	own.BoolVar(&o.accept, "accept", false, "with --once: forget what hooks stopped before, where a project has no suite, and lost registrations: what is now counts")
	own.BoolVar(&o.audit, "audit", false, "with --once: check that no case whose verdict changed would have been left out")
	own.BoolVar(&o.live, "live", false, "with --once: have the real client fire the hooks (see hookwatch help client)")
	own.StringVar(&o.shard, "shard", "", "with --once: run this part of the cases, as `2/4` (see hookwatch help records)")
	root.AddCommand(newRunCmd(a, g), newMergeCmd(a, g), newListCmd(a, g), newShowCmd(a, g), newWhyCmd(a, g), newVerifyCmd(a, g), newFireCmd(a, g), newCheckCmd(a, g), newProveCmd(a, g), newScoreCmd(a, g), newContractCmd(a, g), newExplainCmd(a), newRecordCmd(a, g), newReplayCmd(a, g), newSessionsCmd(a, g),
		newCompareCmd(a, g), newDiffCmd(a, g), newHistoryCmd(a, g), newCoverageCmd(a, g), newReportCmd(a, g), newQueryCmd(a, g), newInitCmd(a, g), newDoctorCmd(a, g), newTrustCmd(a, g), newSchemaCmd(a), newAgentCmd(a, g))
	addCompletions(root, g)
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
	former := map[string]string{"live": "check --live", "suites": "list --suites"}
	if now := former[args[0]]; now != "" {
		hint = "it is hookwatch " + now + " now"
	} else if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "did you mean hookwatch " + s[0] + "?"
	}
	return fmt.Errorf("unknown command %q (%s)", args[0], hint)
}

// unknownFlag adds a similar name to an error about an unknown flag.
func unknownFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	hint := "see " + cmd.CommandPath() + " --help"
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if name := unknown.GetSpecifiedName(); formats[name] != nil {
		hint = "did you mean --format " + name + "?"
	} else if near := pattern.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		hint = "did you mean --" + near + "?"
	}
	return fmt.Errorf("%w (%s)", err, hint)
}

// runRoot watches, or runs once.
func runRoot(ctx context.Context, a *app, g globals, o rootOptions) error {
	switch {
	case o.changed && !o.once:
		return errors.New("--changed goes with --once; without --once hookwatch watches, and starts with what changed")
	case o.live && !o.once:
		return errors.New("--live goes with --once, run and fire: a session of the client takes a second a case")
	case o.accept && !o.once:
		return errors.New("--accept goes with --once: it forgets what hooks stopped before")
	case o.audit && (!o.once || o.changed):
		return errors.New("--audit goes with --once, and not with --changed: it runs what a selection would leave out")
	case o.shard != "" && (!o.once || o.changed || o.audit):
		return errors.New("--shard goes with --once, and not with --changed or --audit: it runs a part of all cases")
	case !o.once:
		return watch(ctx, a, g)
	}
	part, err := parseShard(o.shard)
	if err != nil {
		return err
	}
	if o.accept { // forget the recorded stops of hooks in a project without suites
		cfg, err := g.loadConfig()
		if err != nil {
			return err
		}
		if err := session.ForgetStops(cfg); err != nil {
			return err
		}
	}
	p, err := g.loadToRun(o.live, "")
	if err != nil {
		return err
	}
	return runOnce(ctx, a, g, p, o.changed, o.audit, func(s *opened) ([]verdict.Selected, bool, error) {
		switch {
		case o.changed:
			return s.Stale(), false, nil
		case part.of > 0:
			return verdict.WithControls(verdict.All(verdict.Shard(p.Cases, part.number, part.of, s.Took()), "shard "+o.shard), p.Every()), false, nil
		}
		return verdict.WithControls(verdict.All(p.Cases, "asked for"), p.Every()), g.allCases(), nil
	})
}

// A program is the hookwatch command with the flags that select the project.
type program struct {
	Dir, Path string
	Staged    bool
}

func (c program) String() string {
	program := "hookwatch"
	if c.Dir != "" {
		program += " -C " + quote(c.Dir)
	}
	if c.Path != "" {
		program += " --config " + quote(c.Path)
	}
	if c.Staged {
		program += " --staged"
	}
	return program
}

// About returns a function that returns the command to do something with one case.
func (c program) About(p *session.Project, do string) func(suites.Key) string {
	program := c.String()
	return func(k suites.Key) string {
		id := k.ID
		if p.Ambiguous(k.ID) {
			id = k.String()
		}
		command := program + " " + do + " " + quote(id)
		if !printable.Is(command) {
			return "" // the printed command would differ from the real one
		}
		return command
	}
}

// quote returns a word as the user would type it in a shell. A word that starts like a flag is
// the name of a file or directory.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	s = filepath.ToSlash(s)
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return shell.Quote(s)
}
