package matcher

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"hookwatch/suites/pattern"
)

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

// A CostError is the reason why a regular expression was not evaluated. Whether it
// matches is not known.
type CostError struct{ why string }

func (e *CostError) Error() string { return e.why }

var (
	errTooSlow  = &CostError{"the pattern takes exponential time, in the client as well"}
	errManySlow = &CostError{fmt.Sprintf("%d other patterns take exponential time", maxTooSlow)}
)

// A jsPattern is a JavaScript regular expression without flags.
type jsPattern struct {
	source string
	re     *regexp2.Regexp
}

// compiled keeps what was compiled: a matcher is compared with one value after
// another. Of a process that meets more patterns than it keeps, all are forgotten.
var compiled = struct {
	sync.Mutex
	patterns map[string]*jsPattern
	tooSlow  map[string]bool
}{patterns: map[string]*jsPattern{}, tooSlow: map[string]bool{}}

const maxCompiled = 1000

// compileJS compiles a pattern; the error says what JavaScript would refuse, or is a
// *CostError.
func compileJS(pattern string) (*jsPattern, error) {
	compiled.Lock()
	defer compiled.Unlock()
	if compiled.tooSlow[pattern] {
		return nil, errTooSlow
	}
	if len(compiled.tooSlow) >= maxTooSlow && !plain(pattern) {
		return nil, errManySlow
	}
	if p := compiled.patterns[pattern]; p != nil {
		return p, nil
	}
	p, err := newPattern(pattern)
	if err != nil {
		return nil, err
	}
	if len(compiled.patterns) >= maxCompiled {
		clear(compiled.patterns)
	}
	compiled.patterns[pattern] = p
	return p, nil
}

// plain reports whether a pattern surely takes little time: it has no groups, and few
// repetitions.
func plain(pattern string) bool {
	return len(pattern) <= maxPattern && !strings.Contains(pattern, "(") &&
		strings.Count(pattern, "*")+strings.Count(pattern, "+")+strings.Count(pattern, "?")+strings.Count(pattern, "{") <= 3
}

// The library's clock, one for all patterns, reads its period without a lock.
func init() { regexp2.SetTimeoutCheckPeriod(clockPeriod) }

func newPattern(pattern string) (*jsPattern, error) {
	if len(pattern) > maxPattern {
		return nil, &CostError{fmt.Sprintf("the pattern has %d bytes, at most %d are evaluated", len(pattern), maxPattern)}
	}
	if deep := strings.Count(pattern, "("); deep > maxNesting && nesting(pattern) > maxNesting {
		return nil, &CostError{fmt.Sprintf("the groups of the pattern are nested more than %d deep", maxNesting)}
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
		compiled.Lock()
		defer compiled.Unlock()
		compiled.tooSlow[p.source] = true
		return false, errTooSlow
	}
	return ok, nil
}

// isCostly is the *CostError of an error, if it is one.
func isCostly(err error) error {
	var costly *CostError
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
