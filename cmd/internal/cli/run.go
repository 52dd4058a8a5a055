package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run ID...",
		Short: "Run single cases, with their controls",
		Long: `Run the named cases, and the controls they need, and update the present state.
An ID is that of a case (P01), of a case in a suite (pm/P01), or a range (P01-P09).`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if len(ids) == 0 {
				return fmt.Errorf("run needs an ID, such as hookwatch run P01; hookwatch list shows them")
			}
			p, err := a.load()
			if err != nil {
				return err
			}
			cases, err := pick(p, ids)
			if err != nil {
				return err
			}
			return a.runOnce(cmd.Context(), p, func(*opened) ([]plan.Selected, bool, error) {
				return plan.WithControls(plan.All(cases, "asked for"), p.Every()), false, nil
			}, true)
		},
	}
}

// pick finds the cases that IDs name. Every ID that names none is told.
func pick(p *session.Project, ids []string) ([]*suites.Case, error) {
	var picked []*suites.Case
	var unknown []string
	for _, id := range ids {
		found := named(p, id)
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no case %s (hookwatch list shows all)", strings.Join(unknown, ", "))
	}
	return picked, nil
}

func named(p *session.Project, id string) []*suites.Case {
	suite, rest, qualified := strings.Cut(id, "/")
	if !qualified {
		suite, rest = "", id
	}
	first, last, isRange := strings.Cut(rest, "-")
	var out []*suites.Case
	for _, c := range p.Cases {
		if suite != "" && c.Suite != suite {
			continue
		}
		within := isRange && len(c.ID) == len(first) && c.ID >= first && c.ID <= last
		if strings.EqualFold(c.ID, rest) || c.Name == rest || within {
			out = append(out, c)
		}
	}
	return out
}
