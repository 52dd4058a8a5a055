package toolbox

import (
	"context"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Sets contains the tools of each set that verdicts depend on, by the digest of the set. A set
// without an entry is unknown.
type Sets map[string]map[string]string // digest of the set -> name -> digest of the tool

// Add records a set, unless the tools do not have the digest.
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

// Recall adds the recorded sets. earlier returns the earlier environments, latest last. It is called
// only if env does not explain all its sets.
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

// Names returns the names of the tools in a set, sorted.
func (s Sets) Names(set string) []string { return slices.Sorted(maps.Keys(s[set])) }

// Changed returns the tools in both sets whose digests differ. A tool that only one set contains
// does not count, because it comes from an edit of the hook.
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

// MayDiffer reports whether a tool changed between two sets. An unknown set may differ.
func (s Sets) MayDiffer(before, now string) bool {
	return s[before] == nil || s[now] == nil || len(s.Changed(before, now)) > 0
}

// A Look caches the tools of the machine at the start of a run or for one selection: a tool is
// looked up once and does not change afterwards.
type Look struct {
	box    *Toolbox
	sets   Sets
	found  map[string]suites.Tool // by name
	byKey  map[string]string      // digest of the set
	byName map[string]string      // digest of the set, by its names
	names  map[string][]string    // of a set
	last   struct{ key, set string }
}

// NewLook begins a look; the sets that it finds are added to sets.
func NewLook(box *Toolbox, sets Sets) *Look {
	return &Look{
		box: box, sets: sets, found: make(map[string]suites.Tool),
		byKey: make(map[string]string), byName: make(map[string]string), names: make(map[string][]string),
	}
}

// Set returns the digest of the set of tools with these names, which must be sorted. Cases with the
// same key have the same set; "" is not a key.
func (l *Look) Set(key string, names func() []string) string {
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

func (l *Look) set(names []string) string {
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

func (l *Look) tool(name string) suites.Tool {
	t, known := l.found[name]
	if !known {
		t = l.box.FindOne(name)
		l.found[name] = t
	}
	return t
}

// Sets returns the names of the tools in each set returned so far, by its digest.
func (l *Look) Sets() map[string][]string { return maps.Clone(l.names) }

// Names returns the names of all tools looked up so far, sorted.
func (l *Look) Names() []string { return slices.Sorted(maps.Keys(l.found)) }

// Look performs a check. It returns an error if hookwatch itself fails.
func (m *AuditedMachine) Look(ctx context.Context, c *suites.Check) (suites.Finding, error) {
	switch {
	case c.Tool != "":
		return m.tool(ctx, c)
	case c.File != "":
		return m.file(c), nil
	default:
		return m.registered(c.Registered), nil
	}
}
