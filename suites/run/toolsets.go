package run

import (
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
)

// ToolSets contains the tools of each set that verdicts depend on, by the digest of the set. A set
// without an entry is unknown.
type ToolSets map[string]map[string]string // digest of the set -> name -> digest of the tool

// Add records a set, unless the tools do not have the digest.
func (s ToolSets) Add(set string, tools []suites.Tool) {
	if suites.ToolsDigest(tools) != set {
		return
	}
	digests := make(map[string]string, len(tools))
	for _, t := range tools {
		digests[t.Name] = t.Digest
	}
	s[set] = digests
}

// Recall adds the recorded sets. earlier returns the earlier environments, latest last. It is called
// only if env does not explain all its sets.
func (s ToolSets) Recall(env suites.Environment, earlier func() []suites.Environment) {
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

// Names returns the names of the tools in a set, sorted.
func (s ToolSets) Names(set string) []string { return slices.Sorted(maps.Keys(s[set])) }

// Changed returns the tools in both sets whose digests differ. A tool that only one set contains
// does not count, because it comes from an edit of the hook.
func (s ToolSets) Changed(before, now string) []string {
	var changed []string
	for name, digest := range s[before] {
		if other, both := s[now][name]; both && other != digest {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// MayDiffer reports whether a tool changed between two sets. An unknown set may differ.
func (s ToolSets) MayDiffer(before, now string) bool {
	return s[before] == nil || s[now] == nil || len(s.Changed(before, now)) > 0
}

// A ToolLook caches the tools of the machine at the start of a run or for one selection: a tool is
// looked up once and does not change afterwards.
type ToolLook struct {
	box    *Toolbox
	sets   ToolSets
	found  map[string]suites.Tool // by name
	byKey  map[string]string      // digest of the set
	byName map[string]string      // digest of the set, by its names
	names  map[string][]string    // of a set
	last   struct{ key, set string }
}

// NewToolLook begins a look; the sets that it finds are added to sets.
func NewToolLook(box *Toolbox, sets ToolSets) *ToolLook {
	return &ToolLook{
		box: box, sets: sets, found: make(map[string]suites.Tool),
		byKey: make(map[string]string), byName: make(map[string]string), names: make(map[string][]string),
	}
}

// Set returns the digest of the set of tools with these names, which must be sorted. Cases with the
// same key have the same set; "" is not a key.
func (l *ToolLook) Set(key string, names func() []string) string {
	if key == "" {
		return l.set(names())
	}
	if key == l.last.key {
		return l.last.set // because the cases of a hook usually follow each other
	}
	set, known := l.byKey[key]
	if !known {
		set = l.set(names())
		l.byKey[key] = set
	}
	l.last.key, l.last.set = key, set
	return set
}

func (l *ToolLook) set(names []string) string {
	memo := strings.Join(names, " ")
	if set, known := l.byName[memo]; known {
		return set
	}
	tools := make([]suites.Tool, len(names))
	for i, n := range names {
		tools[i] = l.tool(n)
	}
	set := suites.ToolsDigest(tools)
	l.byName[memo], l.names[set] = set, names
	l.sets.Add(set, tools)
	return set
}

func (l *ToolLook) tool(name string) suites.Tool {
	t, known := l.found[name]
	if !known {
		t = l.box.FindOne(name)
		l.found[name] = t
	}
	return t
}

// Sets returns the names of the tools in each set returned so far, by its digest.
func (l *ToolLook) Sets() map[string][]string { return maps.Clone(l.names) }

// Names returns the names of all tools looked up so far, sorted.
func (l *ToolLook) Names() []string { return slices.Sorted(maps.Keys(l.found)) }
