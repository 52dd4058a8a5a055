package client

import (
	"cmp"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Fill replaces the parts of a rule's text that depend on the event: {proceeds}, which is what
// happens although the hook failed, {exit 2}, which is that beside what exit code 2 does, {or no},
// which is what exit code 2 of an interpreter without its script does, and the remedies {block} and
// {onFailure}, which has failures block. The zero Event stands for any.
func (e Event) Fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	proceeds, codes, orNo := e.proceeds(), e.proceeds(), ""
	if no := e.No(); no != "" {
		codes = "exit code 2: " + no + "; other codes: " + proceeds
		if !e.PardonsNoScript {
			orNo = "; where an interpreter is given the file, it exits with 2 and " + no
		}
	}
	onFailure := ""
	if e.failuresCanBlock() {
		onFailure = ` Or set onFailure "block" in the entry: failures block then.`
	}
	return strings.NewReplacer("{proceeds}", proceeds, "{exit 2}", codes, "{or no}", orNo,
		"{block}", e.block(), "{onFailure}", onFailure).Replace(text)
}

// block is how a hook keeps something from happening by more than its failure.
func (e Event) block() string {
	switch {
	case e.Name == "" || blocks(e.Exit2):
		return "Exit 2 to block."
	case e.Exit2 == suites.ShownToModel:
		return "Exit 2 to show stderr to the model."
	case e.failuresCanBlock():
		return "Print a JSON decision."
	default:
		return "Exit 0: no exit code of a hook blocks " + e.Name + "."
	}
}

// failuresCanBlock reports whether onFailure "block" has an effect.
func (e Event) failuresCanBlock() bool {
	return e.Name == "" || !e.IgnoresOnFailure && blocks(cmp.Or(e.Failure, e.Exit2))
}

// blocks reports whether an effect keeps something from happening.
func blocks(effect suites.Effect) bool {
	return !slices.Contains([]suites.Effect{suites.Ignored, suites.ShownToModel, ""}, effect)
}

func (e Event) proceeds() string {
	switch {
	case e.Name == "":
		return "the client goes on"
	case e.Proceeds == "":
		return "the session goes on"
	default:
		return e.Proceeds
	}
}

// No is what exit code 2 of a hook does every time; "" where it does nothing.
func (e Event) No() string {
	switch e.Exit2 {
	case suites.Denied:
		if e.Tool {
			return "every call is denied"
		}
		return e.Name + " is denied every time"
	case suites.PromptBlocked:
		return "every prompt is blocked"
	case suites.AnotherTurn:
		return "every stop is held up"
	case suites.ShownToModel:
		return "the model is shown the error every time"
	case suites.SessionEnds:
		return "the session ends"
	default:
		return ""
	}
}

// RuleAt returns the rule with an ID as it reads for an event; ok is false for no rule of the client.
func RuleAt(id string, e Event) (r suites.Rule, ok bool) {
	row, ok := rowOf(Kind(id))
	if !ok {
		return suites.Rule{}, false
	}
	r = row.rule()
	r.Client, r.Remedy = e.Fill(row.client), e.Fill(row.remedy)
	return r, true
}

// Remedy returns what to do about the cause at its event.
func (c Cause) Remedy() string {
	row, _ := rowOf(c.Kind)
	event, known := EventByName(c.Event)
	if !known {
		return row.rule().Remedy
	}
	return event.Fill(row.remedy)
}
