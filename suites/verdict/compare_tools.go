package verdict

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A ToolKind classifies how a tool differs between two environments.
type ToolKind string

// The kinds of change. ToolReplaced is another file with the same version.
const (
	ToolAppeared ToolKind = "appeared"
	ToolVanished ToolKind = "vanished"
	ToolVersion  ToolKind = "version"
	ToolReplaced ToolKind = "replaced"
	ToolStandIn  ToolKind = "stand-in" // a stand-in replaced it, or no longer does
)

// A ToolChange is one tool that differs.
type ToolChange struct {
	Name      string
	Kind      ToolKind
	Prev, Cur suites.Tool
}

// String describes the change: "biome 2.3.15 -> 2.4.0", "jaq vanished (was 2.1)".
func (t ToolChange) String() string {
	switch t.Kind {
	case ToolVersion:
		return fmt.Sprintf("%s %s -> %s", t.Name, t.Prev.Version, t.Cur.Version)
	case ToolReplaced:
		if t.Prev.Path != t.Cur.Path {
			return fmt.Sprintf("%s is another file: %s -> %s", t.Name, t.Prev.Path, t.Cur.Path)
		}
		return t.Name + " was replaced"
	case ToolStandIn:
		if t.Cur.StandIn {
			return t.Name + " is a stand-in now"
		}
		return t.Name + " is no longer a stand-in"
	case ToolVanished:
		return t.Name + " vanished" + version("was ", t.Prev)
	case ToolAppeared:
		return t.Name + " appeared" + version("", t.Cur)
	default:
		return t.Name + " " + string(t.Kind)
	}
}

func version(word string, t suites.Tool) string {
	if t.Version == "" {
		return ""
	}
	return " (" + word + t.Version + ")"
}

// ToolChanges returns the differences between two environments' tools, sorted by name. A missing
// tool counts as absent.
func ToolChanges(prev, cur []suites.Tool) []ToolChange {
	was, is := toolsByName(prev), toolsByName(cur)
	var names []string
	for name := range was {
		names = append(names, name)
	}
	for name := range is {
		if _, ok := was[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var changes []ToolChange
	for _, name := range names {
		if kind := toolKind(was[name], is[name]); kind != "" {
			changes = append(changes, ToolChange{name, kind, was[name], is[name]})
		}
	}
	return changes
}

func toolsByName(tools []suites.Tool) map[string]suites.Tool {
	byName := make(map[string]suites.Tool, len(tools))
	for _, t := range tools {
		byName[t.Name] = t
	}
	return byName
}

// toolKind returns "" if no difference is known.
func toolKind(a, b suites.Tool) ToolKind {
	switch {
	case !a.Present() && !b.Present():
		return ""
	case !a.Present():
		return ToolAppeared
	case !b.Present():
		return ToolVanished
	case a.StandIn != b.StandIn:
		return ToolStandIn
	case differ(a.Version, b.Version):
		return ToolVersion
	case differ(a.Digest, b.Digest), a.Path != b.Path:
		return ToolReplaced
	default:
		return ""
	}
}

// An explainer finds the tools whose change made two digests of tools differ.
type explainer struct {
	prev, cur *suites.Environment
	was, is   map[string]suites.Tool
	known     bool // both environments list their tools
	changes   []ToolChange
	concerns  func(suites.Key, string) bool // if nil, each tool concerns each case
}

func newExplainer(prev, cur *suites.Environment) *explainer {
	e := &explainer{prev: prev, cur: cur, was: toolsByName(prev.Tools), is: toolsByName(cur.Tools)}
	if e.known = len(e.was) > 0 && len(e.is) > 0; e.known {
		e.changes = ToolChanges(prev.Tools, cur.Tools)
	}
	return e
}

// explains reports whether changed tools explain the difference of two digests. If the tools of
// a run are unknown, the difference itself is enough.
func (e *explainer) explains(k suites.Key, prev, cur string) bool {
	return !e.known || len(e.between(k, prev, cur)) > 0
}

// between returns the changed tools that a case reaches and that concern it. If an edited hook
// calls another tool, the tool itself did not change, so a tool that only one side reaches
// counts only if both environments contain it.
func (e *explainer) between(k suites.Key, prev, cur string) []ToolChange {
	if !differ(prev, cur) {
		return nil
	}
	before, knownBefore := e.prev.CaseTools[prev]
	after, knownAfter := e.cur.CaseTools[cur]
	var reached []ToolChange
	for _, t := range e.changes {
		if e.concerns != nil && !e.concerns(k, t.Name) {
			continue
		}
		was, is := !knownBefore || slices.Contains(before, t.Name), !knownAfter || slices.Contains(after, t.Name)
		_, listedBefore := e.was[t.Name]
		_, listedAfter := e.is[t.Name]
		if was && is || (was || is) && listedBefore && listedAfter {
			reached = append(reached, t)
		}
	}
	return reached
}

// toolSets finds the tools of a record's digest in the recorded environments of the machine.
type toolSets struct {
	environments []suites.Environment // latest first
	names        map[string][]string  // digest -> names of its tools
	cases        map[suites.Key][][]string
	found        map[string][]suites.Tool // by digest
	tried        map[string]bool          // digests with names that match no environment
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

// meets records the names of the tools that a record's case reaches, because a digest without
// recorded names usually is of the same ones.
func (t *toolSets) meets(r *suites.Record) {
	names, known := t.names[r.Digests.Tools]
	key := identity(r)
	if !known || slices.ContainsFunc(t.cases[key], func(has []string) bool { return slices.Equal(has, names) }) {
		return
	}
	t.cases[key] = append(t.cases[key], names)
}

// of returns the tools of a record, nil if they are unknown. A result is cached by digest, a
// failure only by the names that were tried.
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

// find searches for an environment whose tools have the digest. If there is none, it uses the
// latest environment that contains the names for the digest.
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
