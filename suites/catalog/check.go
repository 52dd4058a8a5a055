package catalog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// Check reports problems between cases and between suites: duplicate names, IDs and agents, and
// controls that do not exist or prove nothing.
func Check(all []suites.Suite) []suites.Problem {
	problems := checkSuites(all)
	cases := map[suites.Key]*suites.Case{}
	var order []*suites.Case
	names := map[string]bool{}
	for i := range all {
		if names[all[i].Name] {
			continue // its cases are part of that problem
		}
		names[all[i].Name] = true
		for j := range all[i].Cases {
			c := &all[i].Cases[j]
			if first := cases[c.Key()]; first != nil {
				problems = append(problems, suites.Problem{At: c.At,
					What: fmt.Sprintf("id %s is taken in suite %s", c.ID, c.Suite), Hint: "by the case at " + first.At.String()})
				continue
			}
			cases[c.Key()] = c
			order = append(order, c)
		}
	}
	done := map[*suites.Case]bool{}
	for _, c := range order {
		if c.Control != "" {
			problems = append(problems, checkControl(c, cases)...)
			problems = append(problems, checkCircle(c, cases, done)...)
		}
	}
	return problems
}

// checkSuites reports names and agents that two suites share.
func checkSuites(all []suites.Suite) (problems []suites.Problem) {
	names, agents := map[string]suites.Position{}, map[string]*suites.Suite{}
	for i := range all {
		s := &all[i]
		if first, taken := names[s.Name]; taken && s.Name != "" {
			problems = append(problems, suites.Problem{At: s.At, What: "suite " + s.Name + " exists already", Hint: "at " + first.String()})
			continue
		}
		names[s.Name] = s.At
		if first := agents[s.Agent]; first != nil && s.Agent != "" {
			problems = append(problems, suites.Problem{At: s.At, What: "agent " + s.Agent + " is that of suite " + first.Name,
				Hint: "at " + first.At.String() + "; records are kept by agent"})
			continue
		}
		agents[s.Agent] = s
	}
	return problems
}

// checkControl reports a control that is not another case, or that proves nothing because it
// does not expect the hook's reaction to a violation.
func checkControl(c *suites.Case, cases map[suites.Key]*suites.Case) []suites.Problem {
	key := c.ControlKey()
	if key == c.Key() {
		return []suites.Problem{{At: c.At, What: "control " + c.Control + " is the case itself", Hint: "name a case that must fail or block"}}
	}
	if control := cases[key]; control != nil {
		if provesNothing(c, control) {
			return []suites.Problem{{At: c.At, What: fmt.Sprintf("control %s of %s expects the same as the case itself, so it proves nothing", c.Control, c.ID),
				Hint: "name a case whose input the hook has to act on, with the exit, effect or output that shows it"}}
		}
		return nil
	}
	return []suites.Problem{{At: c.At, What: fmt.Sprintf("control %s of %s does not exist", c.Control, c.ID), Hint: nearestCase(key, cases)}}
}

// provesNothing reports whether a control would pass on a hook that does nothing, like its case.
func provesNothing(c, control *suites.Case) bool {
	if control.Check != nil || c.Check != nil {
		return false
	}
	expects := func(c *suites.Case) suites.Expectation { return c.Steps[len(c.Steps)-1].Expect }
	return reflect.DeepEqual(expects(c), expects(control))
}

// checkCircle follows a case's controls to a case that was visited before, and reports a circle
// if that case is part of the current path.
func checkCircle(c *suites.Case, cases map[suites.Key]*suites.Case, done map[*suites.Case]bool) []suites.Problem {
	var way []*suites.Case
	for c != nil && !done[c] {
		done[c] = true
		way = append(way, c)
		if c.Control == "" {
			return nil
		}
		c = cases[c.ControlKey()]
	}
	start := slices.Index(way, c)
	if start < 0 || start == len(way)-1 { // the last is its own control
		return nil
	}
	var ids []string
	for _, w := range append(way[start:], c) {
		ids = append(ids, w.Key().String())
	}
	return []suites.Problem{{At: c.At, What: "controls run in a circle: " + strings.Join(ids, " -> ")}}
}

// nearestCase returns a hint with the most similar ID in the suite.
func nearestCase(key suites.Key, cases map[suites.Key]*suites.Case) string {
	var ids []string
	for k := range cases {
		if k.Suite == key.Suite {
			ids = append(ids, k.ID)
		}
	}
	slices.Sort(ids)
	return pattern.NearestHint(key.ID, ids)
}
