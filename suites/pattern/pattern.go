// Package pattern matches text. Its regular expressions are compiled when they are
// first used, because hookwatch starts itself again for each case and must start
// light. It checks patterns of paths, and finds the known word nearest to another.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles expr, which must be valid, on its first call.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
