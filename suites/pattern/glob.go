package pattern

import "github.com/bmatcuk/doublestar/v4"

// maxAlternatives bounds into how many patterns without braces a glob expands: matching
// tries each of them.
const maxAlternatives = 1000

// ValidGlob reports whether a pattern of paths is well formed and cheap to match.
func ValidGlob(glob string) bool {
	return doublestar.ValidatePattern(glob) && alternatives(glob) <= maxAlternatives
}

// Glob reports whether a path matches a pattern; one that is not valid matches nothing.
func Glob(glob, path string) bool {
	if alternatives(glob) > maxAlternatives {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}

// alternatives is at least the number of patterns that the braces of a glob stand for.
func alternatives(glob string) int {
	n, commas := 1, 0
	for i := 0; i < len(glob) && n <= maxAlternatives; i++ {
		switch glob[i] {
		case '\\':
			i++
		case ',':
			commas++
		case '}':
			n, commas = n*(commas+1), 0
		}
	}
	return n
}
