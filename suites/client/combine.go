package client

import (
	"slices"

	"hookwatch/suites"
)

// strength orders effects: the strongest of several hooks' is what happens.
// deny > ask > allow was observed on client 2.1.197; between the others the one
// that leaves less to go on is taken to be stronger.
var strength = []suites.Effect{
	suites.Proceeds, suites.Ignored, suites.ContextAdded, suites.ShownToModel, suites.Allowed, suites.Rewritten,
	suites.Asked, suites.AnotherTurn, suites.SessionEnds, suites.PromptBlocked, suites.Denied,
}

// decisionStrength orders what hooks said in the same way.
var decisionStrength = []string{noDecision, "approve", "allow", "defer", "ask", "block", "deny"}

// Combine tells what the client does when several hooks of one event have run:
// the strongest effect holds, whichever hook finished first, and context adds up.
func Combine(readings []Reading) Reading {
	if len(readings) == 0 {
		return Reading{Decision: noDecision, Effect: suites.Proceeds, Cause: Cause{Kind: NoHook}}
	}
	winner := slices.MaxFunc(readings, func(a, b Reading) int {
		return slices.Index(strength, a.Effect) - slices.Index(strength, b.Effect)
	})
	combined := Reading{Decision: noDecision, Effect: winner.Effect, Cause: winner.Cause}
	agreeing := 0
	for _, reading := range readings {
		if slices.Index(decisionStrength, reading.Decision) > slices.Index(decisionStrength, combined.Decision) {
			combined.Decision = reading.Decision
		}
		if reading.Effect == winner.Effect {
			agreeing++
		}
		combined.add(reading)
	}
	if combined.Effect == suites.Rewritten && agreeing > 1 {
		combined.Cause = Cause{Kind: RewriteRace, Event: winner.Cause.Event, Count: agreeing}
	}
	return combined
}

// add takes over what the model sees of one more hook: its context always, the
// rest only while its effect is the one that holds.
func (r *Reading) add(one Reading) {
	if r.Effect == suites.PromptBlocked || r.Effect == suites.SessionEnds {
		return // the model is not asked again
	}
	texts := one.Context
	if one.Effect == r.Effect || one.Effect == suites.ShownToModel {
		texts = one.ModelSees
	}
	r.Context = append(r.Context, one.Context...)
	r.ModelSees = append(r.ModelSees, texts...)
}
