package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
)

func (a *app) verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [SPEC...]",
		Short: "Resolve the markers of spec documents and cases",
		Long: `Resolve every [verify: source §section] marker of the spec documents and of the
cases to a file and a line, or say why it leads nowhere. With SPEC only those of
these documents, suite files or built-in suites (builtin:pm); without it also the
keys of the hooks' config.json that no script reads or that no case covers.
The exit code is 1 while a marker is unresolved, whatever verify: is set to.`,
		RunE: func(_ *cobra.Command, specs []string) error {
			p, err := a.loadMarked()
			if err != nil {
				return err
			}
			a.warn(p.Unread)
			sources := p.Sources()
			if len(specs) > 0 {
				if sources, err = p.Only(sources, dirOf(a), specs); err != nil {
					return err
				}
			}
			return a.verify(p, sources, keys(p, specs))
		},
	}
}

// loadMarked reads a project without judging its markers, whether or not it has
// cases.
func (a *app) loadMarked() (*project.Project, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	a.ask(cfg)
	cfg.Verify = config.VerifyOff
	p, problems := a.loadProject(cfg)
	if len(problems) > 0 {
		return nil, ProblemsError(problems)
	}
	if len(a.suites) > 0 || a.filter != "" {
		return p, p.Empty // what was asked for is not there
	}
	return p, nil
}

func (a *app) verify(p *project.Project, from project.Sources, keys []verifiedKey) error {
	found, err := p.Verify(from)
	if err != nil {
		return err
	}
	doc := newVerifyDocument(found, keys)
	doc.Evidence(a.seen(p))
	err = a.print(doc, len(doc.Markers), func(i int) any { return doc.Markers[i] }, func(w io.Writer) {
		printVerified(w, found)
		keysText(w, keys)
	})
	if a.format == "jsonl" { // its lines are markers
		keysText(a.Err, keys)
	}
	if err != nil {
		return err
	}
	a.warn(doc.Odd())
	return a.verdict(p, from, found)
}

// verdict says what the markers amount to, on stderr where the output is for
// programs, and what is odd about them.
func (a *app) verdict(p *project.Project, from project.Sources, found []project.Verified) error {
	w := a.Out
	if a.format != "human" {
		w = a.Err
	}
	unresolved := sum(w, p, from, found, a.format != "human")
	a.warn(strangers(found))
	if unresolved > 0 {
		return fmt.Errorf("%d unresolved: %w", unresolved, ErrFailed)
	}
	return nil
}
