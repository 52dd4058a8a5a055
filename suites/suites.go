// Package suites defines the values of hookwatch: cases, outcomes, verdicts and records. It has no
// behaviour beyond the meaning of these values and imports only suites/pattern of hookwatch.
//
// To these values belong the jq filters and regular expressions that suites compare output with.
// A suite may come from a stranger, and neither gojq nor regexp limits time or memory: a builtin
// of gojq cannot be interrupted, and a regular expression with many states takes that many steps
// for each byte. So an expression is evaluated in this process only if its syntax proves that it
// is cheap (see Question.Cheap); suites/run/evaluator evaluates all others in a child that can be
// killed.
package suites

import (
	"fmt"
	"slices"
	"strings"
)

// A Position is a place in a text file. Line and Column count from 1; zero
// means unknown.
type Position struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// String formats the position as file:line:column, leaving out what is unknown.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
}

// A Problem is an error in a file that the user wrote: position, description and fix.
type Problem struct {
	At   Position `json:"at"`
	What string   `json:"what"`
	Hint string   `json:"hint,omitempty"`
	// Severity is how bad the problem is, if that is known better than by its kind.
	Severity Severity `json:"-"`
}

// Error formats the problem as "file:line:column: what (hint)".
func (p Problem) Error() string {
	s := p.What
	if at := p.At.String(); at != "" {
		s = at + ": " + s
	}
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// A Layer is how close to the real client a case runs.
type Layer int

// Layer 1 runs the hook directly; in layer 2 the real client fires it.
const (
	Direct Layer = 1
	Live   Layer = 2
)

// A Severity is the weight of a rule's finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // the hook currently does not work as intended
	Warning Severity = "warning" // it may fail with another path, machine or input
	Info    Severity = "info"
)

// A Rule is a check of hooks that is explained by its ID.
type Rule struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	What     string   `json:"what"`             // the subject of the rule
	Client   string   `json:"client"`           // the client's behaviour
	Remedy   string   `json:"remedy,omitempty"` // the fix; empty if nothing is wrong
	Observed []string `json:"observed"`         // client versions with which it was observed; none: documented
}

// The built-in suites. BuiltinDefault apply to hooks of this field in general. BuiltinOptional
// check the hooks or documents of one project word for word, so users must enable them.
var (
	BuiltinDefault  = []string{"dep", "ml", "pm"}
	builtinOptional = []string{"delegate", "ml-more", "pm-more", "protect", "quality", "spec-020", "stop"}
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
	names := slices.Concat(BuiltinDefault, builtinOptional)
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
	entries := slices.Concat(BuiltinDefault, builtinOptional)
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
