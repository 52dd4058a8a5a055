package project

import (
	"slices"

	"hookwatch/suites"
)

// wanted are the built-in suites of these names, and of the others those cases alone
// that prove something about one of theirs.
func wanted(all []suites.Suite, names []string) []suites.Suite {
	cases := map[suites.Key]*suites.Case{}
	for i := range all {
		for j := range all[i].Cases {
			cases[all[i].Cases[j].Key()] = &all[i].Cases[j]
		}
	}
	controls := map[suites.Key]bool{}
	for _, c := range cases {
		if !slices.Contains(names, c.Suite) {
			continue
		}
		for c != nil && c.Control != "" && !controls[c.ControlKey()] {
			controls[c.ControlKey()] = true
			c = cases[c.ControlKey()]
		}
	}
	var out []suites.Suite
	for _, s := range all {
		if !slices.Contains(names, s.Name) {
			s.Cases = slices.DeleteFunc(slices.Clone(s.Cases), func(c suites.Case) bool { return !controls[c.Key()] })
		}
		if len(s.Cases) > 0 {
			out = append(out, s)
		}
	}
	return out
}
