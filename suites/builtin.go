package suites

import (
	"slices"
	"strings"
)

// Builtin names the suites that hookwatch brings along. The first few speak of what
// hooks of this field have in common; the others hold a hook to what one project's own
// hooks or documents say, word for word, and are for who asks for them.
var (
	BuiltinDefault  = []string{"dep", "ml", "pm"}
	BuiltinOptional = []string{"delegate", "ml-more", "pm-more", "protect", "quality", "spec-020", "stop"}
)

// BuiltinFamilies are suites that hold one set of hooks, a suite a hook, and are
// switched on together by the family's name. A suite is called FAMILY-MEMBER.
var BuiltinFamilies = map[string][]string{
	"guardrails": {
		"guard", "auto-review", "llm-review",
		"test-gate", "mock-gate", "branch-guard", "doc-gate", "plan-check",
		"lint", "track", "code-review", "plan-validate", "test-runner",
		"update-check", "session-init", "prompt-submit", "compact-preserve", "session-end",
		"subagent-start", "check-planner", "check-implementer", "check-guardian",
		"surface", "session-summary", "forward-motion", "notify",
		"order", "lifecycle",
	},
}

// BuiltinNames lists all of them, sorted.
func BuiltinNames() []string {
	names := slices.Concat(BuiltinDefault, BuiltinOptional)
	for family := range BuiltinFamilies {
		names = append(names, BuiltinFamily(family)...)
	}
	slices.Sort(names)
	return names
}

// BuiltinFamily lists the suites of a family.
func BuiltinFamily(family string) []string {
	var names []string
	for _, member := range BuiltinFamilies[family] {
		names = append(names, family+"-"+member)
	}
	return names
}

// BuiltinEntries lists what a person has to know to switch one on: families stand
// for their members.
func BuiltinEntries() []string {
	entries := slices.Concat(BuiltinDefault, BuiltinOptional)
	for family := range BuiltinFamilies {
		entries = append(entries, family)
	}
	slices.Sort(entries)
	return entries
}

// InFamily reports whether a built-in suite is a family's.
func InFamily(name string) (family string, ok bool) {
	family, _, ok = strings.Cut(name, "-")
	_, known := BuiltinFamilies[family]
	return family, ok && known
}
