package record

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Identify gives records of other tools, which have no ID, the suite and ID of
// the case they are about: the one known case of the same hook, by base name,
// and the same name. A name may begin with an ID ("P01_pip_blocked"), which must
// then be that case's. Records that have an identity keep it. What fits no case
// or more than one is unmatched and stays as it is.
func Identify(records []suites.Record, known []*suites.Case) (mapped, unmatched []suites.Record) {
	if !slices.ContainsFunc(records, Anonymous) {
		return records, nil
	}
	cases := map[nameOfCase][]*suites.Case{}
	for _, c := range known {
		name := nameOfCase{hookName(c.Hook), withoutID(c.Name, c.ID)}
		cases[name] = append(cases[name], c)
	}
	for _, r := range records {
		if !Anonymous(r) {
			mapped = append(mapped, r)
			continue
		}
		c := identify(&r, cases)
		if c == nil {
			unmatched = append(unmatched, r)
			continue
		}
		r.Suite, r.ID = c.Suite, c.ID
		mapped = append(mapped, r)
	}
	return mapped, unmatched
}

// Anonymous reports whether a record does not say which case it is about.
func Anonymous(r suites.Record) bool { return r.ID == "" || r.Suite == "" }

// nameOfCase is how tools without IDs call a case.
type nameOfCase struct{ hook, name string }

// identify finds the only case that the record can be about.
func identify(r *suites.Record, cases map[nameOfCase][]*suites.Case) *suites.Case {
	hook := hookName(r.Hook)
	fits := slices.Clone(cases[nameOfCase{hook, r.TestName}])
	if id, rest, ok := strings.Cut(r.TestName, "_"); ok {
		for _, c := range cases[nameOfCase{hook, rest}] {
			if strings.EqualFold(c.ID, id) {
				fits = append(fits, c)
			}
		}
	}
	var found *suites.Case
	for _, c := range fits {
		if r.ID != "" && r.ID != c.ID || r.Suite != "" && r.Suite != c.Suite {
			continue
		}
		if found != nil && found.Key() != c.Key() {
			return nil
		}
		found = c
	}
	return found
}

// hookName is a hook's base name. Checks of the machine have no hook; other
// tools call theirs "infrastructure".
func hookName(hook string) string {
	if hook == "" || hook == "infrastructure" {
		return ""
	}
	return path.Base(strings.ReplaceAll(hook, `\`, "/"))
}

// withoutID is a case's name without its own ID in front.
func withoutID(name, id string) string {
	if len(name) > len(id)+1 && strings.EqualFold(name[:len(id)], id) && name[len(id)] == '_' {
		return name[len(id)+1:]
	}
	return name
}
