package report

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
	"hookwatch/suites/verdict"
)

// items writes a numbered list, or none if it is empty.
func (d *document) items(items []string, none string) {
	if len(items) == 0 {
		d.line("%s", none)
	}
	for i, item := range items {
		d.line("%d. %s", i+1, item)
	}
}

func resultItems(in ResultsInput, all []suites.Record) []string {
	var items []string
	if in.Aborted != "" {
		items = append(items, fmt.Sprintf("**Mend what stopped the run**: %s", plain(in.Aborted)))
	}
	for _, a := range in.Agents {
		for _, line := range verdict.CheckCounts(a.Records, func(*suites.Record) string { return a.Name }, a.expected()) {
			items = append(items, fmt.Sprintf("**Find the missing records**: %s", plain(line)))
		}
	}
	for _, g := range verdict.CauseGroups(verdict.Failures(all)) {
		r := g.Cases[0].Record
		if g.Kind == verdict.CauseEqual || len(g.Cases) == 1 {
			items = append(items, fmt.Sprintf("**Fix** %s%s: %s (run it alone: %s)", title(r), andMore(len(g.Cases)-1), plain(brief(r.Note, 200)), rerun(r)))
		} else {
			items = append(items, fmt.Sprintf("**Fix** %s: %s (run one alone: %s)", headline(&g), ids(g.Keys()), rerun(r)))
		}
	}
	for _, r := range withStatus(all, suites.Unproven) {
		items = append(items, fmt.Sprintf("**Mend the control** of %s: %s", title(r), plain(brief(suites.Unproven.Detail(r.Note), 200))))
	}
	return append(items, skipItems(all)...)
}

// skipItems returns one item for each cause of skips, with its cases.
func skipItems(all []suites.Record) []string {
	var causes []string
	cases, tooOld := map[string][]string{}, map[string]bool{}
	for _, r := range withStatus(all, suites.Skip) {
		if cases[r.Note] == nil {
			causes = append(causes, r.Note)
			tooOld[r.Note] = r.Reason == suites.ToolTooOld
		}
		cases[r.Note] = append(cases[r.Note], code(caseName(r)))
	}
	slices.Sort(causes)
	var items []string
	for _, cause := range causes {
		what := "Install what is absent"
		if tooOld[cause] {
			what = "Update what is too old"
		}
		items = append(items, fmt.Sprintf("**%s** to have %s run (%s): %s", what, plural(len(cases[cause]), "more case"), plain(cause), strings.Join(cases[cause], ", ")))
	}
	return items
}

// plainID matches the IDs that a suite file may use.
var plainID = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func rerun(r *suites.Record) string {
	switch {
	case r.ID == "":
		return "it has no ID"
	case !plainID().MatchString(r.ID): // a record of another tool; a shell would split or expand it
		return "its ID is none of a suite's"
	}
	return code("hookwatch run " + r.ID)
}

// comparisonItems returns the regressions to investigate, the improvements to confirm and
// the drift to document.
func comparisonItems(c verdict.Comparison) []string {
	var items []string
	for _, kind := range []struct {
		kind verdict.Kind
		say  string
	}{
		{verdict.Regression, "**Investigate the regression**"},
		{verdict.Resolved, "**Confirm that it is resolved**"},
		{verdict.Explained, "**Confirm the explanation**"},
		{verdict.Changed, "**Look at the change**"},
		{verdict.Edited, "**Confirm the edited case**"},
		{verdict.Removed, "**Confirm that it was meant to go**"},
	} {
		for _, same := range alike(c.Deltas, kind.kind) {
			d := same[0]
			item := fmt.Sprintf("%s: %s %s, %s", kind.say, code(d.Key.String()), name(d.Name), plain(why(d)))
			if len(same) > 1 {
				item = fmt.Sprintf("%s: %s", kind.say, together(same))
			}
			items = append(items, item)
		}
	}
	for _, t := range c.Environment {
		items = append(items, fmt.Sprintf("**Document the drift**: %s", plain(t.String())))
	}
	return items
}
