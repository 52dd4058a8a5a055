// Package pattern matches text. Its regular expressions are compiled when they are
// first used, because hookwatch starts itself again for each case and must start
// light. It checks patterns of paths, and finds the known word nearest to another.
package pattern

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

// Lazy returns a function that compiles expr, which must be valid, on its first call.
func Lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

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

// Nearest returns the word that was most likely meant, or "" if none is similar: "deny" means denied.
func Nearest(s string, words []string) string {
	best, limit := "", min(2, len(s)/2)+1
	for _, w := range words {
		if max(len(s), len(w))-min(len(s), len(w)) >= limit {
			continue // the distance is at least the difference in length, and long texts are slow to compare
		}
		if d := distance(s, w); d < limit {
			best, limit = w, d
		}
	}
	if best != "" || len(s) < 4 {
		return best
	}
	others := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !strings.HasPrefix(w, s[:len(s)-1]) })
	if len(others) == 1 {
		return others[0]
	}
	return ""
}

// NearestHint asks whether the nearest word was meant. It returns "" if none is similar.
func NearestHint(s string, words []string) string {
	if near := Nearest(s, words); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// distance returns the number of bytes to add, drop or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
