package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/config/trust"
	"hookwatch/suites/disk"
)

func (a *app) trustCommand() *cobra.Command {
	var yes, list, forget bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show what the project's configuration asks for, and consent to it",
		Long: `Show which values of .hookwatch.yaml weaken protection or reach out of the project:
weaker isolation, variables and masked files for hooks, larger limits, programs,
paths elsewhere. They count from a flag or a variable at once, from the file only
after you have agreed to exactly these; until then a safe default holds. What is
changed later is asked for anew.

On a terminal you are asked; --yes agrees without. What you agree to is kept in your
state folder, by project. --list shows it, --forget withdraws it (-C DIR: of another
project).`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.loadAsked()
			switch {
			case list:
				return a.trustList(stateOf(cfg))
			case err != nil:
				return err
			case forget:
				return a.trustForget(cfg)
			default:
				return a.trust(cfg, yes)
			}
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "agree without being asked")
	cmd.Flags().BoolVar(&list, "list", false, "show what you have agreed to, of every project")
	cmd.Flags().BoolVar(&forget, "forget", false, "withdraw what you have agreed to of this project")
	cmd.MarkFlagsMutuallyExclusive("yes", "list", "forget")
	return cmd
}

// loadAsked reads the configuration as its file has it: what a flag or a variable
// sets today, the file may ask for tomorrow.
func (a *app) loadAsked() (*config.Config, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	return config.Load(config.LoadOptions{Dir: dir, Path: a.path, Env: func(string) (string, bool) { return "", false }, FirstCommit: project.FirstCommit})
}

func (a *app) trust(cfg *config.Config, yes bool) error {
	doc := newTrustDocument(cfg)
	if err := a.print(doc, len(doc.Asks), func(i int) any { return doc.Asks[i] }, func(w io.Writer) { printTrust(w, doc) }); err != nil {
		return err
	}
	switch {
	case len(cfg.Pending()) == 0:
		return nil
	case cfg.Distrust != "":
		return errors.New(cfg.Distrust)
	case yes:
	case !terminal.Is(a.In) || !terminal.Is(a.Out) || !terminal.Is(a.Err):
		return errors.New("nobody agreed: there is no terminal to ask on (--yes agrees to all of it)")
	default:
		agreed, err := confirm(a.Err, a.In, cfg.Dir)
		if err != nil || !agreed {
			return errors.Join(err, errors.New("nothing is agreed to"))
		}
	}
	if err := trust.In(cfg.State).Agree(cfg.Dir, cfg.Identity(project.FirstCommit), cfg.Values(), time.Now()); err != nil {
		return err
	}
	if a.format == "human" {
		writef(a.Out, "agreed, for %s (hookwatch trust --forget withdraws it)\n", cfg.Dir)
	}
	return nil
}

// stateOf is the person's state folder, also where the configuration here cannot
// be read.
func stateOf(cfg *config.Config) string {
	if cfg != nil {
		return cfg.State
	}
	return config.StateFolder()
}

func (a *app) trustList(state string) error {
	all, unreadable := trust.In(state).List()
	for _, err := range unreadable {
		a.warn([]string{err.Error()})
	}
	doc := trustList{Version: 1, Projects: append([]*trust.Agreement{}, all...)}
	return a.print(doc, len(all), func(i int) any { return all[i] }, func(w io.Writer) { printTrustList(w, doc) })
}

// trustForget withdraws what was agreed to where the person is, also of a project
// that is no longer there.
func (a *app) trustForget(cfg *config.Config) error {
	dir := cfg.Dir
	if named, err := filepath.Abs(dirOf(a)); err == nil && a.path == "" && disk.Existing(named) != named {
		dir = disk.Lead(named)
	}
	was, err := trust.In(cfg.State).Forget(dir)
	switch {
	case err != nil:
		return err
	case !was:
		return fmt.Errorf("nothing was agreed to of %s (hookwatch trust --list shows what is)", dir)
	}
	writef(a.Out, "withdrawn, for %s\n", dir)
	return nil
}
