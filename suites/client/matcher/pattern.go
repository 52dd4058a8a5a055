package matcher

import (
	"fmt"
	"time"

	"hookwatch/suites/pattern"

	"github.com/dlclark/regexp2/v2"
)

// longestMatch bounds the work of one match: a pattern that backtracks for longer
// would hold up the client as well, and is taken not to match.
const longestMatch = 100 * time.Millisecond

// A jsPattern is a JavaScript regular expression without flags.
type jsPattern struct{ re *regexp2.Regexp }

// compileJS compiles a pattern; the error says what JavaScript would refuse.
func compileJS(pattern string) (*jsPattern, error) {
	if bad := foreignGroup(pattern); bad != "" {
		return nil, fmt.Errorf("invalid group %s", bad)
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = longestMatch
	return &jsPattern{re}, nil
}

// matches reports whether the pattern matches anywhere in value.
func (p *jsPattern) matches(value string) bool {
	ok, err := p.re.MatchString(value)
	return err == nil && ok
}

// jsToken is what has to be skipped to find the groups of a pattern, or the begin
// of one: an escape, a class, a group.
var (
	jsToken = pattern.Lazy(`(?s)\\.|\[(?:\\.|[^\]\\])*\]?|\(\?.{0,8}`)
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
