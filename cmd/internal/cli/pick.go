package cli

import (
	"fmt"
	"strings"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/idrange"
)

// pickCases picks those whose case an ID means: that of a case, one with the case's
// suite, a case's name, or else a range of IDs.
func pickCases[T any](all []T, id string, of func(T) (key suites.Key, name string)) []T {
	suite, rest, qualified := strings.Cut(id, "/")
	if !qualified {
		suite, rest = "", id
	}
	pick := func(is func(id, name string) bool) (out []T) {
		for _, one := range all {
			if key, name := of(one); (suite == "" || key.Suite == suite) && is(key.ID, name) {
				out = append(out, one)
			}
		}
		return out
	}
	exact := pick(func(id, name string) bool { return strings.EqualFold(id, rest) || name == rest })
	if span, isRange := idrange.Parse(rest); isRange && len(exact) == 0 {
		return pick(func(id, _ string) bool { return span.Holds(id) })
	}
	return exact
}

// severalCases asks which of the cases that a word stands for is meant.
func severalCases(arg string, found []*suites.Case) error {
	var names []string
	for _, c := range found[:min(5, len(found))] {
		names = append(names, c.Key().String())
	}
	if len(found) > len(names) {
		names = append(names, "...")
	}
	return fmt.Errorf("%s means %d cases: %s (write one of them)", arg, len(found), strings.Join(names, ", "))
}

// pick finds the cases that IDs name. Every ID that names none is told.
func pick(p *project.Project, asked []string) ([]*suites.Case, error) {
	var picked []*suites.Case
	var unknown []string
	for _, id := range asked {
		found := named(p, id)
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no case %s (hookwatch list shows all)", strings.Join(unknown, ", "))
	}
	return picked, nil
}

// named finds the cases of a project that an ID means.
func named(p *project.Project, id string) []*suites.Case {
	return pickCases(p.Cases, id, func(c *suites.Case) (suites.Key, string) { return c.Key(), c.Name })
}
