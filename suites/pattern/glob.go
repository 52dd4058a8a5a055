package pattern

import "github.com/bmatcuk/doublestar/v4"

// maxAlternatives bounds into how many patterns without braces a glob expands: matching
// tries each of them.
const maxAlternatives = 1000

// GlobHint returns what to do about a pattern of paths that is malformed or costly to
// match, "" for one that is neither.
func GlobHint(glob string) string {
	switch {
	case !doublestar.ValidatePattern(glob):
		return "close what [ or { opens"
	case alternatives(glob) > maxAlternatives:
		return "let braces stand for at most 1000 alternatives"
	default:
		return ""
	}
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
