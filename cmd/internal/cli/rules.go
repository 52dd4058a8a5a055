package cli

import (
	"io"

	"hookwatch/cmd/internal/cli/explain"
	"hookwatch/suites"
)

// printRules prints rules: a row each, or one in full.
func (a *app) printRules(shown []suites.Rule, human func(io.Writer)) error {
	doc := explain.NewRules(shown)
	return a.print(doc, len(doc.Rules), func(i int) any { return doc.Rules[i] }, human)
}

func (a *app) listRules() error {
	all := explain.Rules()
	return a.printRules(all, func(w io.Writer) { explain.ListText(w, all) })
}

func (a *app) explainRule(id string) error {
	rule, err := explain.RuleNamed(id)
	if err != nil {
		return err
	}
	return a.printRules([]suites.Rule{rule}, func(w io.Writer) { explain.RuleText(w, rule) })
}
