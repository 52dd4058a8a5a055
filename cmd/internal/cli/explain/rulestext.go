package explain

import (
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// ListText lists rules for people, a row each.
func ListText(w io.Writer, all []suites.Rule) {
	for _, r := range all {
		page.Rowf(w, "%s  %s  %s\n", page.Output(fmt.Sprintf("%-28s", r.ID)), page.Output(fmt.Sprintf("%-7s", r.Severity)), r.What)
	}
}

// RuleText says one in full.
func RuleText(w io.Writer, rule suites.Rule) {
	page.Writef(w, "%s  (%s; %s)\n", rule.ID, rule.Severity, observedOn(rule))
	page.Writef(w, "%s.\n", strings.ToUpper(rule.What[:1])+rule.What[1:])
	page.Writef(w, "The client: %s\n", rule.Client)
	if rule.Remedy != "" {
		page.Writef(w, "Remedy: %s\n", rule.Remedy)
	}
}

// observedOn says on which versions of the client a rule was seen to hold.
func observedOn(r suites.Rule) string {
	if len(r.Observed) == 0 {
		return "documented, not observed"
	}
	return "observed on client " + strings.Join(r.Observed, ", ")
}
