package client

import (
	"strconv"
	"strings"

	"hookwatch/suites"
)

// causeTables hold every kind of cause, in the order in which they are listed.
var causeTables = [][]causeRow{endings, texts, refusedOutputs, noes, heeded, changes}

// did tells what a no does, by effect.
var did = map[suites.Effect]string{
	suites.Denied:        " denies {event}",
	suites.ShownToModel:  " comes too late to keep anything from happening: the model is told",
	suites.AnotherTurn:   " keeps the model from stopping",
	suites.PromptBlocked: " blocks the prompt: the model is not asked",
	suites.SessionEnds:   " ends the loop",
}

// Sentence says the cause in one sentence. It is the only place that makes one.
func (c Cause) Sentence() string {
	row, _ := rowOf(c.Kind)
	drops := "the client drops the whole output"
	if c.Effect == suites.ShownToModel {
		drops = "the client uses no key of the output and shows the model its text"
	}
	text := strings.NewReplacer("{does}", did[c.Effect], "{drops}", drops).Replace(row.sentence)
	return strings.NewReplacer(
		"{event}", c.Event, "{key}", c.Key, "{value}", c.Value, "{want}", c.Want, "{exit}", strconv.Itoa(c.Exit),
		"{signal}", c.Signal, "{version}", string(c.Version.Profile()), "{count}", strconv.Itoa(c.Count),
	).Replace(text)
}

// Rule is the rule that explains the cause.
func (c Cause) Rule() suites.Rule {
	row, _ := rowOf(c.Kind)
	return row.rule()
}

func rowOf(kind Kind) (causeRow, bool) {
	for _, table := range causeTables {
		for _, row := range table {
			if row.kind == kind {
				return row, true
			}
		}
	}
	return causeRow{}, false
}

// generic stands for the parameters of a sentence where there is no output.
var generic = strings.NewReplacer(
	"{does}", " is a no to EVENT", "{drops}", "the client drops the whole output", "{event}", "EVENT", "{key}", "KEY", "{value}", "VALUE", "{want}", "WANT",
	"{exit}", "N", "{signal}", "SIGNAL", "{version}", "VERSION", "{count}", "N",
)

func (r causeRow) rule() suites.Rule {
	usual, _ := EventByName("PreToolUse")
	rule := suites.Rule{
		ID: string(r.kind), Severity: r.severity, What: generic.Replace(r.sentence), Client: usual.Fill(r.client), Remedy: usual.Fill(r.remedy),
	}
	for _, version := range r.on {
		rule.Observed = append(rule.Observed, string(version))
	}
	return rule
}

// Rules lists a rule for every kind of cause.
func Rules() []suites.Rule {
	var rules []suites.Rule
	for _, table := range causeTables {
		for _, row := range table {
			rules = append(rules, row.rule())
		}
	}
	return rules
}

// Because says why, in one sentence.
func (r Reading) Because() string { return r.Cause.Sentence() }
