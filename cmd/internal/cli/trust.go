package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/revision"
	"hookwatch/config"
	"hookwatch/suites/disk"
)

type trustOptions struct{ yes, list, forget bool }

func newTrustCmd(a *app, g *globals) *cobra.Command {
	var o trustOptions
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show what the project's configuration asks for, and consent to it",
		Long: `Show which values of .hookwatch.yaml weaken protection or reach out of the project:
weaker isolation, variables and masked files for hooks, larger limits, programs,
paths elsewhere. They count from a flag or a variable at once, from the file only
after you have agreed to exactly these; until then a safe default holds. What is
changed later is asked for again.

On a terminal you are asked; --yes agrees without. What you agree to is kept in your
state folder, by project. --list shows it, --forget withdraws it (-C DIR: of another
project).`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return runTrust(a, *g, o) },
	}
	cmd.Flags().BoolVar(&o.yes, "yes", false, "agree without being asked")
	cmd.Flags().BoolVar(&o.list, "list", false, "show what you have agreed to, of every project")
	cmd.Flags().BoolVar(&o.forget, "forget", false, "withdraw what you have agreed to of this project")
	cmd.MarkFlagsMutuallyExclusive("yes", "list", "forget")
	return cmd
}

func runTrust(a *app, g globals, o trustOptions) error {
	// A value that variables and flags set today may be requested by the file tomorrow.
	cfg, err := config.Load(config.LoadOptions{Dir: g.workDir, Path: g.Path, Env: func(string) (string, bool) { return "", false }, FirstCommit: revision.FirstCommit})
	switch {
	case o.list && cfg != nil:
		return listTrust(a, cfg.State)
	case o.list: // even if the configuration cannot be read
		return listTrust(a, config.StateFolder())
	case err != nil:
		return err
	case o.forget:
		return forgetTrust(a, g, cfg)
	}
	doc := trustDocument{1, cfg.Dir, cfg.Path, list(cfg.Asks)}
	if err := a.print(doc, jsonLines(doc.Asks, ranIn{}), func(w io.Writer) { printTrust(w, doc) }); err != nil {
		return err
	}
	switch {
	case len(cfg.Pending()) == 0:
		return nil
	case cfg.Distrust != "":
		return errors.New(cfg.Distrust)
	case !o.yes:
		if err := a.agree("Agree to exactly this, for "+cfg.Dir+"?", "nothing is agreed to"); err != nil {
			return err
		}
	}
	if err := config.AgreementsIn(cfg.State).Agree(cfg.Dir, cfg.Identity(revision.FirstCommit), cfg.Values(), time.Now()); err != nil {
		return err
	}
	if a.format.layout == asText {
		writef(a.Out, "agreed, for %s (hookwatch trust --forget withdraws it)\n", cfg.Dir)
	}
	return nil
}

func listTrust(a *app, state string) error {
	all, unreadable := config.AgreementsIn(state).List()
	for _, err := range unreadable {
		a.warn([]string{err.Error()})
	}
	doc := trustList{Version: 1, Projects: append([]*config.Agreement{}, all...)}
	return a.print(doc, jsonLines(all, ranIn{}), func(w io.Writer) { printTrustList(w, doc) })
}

// forgetTrust withdraws the consent for the project in the working directory, even if it no
// longer exists.
func forgetTrust(a *app, g globals, cfg *config.Config) error {
	dir := cfg.Dir
	if g.Path == "" && disk.Existing(g.workDir) != g.workDir {
		dir = disk.Lead(g.workDir)
	}
	was, err := config.AgreementsIn(cfg.State).Forget(dir)
	switch {
	case err != nil:
		return err
	case !was:
		return fmt.Errorf("nothing was agreed to of %s (hookwatch trust --list shows what is)", dir)
	}
	writef(a.Out, "withdrawn, for %s\n", dir)
	return nil
}

// trustDocument is the JSON document of trust.
type trustDocument struct {
	Version int          `json:"version"`
	Project string       `json:"project"` // the directory to which the configuration belongs
	File    string       `json:"file"`    // "" if there is none
	Asks    []config.Ask `json:"asks"`
}

// trustList is the JSON document of trust --list.
type trustList struct {
	Version  int                 `json:"version"`
	Projects []*config.Agreement `json:"projects"`
}

// printTrust prints the document as text.
func printTrust(w io.Writer, doc trustDocument) {
	if len(doc.Asks) == 0 {
		writef(w, "%s asks for nothing that has to be agreed to\n", cmp.Or(doc.File, doc.Project))
		return
	}
	writef(w, "%s asks for\n\n", cmp.Or(doc.File, doc.Project))
	for _, ask := range doc.Asks {
		state := "until you agree: " + ask.Instead
		if ask.Agreed {
			state = "agreed to"
		}
		writef(w, "  %s: %s\n      %s\n      %s (%s)\n", ask.Key, whole(ask.Value), ask.Why, state, cmp.Or(ask.At, "the default"))
	}
	writef(w, "\n")
}

// printTrustList prints the consented values of every project.
func printTrustList(w io.Writer, doc trustList) {
	if len(doc.Projects) == 0 {
		writef(w, "nothing is agreed to\n")
	}
	for _, agreement := range doc.Projects {
		writef(w, "%s  %s\n", agreement.Project, agreement.At.Local().Format(time.DateTime))
		for _, v := range agreement.Values {
			line := "  " + v.Key + ": " + v.Value
			if v.To != "" {
				line += "  (" + v.To + ")"
			}
			writef(w, "%s\n", whole(line))
		}
	}
}

// agree asks the user on the terminal, and returns an error that begins with refused unless the answer is yes.
func (a *app) agree(question, refused string) error {
	if !a.interactive() {
		return errors.New(refused + ": there is no terminal to ask on (--yes agrees without being asked)")
	}
	writef(a.Err, "%s [y/N] ", question)
	line, err := bufio.NewReader(io.LimitReader(a.In, 1000)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New(refused)
	}
	return nil
}
