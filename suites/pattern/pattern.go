// Package pattern has regular expressions that are compiled when they are first
// used: hookwatch starts itself anew for each case, and must start light.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy gives a regular expression that is valid.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
