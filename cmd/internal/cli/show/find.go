package show

import (
	"fmt"

	"hookwatch/cmd/internal/cli/ids"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

// Find finds what is to be shown, as a suite of these cases alone: a suite of the
// project, cases of one, or else of a built-in suite that is not switched on.
func Find(own []suites.Suite, arg string) (suites.Suite, error) {
	builtin, err := catalog.Builtin()
	if err != nil {
		return suites.Suite{}, err
	}
	for _, all := range [][]suites.Suite{own, builtin} {
		for _, s := range all {
			if s.Name == arg {
				return s, nil
			}
		}
		s, found, err := casesOf(all, arg)
		if found || err != nil {
			return s, err
		}
	}
	return suites.Suite{}, fmt.Errorf("no case and no suite %s (hookwatch list shows the cases, hookwatch suites the suites)", arg)
}

// casesOf picks the cases that are meant, which must be of one suite.
func casesOf(all []suites.Suite, arg string) (picked suites.Suite, found bool, err error) {
	var several []*suites.Case
	for _, s := range all {
		cases := ids.Pick(s.Cases, arg, func(c suites.Case) (suites.Key, string) { return c.Key(), c.Name })
		for i := range cases {
			several = append(several, &cases[i])
		}
		if len(cases) > 0 {
			picked, picked.Cases, found = s, cases, true
		}
	}
	if found && len(several) > len(picked.Cases) {
		return picked, false, ids.Several(arg, several)
	}
	return picked, found, nil
}
