package toolbox

import (
	"context"
	"maps"
	"slices"
	"strings"

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

// A Look is one look at the machine, at the start of a run or for one selection: a
// tool is what it was when it was first asked for.
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

// Set is the digest of a set of tools, by names, which are sorted. Cases with the
// same key have the same set; "" is no key.
func (l *Look) Set(key string, names func() []string) string {
	if key == "" {
		return l.set(names())
	}
	if key == l.last.key {
		return l.last.set // mostly the cases of a hook stand together
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

// Sets are the names of the tools in each set that was asked for, by its digest.
func (l *Look) Sets() map[string][]string { return maps.Clone(l.names) }

// Names lists all tools that were asked for, sorted.
func (l *Look) Names() []string { return slices.Sorted(maps.Keys(l.found)) }

// Look does what the check says. The error is for what hookwatch itself could
// not do.
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
