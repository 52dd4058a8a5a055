package human

import "hookwatch/suites"

// caseNames names cases by their IDs, with the suite where an ID alone would
// mean more than one of the cases named.
func caseNames(keys []suites.Key) []string {
	suite := map[string]string{}
	shared := map[string]bool{}
	for _, k := range keys {
		if s, ok := suite[k.ID]; ok && s != k.Suite {
			shared[k.ID] = true
		}
		suite[k.ID] = k.Suite
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.ID
		if shared[k.ID] {
			names[i] = k.String()
		}
	}
	return names
}
