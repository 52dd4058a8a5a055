package pattern

import "github.com/bmatcuk/doublestar/v4"

// maxAlternatives bounds the number of brace-free patterns into which a glob expands, because
// matching tries each of them.
const maxAlternatives = 1000

// GlobHint returns how to fix a glob that is malformed or costly to match, "" if it is neither.
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

// Glob reports whether a path matches a glob. An invalid or costly glob matches nothing.
func Glob(glob, path string) bool {
	if alternatives(glob) > maxAlternatives {
		return false
	}
	ok, err := doublestar.Match(glob, path)
	return ok && err == nil
}

// alternatives returns at least the number of patterns to which the braces of a glob expand, or a
// number above maxAlternatives.
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
