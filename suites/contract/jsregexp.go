package contract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Go's regular expressions are not JavaScript's: they refuse lookahead and
// backreferences and accept (?i), \A and [[:alpha:]]. A matcher is therefore
// compiled here, by the rules of a JavaScript pattern without flags, to a small
// backtracking matcher.

// A jsPattern is a compiled pattern.
type jsPattern struct {
	body   jsNode
	groups int
}

// A jsParser turns a pattern into nodes, left to right.
type jsParser struct {
	text   []rune
	at     int
	opened int            // capturing groups so far
	groups int            // capturing groups in all
	names  map[string]int // named groups, all of them
}

// compileJS compiles a pattern; the error says what JavaScript would refuse.
func compileJS(pattern string) (*jsPattern, error) {
	p := &jsParser{text: []rune(pattern), names: map[string]int{}}
	if err := p.countGroups(); err != nil {
		return nil, err
	}
	body, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if p.more() {
		return nil, errors.New("unmatched )")
	}
	return &jsPattern{body: body, groups: p.groups}, nil
}

// countGroups looks ahead: whether \2 is a backreference depends on how many
// groups the whole pattern has.
func (p *jsParser) countGroups() error {
	inClass := false
	for i := 0; i < len(p.text); i++ {
		switch r := p.text[i]; {
		case r == '\\':
			i++
		case inClass:
			inClass = r != ']'
		case r == '[':
			inClass = true
		case r == '(' && !strings.HasPrefix(string(p.text[i+1:min(i+2, len(p.text))]), "?"):
			p.groups++
		case r == '(':
			name, named := groupName(p.text[i+1:])
			if !named {
				continue
			}
			p.groups++
			if p.names[name] != 0 {
				return fmt.Errorf("two groups are named %s", name)
			}
			p.names[name] = p.groups
		}
	}
	return nil
}

// groupName reads "?<name>" at the start of text.
func groupName(text []rune) (string, bool) {
	rest, found := strings.CutPrefix(string(text), "?<")
	if !found {
		return "", false
	}
	name, _, found := strings.Cut(rest, ">")
	if !found || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "", false
	}
	for _, r := range name {
		if !isWord(r) && r != '$' {
			return "", false
		}
	}
	return name, true
}

func (p *jsParser) more() bool { return p.at < len(p.text) }

// peek reports whether the rest starts with s.
func (p *jsParser) peek(s string) bool {
	wanted := []rune(s)
	return len(p.text)-p.at >= len(wanted) && string(p.text[p.at:p.at+len(wanted)]) == s
}

func (p *jsParser) accept(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.at += len([]rune(s))
	return true
}

func (p *jsParser) disjunction() (jsNode, error) {
	alternatives := []jsNode{}
	for {
		alternative, err := p.alternative()
		if err != nil {
			return nil, err
		}
		alternatives = append(alternatives, alternative)
		if !p.accept("|") {
			return jsEither(alternatives), nil
		}
	}
}

func (p *jsParser) alternative() (jsNode, error) {
	terms := []jsNode{}
	for p.more() && !p.peek("|") && !p.peek(")") {
		before := p.opened
		term, repeatable, err := p.term()
		if err != nil {
			return nil, err
		}
		low, high, greedy, given, err := p.quantifier()
		if err != nil {
			return nil, err
		}
		if given && !repeatable {
			return nil, errors.New("nothing to repeat")
		}
		if given {
			term = jsRepeat(term, low, high, greedy, before, p.opened)
		}
		terms = append(terms, term)
	}
	return jsSequence(terms), nil
}

// term reads one atom or assertion and tells whether it may be repeated.
func (p *jsParser) term() (jsNode, bool, error) {
	switch {
	case p.accept("^"):
		return jsAt(func(_ []rune, at int) bool { return at == 0 }), false, nil
	case p.accept("$"):
		return jsAt(func(text []rune, at int) bool { return at == len(text) }), false, nil
	case p.accept(`\b`):
		return jsAt(wordBoundary), false, nil
	case p.accept(`\B`):
		return jsAt(func(text []rune, at int) bool { return !wordBoundary(text, at) }), false, nil
	case p.accept("("):
		return p.group()
	case p.accept("["):
		node, err := p.class()
		return node, true, err
	case p.accept("."):
		return jsRune(func(r rune) bool { return !lineEnd(r) }), true, nil
	case p.accept(`\`):
		node, err := p.escape()
		return node, true, err
	}
	if _, _, _, given, _ := p.quantifier(); given {
		return nil, false, errors.New("nothing to repeat")
	}
	r := p.text[p.at]
	p.at++
	return jsRune(func(have rune) bool { return have == r }), true, nil
}

func (p *jsParser) group() (jsNode, bool, error) {
	wrap, repeatable := func(body jsNode) jsNode { return body }, true
	switch name, named := groupName(p.text[p.at:]); {
	case p.accept("?:"):
	case p.accept("?="):
		wrap = func(body jsNode) jsNode { return jsAhead(body, true) }
	case p.accept("?!"):
		wrap = func(body jsNode) jsNode { return jsAhead(body, false) }
	case p.accept("?<="):
		wrap, repeatable = func(body jsNode) jsNode { return jsBehind(body, true) }, false
	case p.accept("?<!"):
		wrap, repeatable = func(body jsNode) jsNode { return jsBehind(body, false) }, false
	case p.peek("?") && !named:
		return nil, false, errors.New("invalid group: JavaScript has no such (?")
	default:
		if named {
			p.at += len([]rune(name)) + len("?<>")
		}
		index := p.opened
		p.opened++
		wrap = func(body jsNode) jsNode { return jsCapture(body, index) }
	}
	body, err := p.disjunction()
	if err != nil {
		return nil, false, err
	}
	if !p.accept(")") {
		return nil, false, errors.New("unterminated group")
	}
	return wrap(body), repeatable, nil
}

// unlimited stands for the missing upper bound of a quantifier.
const unlimited = int(^uint(0) >> 1)

// quantifier reads *, +, ? or {n,m}, each with an optional ?. A brace that is no
// quantifier is left where it is, to be read as itself.
func (p *jsParser) quantifier() (low, high int, greedy, given bool, err error) {
	switch {
	case p.accept("*"):
		low, high = 0, unlimited
	case p.accept("+"):
		low, high = 1, unlimited
	case p.accept("?"):
		low, high = 0, 1
	default:
		if low, high, given = p.braces(); !given {
			return 0, 0, false, false, nil
		}
	}
	if low > high {
		err = errors.New("numbers out of order in {} quantifier")
	}
	return low, high, !p.accept("?"), true, err
}

func (p *jsParser) braces() (low, high int, given bool) {
	if !p.peek("{") {
		return 0, 0, false
	}
	inside, _, closed := strings.Cut(string(p.text[p.at+1:]), "}")
	first, second, ranged := strings.Cut(inside, ",")
	low, ok := bound(first)
	if !closed || !ok {
		return 0, 0, false
	}
	switch {
	case !ranged:
		high = low
	case second == "":
		high = unlimited
	default:
		if high, ok = bound(second); !ok {
			return 0, 0, false
		}
	}
	p.at += len([]rune(inside)) + len("{}")
	return low, high, true
}

// bound reads a number; one too large for the machine is as good as unlimited.
func bound(digits string) (int, bool) {
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return unlimited, true
	}
	return n, true
}
