package suites

import "slices"

// Builtin names the suites that hookwatch brings along. The first few speak of what
// hooks of this field have in common; the others hold a hook to what one project's own
// hooks or documents say, word for word, and are for who asks for them.
var (
	BuiltinDefault  = []string{"dep", "ml", "pm"}
	BuiltinOptional = []string{"ml-more", "pm-more", "protect", "quality", "spec-020", "stop"}
)

// BuiltinNames lists all of them, sorted.
func BuiltinNames() []string {
	return slices.Sorted(slices.Values(slices.Concat(BuiltinDefault, BuiltinOptional)))
}
