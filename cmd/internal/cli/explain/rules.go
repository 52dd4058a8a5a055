package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform/rules"
	"hookwatch/suites/spelling"
)

// Rules are all that explain knows by ID. A command that has rules of its own
// adds them here.
func Rules() []suites.Rule {
	return slices.Concat(client.Rules(), rules.All())
}

// RulesDocument is what explain RULE and explain --list print as JSON.
type RulesDocument struct {
	Version int        `json:"version"`
	Rules   []RuleLine `json:"rules"`
}

// RuleLine is one rule.
type RuleLine struct {
	ID       string          `json:"id"`
	Severity suites.Severity `json:"severity"`
	What     string          `json:"what"`
	Client   string          `json:"client"` // what the client does
	Remedy   string          `json:"remedy,omitempty"`
	Observed []string        `json:"observed"` // versions of the client; none: documented
}

// NewRules makes the document of rules.
func NewRules(all []suites.Rule) RulesDocument {
	doc := RulesDocument{Version: 1, Rules: []RuleLine{}}
	for _, r := range all {
		doc.Rules = append(doc.Rules, RuleLine{r.ID, r.Severity, r.What, r.Client, r.Remedy, append([]string{}, r.Observed...)})
	}
	return doc
}

// RuleNamed finds a rule by its ID.
func RuleNamed(id string) (suites.Rule, error) {
	all := Rules()
	at := slices.IndexFunc(all, func(r suites.Rule) bool { return r.ID == id })
	if at >= 0 {
		return all[at], nil
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.ID)
	}
	hint := "hookwatch explain --list names all"
	if _, isEvent := client.EventByName(id); isEvent {
		hint = "an output is explained by hookwatch explain --event " + id + " --exit 2"
	} else if near := spelling.Nearest(strings.ToLower(id), ids); near != "" {
		hint = "did you mean " + near + "?"
	}
	return suites.Rule{}, fmt.Errorf("no rule %q (%s)", id, hint)
}

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
