package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/record"
)

func (a *app) showCommand() *cobra.Command {
	payload, step := false, 1
	cmd := &cobra.Command{
		Use:   "show ID|SUITE",
		Short: "Show a case or a suite with all its defaults filled in",
		Long: `Show a case, some of a suite (P01-P09) or a whole suite as a file that can be used as a
suite, with nothing left to a default; and of a case where it stands, what it
sends and its last verdict and outcome. Built-in suites are shown whether or not they
are switched on.

With --payload only what the hook gets on stdin, byte for byte. {tmp} stands for a
directory that exists only while the case runs.`,
		Example: `  hookwatch show P01
  hookwatch show pm-more > .claude/tests/hooks/suites/mine.yaml
  hookwatch show --payload P01 | bash .claude/hooks/enforce_package_managers.sh
  hookwatch show --payload P01 | hookwatch fire PreToolUse Bash --payload -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("show needs one ID or suite, such as hookwatch show P01; hookwatch list shows them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("step") && !payload {
				return errors.New("--step goes with --payload")
			}
			p, err := a.loadHooks()
			if err != nil {
				return err
			}
			s, err := find(p.Suites, args[0])
			switch {
			case err != nil:
				return err
			case payload:
				return a.showPayload(p, s, step)
			default:
				return a.show(p, s)
			}
		},
	}
	cmd.Flags().BoolVar(&payload, "payload", false, "only what the hook gets on stdin")
	cmd.Flags().IntVar(&step, "step", 1, "with --payload: of this step, `N` from 1")
	return cmd
}

func (a *app) show(p *project.Project, s suites.Suite) error {
	records, err := a.lastRecords(p)
	if err != nil {
		return err
	}
	last := func(k suites.Key) *suites.Record {
		at := slices.IndexFunc(records, func(r suites.Record) bool { return r.Key() == k })
		if at < 0 {
			return nil
		}
		return &records[at]
	}
	doc, err := newShowDocument(s, func(c *suites.Case, step int) ([]byte, error) { return sent(p, c, step) }, last)
	if err != nil {
		return err
	}
	return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) { printShow(w, doc) })
}

// lastRecords are those of the present state; none where nothing ran yet.
func (a *app) lastRecords(p *project.Project) ([]suites.Record, error) {
	r, err := record.OpenReader(a.records(p.Config))
	if err != nil {
		return nil, nil //nolint:nilerr // a project without records has no verdicts
	}
	defer r.Close()
	now, err := r.Present()
	if err != nil {
		return nil, err
	}
	a.warn(now.Warnings)
	return now.Records, nil
}

func (a *app) showPayload(p *project.Project, s suites.Suite, step int) error {
	payload, note, err := shownPayload(p, s, step)
	if err != nil {
		return err
	}
	if note != "" {
		a.warn([]string{note})
	}
	_, err = a.raw.Out.Write(payload)
	return err
}
