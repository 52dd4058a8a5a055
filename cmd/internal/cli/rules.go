package cli

import (
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/cli/explain"
	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// printRules prints rules: a row each, or one in full.
func (a *app) printRules(shown []suites.Rule, human func(io.Writer)) error {
	doc := explain.RulesDocument{Version: 1, Rules: []explain.RuleLine{}}
	for _, r := range shown {
		doc.Rules = append(doc.Rules, explain.NewRule(r))
	}
	return a.print(doc, len(doc.Rules), func(i int) any { return doc.Rules[i] }, human)
}

func (a *app) listRules() error {
	all := explain.Rules()
	return a.printRules(all, func(w io.Writer) {
		for _, r := range all {
			page.Rowf(w, "%s  %s  %s\n", page.Output(fmt.Sprintf("%-28s", r.ID)), page.Output(fmt.Sprintf("%-7s", r.Severity)), r.What)
		}
	})
}

func (a *app) explainRule(id string) error {
	rule, err := explain.RuleNamed(id)
	if err != nil {
		return err
	}
	return a.printRules([]suites.Rule{rule}, func(w io.Writer) {
		page.Writef(w, "%s  (%s; %s)\n", rule.ID, rule.Severity, explain.ObservedOn(rule))
		page.Writef(w, "%s.\n", strings.ToUpper(rule.What[:1])+rule.What[1:])
		page.Writef(w, "The client: %s\n", rule.Client)
		if rule.Remedy != "" {
			page.Writef(w, "Remedy: %s\n", rule.Remedy)
		}
	})
}
