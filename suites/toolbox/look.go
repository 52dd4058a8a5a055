package toolbox

import (
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
)

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
