package cli

import (
	"io"

	"hookwatch/suites"
)

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
