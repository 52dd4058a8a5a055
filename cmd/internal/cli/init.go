package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/suites/reference"
)

// firstSuite is where init writes a person's first suite.
const firstSuite = ".claude/tests/hooks/suites/first.yaml"

func (a *app) initCommand() *cobra.Command {
	var starter string
	cmd := &cobra.Command{
		Use:   "init [--starter [NAME]]",
		Short: "Write a commented configuration and a first suite",
		Long: `Write a commented .hookwatch.yaml, and a first suite with one case for every hook
that is found. With --starter: a small project to begin with, its hooks, settings,
documents and configuration; linters unless another is named:

` + reference.Listing() + `
Files that exist are never overwritten.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if starter == reference.Linters.Name && len(args) == 1 {
				return nil // the name that follows --starter
			}
			return noArgs(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := a.workDir()
			if err != nil {
				return err
			}
			if starter == "" {
				return a.initProject(dir)
			}
			return a.initStarter(dir, append(args, starter)[0])
		},
	}
	cmd.Flags().StringVar(&starter, "starter", "", "write a starter `project` instead: "+strings.Join(reference.Names(), ", "))
	cmd.Flags().Lookup("starter").NoOptDefVal = reference.Linters.Name
	return cmd
}

func (a *app) initStarter(dir, name string) error {
	starter, ok := reference.Find(name)
	if !ok {
		return fmt.Errorf("no starter project %q: there are %s", name, strings.Join(reference.Names(), ", "))
	}
	written, err := starter.Extract(dir)
	if err != nil {
		return err
	}
	a.wrote(written)
	writef(a.Out, "\nNext: hookwatch --once\n")
	return nil
}

func (a *app) wrote(files []string) {
	for _, f := range files {
		writef(a.Out, "wrote %s\n", f)
	}
}

// initProject writes what is absent; it fails only when nothing is.
func (a *app) initProject(dir string) error {
	hooks, notRun, root, err := a.hooksFor(dir)
	if err != nil {
		return err
	}
	if len(hooks) == 0 {
		return fmt.Errorf("no hooks in %s: looked for settings with hooks, plugins and scripts in .claude/hooks (hookwatch init --starter writes a project to begin with)", root)
	}
	written, kept, err := write(root, firstSuite, hooks)
	if err != nil {
		return err
	}
	for _, f := range kept {
		writef(a.Out, "kept %s (it exists)\n", f)
	}
	a.wrote(written)
	for _, why := range notRun {
		writef(a.Out, "no case for %s\n", why)
	}
	if len(written) == 0 {
		return errors.New("nothing to write: configuration and first suite exist")
	}
	writef(a.Out, "\nNext: say in %s what each hook must do, then hookwatch --once\n", firstSuite)
	return nil
}
