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

// MatcherSeparators split a list of names; of OnlyBars, a comma is part of a name.
const (
	MatcherSeparators = "|,"
	// OnlyBars separates names where a space is part of a name, too; observed on clients
	// 2.1.197 and 2.1.330.
	OnlyBars = "|"
)

// MatcherTakes reports whether the matcher lets one of the values through: a value
// and the other names by which a matcher may call it. An empty matcher and * let
// everything through; a list of names is compared exactly; anything else is an
// unanchored JavaScript regular expression, and one that is invalid never
// matches. All of it is case-sensitive. Observed on clients 2.1.197 and 2.1.330.
// One that is too costly to evaluate is taken not to match: see Evaluate.
func MatcherTakes(matcher, separators string, values ...string) bool {
	matched, _ := EvaluateMatcher(matcher, separators, values...)
	return matched
}

// EvaluateMatcher is Matches, with a *CostError if a regular expression is not evaluated for
// its cost. Once a pattern took too long it gives that error for every value.
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
		if matched, err := pattern.matches(value); matched || err != nil {
			return matched, err
		}
	}
	return false, nil
}

// MatcherNames lists the names of a matcher that is a list of exact names, sorted and
// without repetition, so that two lists can be compared as sets. It is nil for a
// matcher that lets everything through or is a regular expression.
func MatcherNames(matcher string) []string { return split(matcher, MatcherSeparators) }

// CheckMatcher says what is wrong with a matcher that is an invalid regular expression,
// and so never matches.
func CheckMatcher(matcher string) error {
	if matchesAll(matcher) || MatcherNames(matcher) != nil {
		return nil
	}
	_, err := compileJS(matcher)
	return err
}

func split(matcher, separators string) []string {
	if matchesAll(matcher) || strings.ContainsFunc(matcher, outsideList) {
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

func outsideList(r rune) bool {
	isWord := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	return !isWord && !strings.ContainsRune("_- ,|", r)
}

// Limits of a regular expression. It comes from settings that a stranger may have
// written, backtracks, and cannot be interrupted otherwise: to compile nested groups
// takes time that doubles with each level, and a match may take time that doubles with
// each character.
const (
	maxPattern   = 1000 // bytes
	maxNesting   = 8
	longestMatch = 100 * time.Millisecond
	clockPeriod  = 10 * time.Millisecond // a match ends up to two periods late
	maxTooSlow   = 20                    // patterns that may reach longestMatch, in one process
)

// A MatcherCostError is the reason why a regular expression was not evaluated. Whether it
// matches is not known.
type MatcherCostError struct{ why string }

func (e *MatcherCostError) Error() string { return e.why }

var (
	errTooSlow  = &MatcherCostError{"the pattern takes exponential time, in the client as well"}
	errManySlow = &MatcherCostError{fmt.Sprintf("%d other patterns take exponential time", maxTooSlow)}
)

// A jsPattern is a JavaScript regular expression without flags.
type jsPattern struct {
	source string
	re     *regexp2.Regexp
}

// compiledMatchers keeps what was compiled: a matcher is compared with one value after
// another. Of a process that meets more patterns than it keeps, all are forgotten.
var compiledMatchers = struct {
	sync.Mutex
	patterns map[string]*jsPattern
	tooSlow  map[string]bool
}{patterns: map[string]*jsPattern{}, tooSlow: map[string]bool{}}

const maxCompiled = 1000

// compileJS compiles a pattern; the error says what JavaScript would refuse, or is a
// *CostError.
func compileJS(pattern string) (*jsPattern, error) {
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

// plainPattern reports whether a pattern surely takes little time: it has no groups, and few
// repetitions.
func plainPattern(pattern string) bool {
	return len(pattern) <= maxPattern && !strings.Contains(pattern, "(") &&
		strings.Count(pattern, "*")+strings.Count(pattern, "+")+strings.Count(pattern, "?")+strings.Count(pattern, "{") <= 3
}

// The library's clock, one for all patterns, reads its period without a lock.
func init() { regexp2.SetTimeoutCheckPeriod(clockPeriod) }

func newPattern(pattern string) (*jsPattern, error) {
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
	re.MatchTimeout = longestMatch
	return &jsPattern{pattern, re}, nil
}

// nesting is how deep the groups of a pattern are nested.
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

// matches reports whether the pattern matches anywhere in value. The error is a
// *CostError.
func (p *jsPattern) matches(value string) (bool, error) {
	ok, err := p.re.MatchString(value)
	if err != nil { // it has no other errors than the time-out
		compiledMatchers.Lock()
		defer compiledMatchers.Unlock()
		compiledMatchers.tooSlow[p.source] = true
		return false, errTooSlow
	}
	return ok, nil
}

// isCostly is the *CostError of an error, if it is one.
func isCostly(err error) error {
	var costly *MatcherCostError
	if errors.As(err, &costly) {
		return costly
	}
	return nil
}

// jsToken is what has to be skipped to find the groups of a pattern, or the begin
// of one: an escape, a class, a group.
var (
	jsToken = pattern.Lazy(`(?s)\\.|\[(?:\\.|[^\]\\])*\]?|\(\?.{0,8}`)
	jsClass = pattern.Lazy(`(?s)^\[(?:\\.|[^\]\\])*\]?`)
	jsGroup = pattern.Lazy(`^\(\?(?:[:=!<]|[ims]*(?:-[ims]+)?:)`)
)

// foreignGroup finds a group that the library takes and JavaScript refuses: (?i),
// (?>a), (?#c).
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
