package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"hookwatch/suites/pattern"
)

// MatcherSeparators separate the names of a list. With OnlyBars, a comma is part of a name.
const (
	MatcherSeparators = "|,"
	// OnlyBars separates names in which a space counts as well; observed on clients 2.1.197 and
	// 2.1.330.
	OnlyBars = "|"
)

// EvaluateMatcher reports whether the matcher accepts one of the values: a value and its other names
// that matchers may use. An empty matcher and * accept everything; a list of names is compared
// exactly; anything else is an unanchored JavaScript regular expression, and an invalid one never
// matches. All of it is case-sensitive. Observed on clients 2.1.197 and 2.1.330. It returns a
// *MatcherCostError if it did not evaluate a regular expression because of its cost. Once a pattern
// took too long, every value gives that error.
func EvaluateMatcher(matcher, separators string, values ...string) (bool, error) {
	if matchesAll(matcher) {
		return true, nil
	}
	if names := split(matcher, separators); names != nil {
		return slices.ContainsFunc(values, func(value string) bool { return slices.Contains(names, value) }), nil
	}
	pattern, err := compileJS(matcher)
	if err != nil {
		return false, isCostly(err)
	}
	for _, value := range values {
		if matched, err := matchesJS(pattern, value); matched || err != nil {
			return matched, err
		}
	}
	return false, nil
}

// MatcherNames returns the names of a matcher that is a list of exact names, sorted and without
// repetition, so that two lists can be compared as sets. It returns nil for a matcher that accepts
// everything or is a regular expression.
func MatcherNames(matcher string) []string { return split(matcher, MatcherSeparators) }

func split(matcher, separators string) []string {
	if matchesAll(matcher) || outsideList().MatchString(matcher) {
		return nil
	}
	names := strings.FieldsFunc(matcher, func(r rune) bool { return strings.ContainsRune(separators, r) })
	if separators == MatcherSeparators {
		for i, name := range names {
			names[i] = strings.Trim(name, " ")
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return append([]string{}, slices.Compact(names)...)
}

func matchesAll(matcher string) bool { return matcher == "" || matcher == "*" }

// outsideList matches a character that a list of names cannot have.
var outsideList = pattern.Lazy(`[^0-9A-Za-z_\- ,|]`)

// Limits of a regular expression. It may come from settings of an untrusted author, it backtracks,
// and nothing else interrupts it: compiling nested groups takes time that doubles with each level,
// and a match may take time that doubles with each character.
const (
	maxPattern   = 1000 // bytes
	maxNesting   = 8
	longestMatch = 100 * time.Millisecond
	longestPlain = 10 * time.Second      // of a pattern that takes little: a busy machine may stop the process for a while
	clockPeriod  = 10 * time.Millisecond // a match may end up to two periods late
	maxTooSlow   = 20                    // patterns that may reach longestMatch, in one process
)

// A MatcherCostError is the reason why a regular expression was not evaluated. It is unknown
// whether the expression matches.
type MatcherCostError struct{ why string }

func (e *MatcherCostError) Error() string { return e.why }

var (
	errTooSlow  = &MatcherCostError{"the pattern takes exponential time, in the client as well"}
	errManySlow = &MatcherCostError{fmt.Sprintf("%d other patterns take exponential time", maxTooSlow)}
)

// compiledMatchers caches compiled patterns because a matcher is compared with many values. If it
// is full, all patterns are dropped.
var compiledMatchers = struct {
	sync.Mutex
	patterns map[string]*regexp2.Regexp
	tooSlow  map[string]bool
}{patterns: map[string]*regexp2.Regexp{}, tooSlow: map[string]bool{}}

const maxCompiled = 1000

// compileJS compiles a JavaScript regular expression without flags. The error is JavaScript's reason
// for refusing it, or a *MatcherCostError.
func compileJS(pattern string) (*regexp2.Regexp, error) {
	compiledMatchers.Lock()
	defer compiledMatchers.Unlock()
	if compiledMatchers.tooSlow[pattern] {
		return nil, errTooSlow
	}
	if len(compiledMatchers.tooSlow) >= maxTooSlow && !plainPattern(pattern) {
		return nil, errManySlow
	}
	if p := compiledMatchers.patterns[pattern]; p != nil {
		return p, nil
	}
	p, err := newPattern(pattern)
	if err != nil {
		return nil, err
	}
	if len(compiledMatchers.patterns) >= maxCompiled {
		clear(compiledMatchers.patterns)
	}
	compiledMatchers.patterns[pattern] = p
	return p, nil
}

// plainPattern reports whether a pattern is certain to take little time, because it has no groups
// and few repetitions.
func plainPattern(pattern string) bool {
	return len(pattern) <= maxPattern && !strings.Contains(pattern, "(") &&
		strings.Count(pattern, "*")+strings.Count(pattern, "+")+strings.Count(pattern, "?")+strings.Count(pattern, "{") <= 3
}

// init sets the period of the library's clock, which all patterns share and read without a lock.
func init() { regexp2.SetTimeoutCheckPeriod(clockPeriod) }

func newPattern(pattern string) (*regexp2.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, &MatcherCostError{fmt.Sprintf("the pattern has %d bytes, at most %d are evaluated", len(pattern), maxPattern)}
	}
	if deep := strings.Count(pattern, "("); deep > maxNesting && nesting(pattern) > maxNesting {
		return nil, &MatcherCostError{fmt.Sprintf("the groups of the pattern are nested more than %d deep", maxNesting)}
	}
	if bad := foreignGroup(pattern); bad != "" {
		return nil, fmt.Errorf("invalid group %s", bad)
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	if re.MatchTimeout = longestMatch; plainPattern(pattern) {
		re.MatchTimeout = longestPlain
	}
	return re, nil
}

// nesting returns the depth to which the groups of a pattern are nested.
func nesting(pattern string) (deepest int) {
	depth := 0
	for at := 0; at < len(pattern); at++ {
		switch pattern[at] {
		case '\\':
			at++
		case '[':
			at += len(jsClass().FindString(pattern[at:])) - 1
		case '(':
			depth++
			deepest = max(deepest, depth)
		case ')':
			depth--
		}
	}
	return deepest
}

// matchesJS reports whether a pattern matches anywhere in value. An error is a *MatcherCostError.
func matchesJS(pattern *regexp2.Regexp, value string) (bool, error) {
	ok, err := pattern.MatchString(value)
	if err != nil { // a time-out is its only error
		compiledMatchers.Lock()
		defer compiledMatchers.Unlock()
		compiledMatchers.tooSlow[pattern.String()] = true
		return false, errTooSlow
	}
	return ok, nil
}

// isCostly returns the *MatcherCostError in err, or nil.
func isCostly(err error) error {
	var costly *MatcherCostError
	if errors.As(err, &costly) {
		return costly
	}
	return nil
}

// jsToken matches the parts that a search for the groups of a pattern must skip, and the start of a
// group: an escape, a class, a group.
var (
	jsToken = pattern.Lazy(`(?s)\\.|\[(?:\\.|[^\]\\])*\]?|\(\?.{0,8}`)
	jsClass = pattern.Lazy(`(?s)^\[(?:\\.|[^\]\\])*\]?`)
	jsGroup = pattern.Lazy(`^\(\?(?:[:=!<]|[ims]*(?:-[ims]+)?:)`)
)

// foreignGroup returns a group that the library accepts and JavaScript refuses: (?i), (?>a), (?#c).
func foreignGroup(pattern string) string {
	for at := 0; at < len(pattern); {
		found := jsToken().FindStringIndex(pattern[at:])
		if found == nil {
			return ""
		}
		token := pattern[at+found[0] : at+found[1]]
		if token[0] != '(' {
			at += found[1]
			continue
		}
		if !jsGroup().MatchString(token) {
			return token
		}
		at += found[0] + len("(?")
	}
	return ""
}
