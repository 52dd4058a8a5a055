package toolbox

import (
	"maps"
	"slices"

	"hookwatch/suites"
)

// Sets knows which tools there were, by the digest of the set that a verdict was
// about. Without an entry nothing is known of a set.
type Sets map[string]map[string]string // digest of the set -> name -> digest of the tool

// Add notes a set, unless the tools are not those that the digest is of.
func (s Sets) Add(set string, tools []suites.Tool) {
	if suites.ToolsDigest(tools) != set {
		return
	}
	digests := make(map[string]string, len(tools))
	for _, t := range tools {
		digests[t.Name] = t.Digest
	}
	s[set] = digests
}

// Recall takes over what is on record. Earlier gives what tools there were before,
// the latest last; it is asked only where env does not explain all its sets.
func (s Sets) Recall(env suites.Environment, earlier func() []suites.Environment) {
	lacking := make(map[string][]string)
	for set, names := range env.CaseTools {
		if s.Add(set, env.ToolSet(names)); s[set] == nil {
			lacking[set] = names
		}
	}
	if len(lacking) == 0 {
		return
	}
	for _, then := range slices.Backward(earlier()) {
		for set, names := range lacking {
			if s.Add(set, then.ToolSet(names)); s[set] != nil {
				delete(lacking, set)
			}
		}
	}
}

// Names lists the tools of a set, sorted.
func (s Sets) Names(set string) []string { return slices.Sorted(maps.Keys(s[set])) }

// Changed lists the tools that both sets have and that are others now: a tool that
// only one of them has is the doing of whoever edited the hook.
func (s Sets) Changed(before, now string) []string {
	var changed []string
	for name, digest := range s[before] {
		if other, both := s[now][name]; both && other != digest {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// MayDiffer reports whether a tool of the set before is another one now. A set of
// which nothing is known may differ.
func (s Sets) MayDiffer(before, now string) bool {
	return s[before] == nil || s[now] == nil || len(s.Changed(before, now)) > 0
}
