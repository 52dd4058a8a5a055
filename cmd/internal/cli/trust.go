package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/revision"
	"hookwatch/config"
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
changed later is asked for again.

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

// loadAsked loads the configuration without variables and flags: a value they set today may be
// requested by the file tomorrow.
func (a *app) loadAsked() (*config.Config, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	return config.Load(config.LoadOptions{Dir: dir, Path: a.path, Env: func(string) (string, bool) { return "", false }, FirstCommit: revision.FirstCommit})
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
		return errors.New("not agreed: there is no terminal to ask on (--yes agrees to everything)")
	default:
		agreed, err := confirm(a.Err, a.In, "Agree to exactly this, for "+cfg.Dir+"?")
		if err != nil || !agreed {
			return errors.Join(err, errors.New("nothing is agreed to"))
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

// stateOf returns the user's state folder, even if the configuration cannot be read.
func stateOf(cfg *config.Config) string {
	if cfg != nil {
		return cfg.State
	}
	return config.StateFolder()
}

func (a *app) trustList(state string) error {
	all, unreadable := config.AgreementsIn(state).List()
	for _, err := range unreadable {
		a.warn([]string{err.Error()})
	}
	doc := trustList{Version: 1, Projects: append([]*config.Agreement{}, all...)}
	return a.print(doc, len(all), func(i int) any { return all[i] }, func(w io.Writer) { printTrustList(w, doc) })
}

// trustForget withdraws the consent for the project in the working directory, even if it no
// longer exists.
func (a *app) trustForget(cfg *config.Config) error {
	dir := cfg.Dir
	if named, err := filepath.Abs(dirOf(a)); err == nil && a.path == "" && disk.Existing(named) != named {
		dir = disk.Lead(named)
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
	Version int        `json:"version"`
	Project string     `json:"project"` // the directory to which the configuration belongs
	File    string     `json:"file"`    // "" if there is none
	Asks    []trustAsk `json:"asks"`
}

// trustAsk is a value of a project's file that is used only after consent.
type trustAsk struct {
	config.Ask
	At string `json:"at"` // file:line:column; "" for a default that a link redirects
}

// trustList is the JSON document of trust --list.
type trustList struct {
	Version  int                 `json:"version"`
	Projects []*config.Agreement `json:"projects"`
}

// newTrustDocument converts a configuration.
func newTrustDocument(cfg *config.Config) trustDocument {
	doc := trustDocument{Version: 1, Project: cfg.Dir, File: cfg.Path, Asks: make([]trustAsk, len(cfg.Asks))}
	for i, ask := range cfg.Asks {
		doc.Asks[i] = trustAsk{Ask: ask}
		if ask.File != "" {
			doc.Asks[i].At = fmt.Sprintf("%s:%d:%d", ask.File, ask.Line, ask.Column)
		}
	}
	return doc
}

// printTrust prints the document as text.
func printTrust(w io.Writer, doc trustDocument) {
	if len(doc.Asks) == 0 {
		writef(w, "%s asks for nothing that has to be agreed to\n", doc.name())
		return
	}
	writef(w, "%s asks for\n\n", doc.name())
	for _, ask := range doc.Asks {
		state := "until you agree: " + ask.Instead
		if ask.Agreed {
			state = "agreed to"
		}
		at := ask.At
		if at == "" {
			at = "the default"
		}
		writef(w, "  %s: %s\n      %s\n      %s (%s)\n", ask.Key, whole(ask.Value), ask.Why, state, at)
	}
	writef(w, "\n")
}

func (doc trustDocument) name() string {
	if doc.File != "" {
		return doc.File
	}
	return doc.Project
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

// confirm asks on the terminal. Every answer except yes means no.
func confirm(out io.Writer, in io.Reader, question string) (bool, error) {
	writef(out, "%s [y/N] ", question)
	line, err := bufio.NewReader(io.LimitReader(in, 1000)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}
