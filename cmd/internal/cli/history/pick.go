package history

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/ids"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// Pick picks the histories that are asked for, of these suites if there are any. Cases that the project no longer has
// are on record all the same.
func Pick(past *record.Past, of, asked []string, dir string) ([]verdict.CaseHistory, error) {
	if len(past.Records) == 0 {
		return nil, fmt.Errorf("nothing is on record in %s (hookwatch --once runs all cases)", dir)
	}
	all := slices.DeleteFunc(verdict.Histories(past.Records, past.Environments), func(h verdict.CaseHistory) bool {
		return len(of) > 0 && !slices.Contains(of, h.Key.Suite)
	})
	if len(asked) == 0 {
		return all, nil
	}
	var picked []verdict.CaseHistory
	var unknown []string
	for _, id := range asked {
		found := ids.Pick(all, id, func(h verdict.CaseHistory) (suites.Key, string) { return h.Key, h.Name })
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("nothing is on record of %s (hookwatch history lists what is)", strings.Join(unknown, ", "))
	}
	return picked, nil
}
