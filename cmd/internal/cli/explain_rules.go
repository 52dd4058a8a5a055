package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/spelling"
)

// explainedRules are all that explain knows by ID. A command that has rules of its own
// adds them here.
func explainedRules() []suites.Rule {
	return slices.Concat(client.Rules(), conform.Rules())
}

// rulesDocument is what explain RULE and explain --list print as JSON.
type rulesDocument struct {
	Version int        `json:"version"`
	Rules   []ruleLine `json:"rules"`
}

// ruleLine is one rule.
type ruleLine struct {
	ID       string          `json:"id"`
	Severity suites.Severity `json:"severity"`
	What     string          `json:"what"`
	Client   string          `json:"client"` // what the client does
	Remedy   string          `json:"remedy,omitempty"`
	Observed []string        `json:"observed"` // versions of the client; none: documented
}

// newRules makes the document of rules.
func newRules(all []suites.Rule) rulesDocument {
	doc := rulesDocument{Version: 1, Rules: []ruleLine{}}
	for _, r := range all {
		doc.Rules = append(doc.Rules, ruleLine{r.ID, r.Severity, r.What, r.Client, r.Remedy, append([]string{}, r.Observed...)})
	}
	return doc
}

// ruleNamed finds a rule by its ID.
func ruleNamed(id string) (suites.Rule, error) {
	all := explainedRules()
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

// printRules lists rules for people, a row each.
func printRules(w io.Writer, all []suites.Rule) {
	for _, r := range all {
		rowf(w, "%s  %s  %s\n", output(fmt.Sprintf("%-28s", r.ID)), output(fmt.Sprintf("%-7s", r.Severity)), r.What)
	}
}

// ruleText says one in full.
func ruleText(w io.Writer, rule suites.Rule) {
	writef(w, "%s  (%s; %s)\n", rule.ID, rule.Severity, observedOn(rule))
	writef(w, "%s.\n", strings.ToUpper(rule.What[:1])+rule.What[1:])
	writef(w, "The client: %s\n", rule.Client)
	if rule.Remedy != "" {
		writef(w, "Remedy: %s\n", rule.Remedy)
	}
}

// observedOn says on which versions of the client a rule was seen to hold.
func observedOn(r suites.Rule) string {
	if len(r.Observed) == 0 {
		return "documented, not observed"
	}
	return "observed on client " + strings.Join(r.Observed, ", ")
}

// printRules prints rules: a row each, or one in full.
func (a *app) printRules(shown []suites.Rule, human func(io.Writer)) error {
	doc := newRules(shown)
	return a.print(doc, len(doc.Rules), func(i int) any { return doc.Rules[i] }, human)
}

func (a *app) listRules() error {
	all := explainedRules()
	return a.printRules(all, func(w io.Writer) { printRules(w, all) })
}

func (a *app) explainRule(id string) error {
	rule, err := ruleNamed(id)
	if err != nil {
		return err
	}
	return a.printRules([]suites.Rule{rule}, func(w io.Writer) { ruleText(w, rule) })
}
