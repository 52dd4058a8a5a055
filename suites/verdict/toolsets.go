package verdict

import (
	"slices"
	"strings"

	"hookwatch/suites"
)

// toolSets find the tools that a record's digest of them stands for, among what
// is on record of the machine over time.
type toolSets struct {
	environments []suites.Environment // latest first
	names        map[string][]string  // digest -> names of its tools
	cases        map[suites.Key][][]string
	found        map[string][]suites.Tool // by digest
	tried        map[string]bool          // digests with names that no environment makes them of
}

func newToolSets(environments []suites.Environment) *toolSets {
	t := &toolSets{
		environments: environments, names: make(map[string][]string),
		cases: make(map[suites.Key][][]string), found: make(map[string][]suites.Tool),
		tried: make(map[string]bool),
	}
	for i := range environments {
		for digest, names := range environments[i].CaseTools {
			if _, known := t.names[digest]; !known {
				t.names[digest] = names
			}
		}
	}
	return t
}

// meets notes the names of the tools that a record's case reaches: a digest whose
// names are not on record mostly is of the same ones.
func (t *toolSets) meets(r *suites.Record) {
	names, known := t.names[r.Digests.Tools]
	key := identity(r)
	if !known || slices.ContainsFunc(t.cases[key], func(has []string) bool { return slices.Equal(has, names) }) {
		return
	}
	t.cases[key] = append(t.cases[key], names)
}

// of gives the tools of a record, nil when they are not on record. What is found
// holds for the digest; that nothing is, only for the names that were tried.
func (t *toolSets) of(r *suites.Record) []suites.Tool {
	digest := r.Digests.Tools
	if set, known := t.found[digest]; known || digest == "" {
		return set
	}
	candidates := t.cases[identity(r)]
	if names, known := t.names[digest]; known {
		candidates = [][]string{names}
	}
	set := t.find(digest, candidates)
	if set != nil {
		t.found[digest] = set
	}
	return set
}

// find looks for an environment whose tools make the digest. Where none does, the
// latest that says which ones the digest is of has to do.
func (t *toolSets) find(digest string, candidates [][]string) []suites.Tool {
	for _, names := range candidates {
		attempt := digest + "\x00" + strings.Join(names, "\x00")
		if t.tried[attempt] {
			continue
		}
		t.tried[attempt] = true
		for i := range t.environments {
			if set := t.environments[i].ToolSet(names); suites.ToolsDigest(set) == digest {
				return set
			}
		}
	}
	for i := range t.environments {
		if names, known := t.environments[i].CaseTools[digest]; known {
			return t.environments[i].ToolSet(names)
		}
	}
	return nil
}
