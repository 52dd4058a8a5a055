package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run ID...",
		Short: "Run single cases, with their controls",
		Long: `Run the named cases, and the controls they need, and update the present state.
An ID is that of a case (P01), of a case in a suite (pm/P01), or a range (P01-P09, M9-M12).`,
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
func pick(p *project.Project, ids []string) ([]*suites.Case, error) {
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

// named finds the cases of an ID, of a name, or else of a range of IDs.
func named(p *project.Project, id string) []*suites.Case {
	suite, rest, qualified := strings.Cut(id, "/")
	if !qualified {
		suite, rest = "", id
	}
	all := func(is func(c *suites.Case) bool) (out []*suites.Case) {
		for _, c := range p.Cases {
			if (suite == "" || c.Suite == suite) && is(c) {
				out = append(out, c)
			}
		}
		return out
	}
	exact := all(func(c *suites.Case) bool { return strings.EqualFold(c.ID, rest) || c.Name == rest })
	if span, isRange := rangeOf(rest); isRange && len(exact) == 0 {
		return all(func(c *suites.Case) bool { return span.holds(c.ID) })
	}
	return exact
}

// An idSpan is a range of IDs: those of one prefix, by their number, however
// many digits it is written with.
type idSpan struct {
	prefix      string
	first, last int
}

var (
	spanForm   = regexp.MustCompile(`^(.*?)(\d+)(?:-|–)(.*?)(\d+)$`)
	numberedID = regexp.MustCompile(`^(.*?)(\d+)$`)
)

// rangeOf reads "M9-M12" or "M9-12".
func rangeOf(text string) (idSpan, bool) {
	m := spanForm.FindStringSubmatch(text)
	if m == nil || m[3] != "" && !strings.EqualFold(m[1], m[3]) {
		return idSpan{}, false
	}
	first, err := strconv.Atoi(m[2])
	last, errLast := strconv.Atoi(m[4])
	return idSpan{m[1], first, last}, err == nil && errLast == nil
}

func (s idSpan) holds(id string) bool {
	m := numberedID.FindStringSubmatch(id)
	if m == nil || !strings.EqualFold(m[1], s.prefix) {
		return false
	}
	n, err := strconv.Atoi(m[2])
	return err == nil && s.first <= n && n <= s.last
}
