package suites

import (
	"slices"
	"strings"
)

// The built-in suites. BuiltinDefault apply to hooks of this field in general. BuiltinOptional
// check the hooks or documents of one project word for word, so users must enable them.
var (
	BuiltinDefault  = []string{"dep", "ml", "pm"}
	BuiltinOptional = []string{"delegate", "ml-more", "pm-more", "protect", "quality", "spec-020", "stop"}
)

// BuiltinFamilies maps the name of a family to its members: one suite per hook of a set of hooks,
// enabled together by the family's name. The suites are called FAMILY-MEMBER.
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

// BuiltinNames returns the names of all built-in suites, sorted.
func BuiltinNames() []string {
	names := slices.Concat(BuiltinDefault, BuiltinOptional)
	for family := range BuiltinFamilies {
		names = append(names, BuiltinFamily(family)...)
	}
	slices.Sort(names)
	return names
}

// BuiltinFamily returns the suites of a family.
func BuiltinFamily(family string) []string {
	var names []string
	for _, member := range BuiltinFamilies[family] {
		names = append(names, family+"-"+member)
	}
	return names
}

// BuiltinEntries returns the names by which users enable built-in suites, sorted: a family's name
// replaces those of its members.
func BuiltinEntries() []string {
	entries := slices.Concat(BuiltinDefault, BuiltinOptional)
	for family := range BuiltinFamilies {
		entries = append(entries, family)
	}
	slices.Sort(entries)
	return entries
}

// InFamily reports whether a built-in suite belongs to a family, and to which.
func InFamily(name string) (family string, ok bool) {
	family, _, ok = strings.Cut(name, "-")
	_, known := BuiltinFamilies[family]
	return family, ok && known
}
