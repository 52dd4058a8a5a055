package javascript

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// validRegexp reports whether a literal is known to be a valid regular expression. It knows the
// usual constructs alone; a literal with others may be valid too.
func validRegexp(literal string) bool {
	end := strings.LastIndexByte(literal, '/')
	flags := literal[end+1:]
	for i := range len(flags) {
		if strings.IndexByte("dgimsuy", flags[i]) < 0 || strings.IndexByte(flags[i+1:], flags[i]) >= 0 {
			return false
		}
	}
	return validPattern(literal[1:end], strings.Contains(flags, "u"))
}

// ValidPattern reports whether the text of a regular expression without flags is known to be valid.
func ValidPattern(text string) bool { return validPattern(text, false) }

func validPattern(text string, unicode bool) bool {
	r := &regexpReader{text: text, unicode: unicode}
	return r.alternatives(0) && r.at == len(r.text)
}

type regexpReader struct {
	text    string
	at      int
	unicode bool
	names   []string
}

func (r *regexpReader) rest() string { return r.text[r.at:] }

func (r *regexpReader) take(s string) bool {
	if strings.HasPrefix(r.rest(), s) {
		r.at += len(s)
		return true
	}
	return false
}

const maxGroups = 100

func (r *regexpReader) alternatives(depth int) bool {
	if depth > maxGroups {
		return false
	}
	for r.at < len(r.text) && r.text[r.at] != ')' {
		if r.take("|") {
			continue
		}
		repeats, ok := r.atom(depth)
		if !ok || !r.quantifier(repeats) {
			return false
		}
	}
	return true
}

// atom reads one element, and reports whether it may be repeated and whether it is known.
func (r *regexpReader) atom(depth int) (repeats, ok bool) {
	switch c := r.text[r.at]; c {
	case '^', '$':
		r.at++
		return false, true
	case '(':
		r.at++
		repeats = true
		switch {
		case r.take("?:"):
		case r.take("?="), r.take("?!"), r.take("?<="), r.take("?<!"):
			repeats = false
		case r.take("?<"):
			name, _, found := strings.Cut(r.rest(), ">")
			if !found || !groupName().MatchString(name) || slices.Contains(r.names, name) {
				return false, false
			}
			r.names = append(r.names, name)
			r.at += len(name) + 1
		case r.take("?"):
			return false, false
		}
		return repeats, r.alternatives(depth+1) && r.take(")")
	case '[':
		return true, r.class()
	case '\\':
		if r.take(`\b`) || r.take(`\B`) {
			return false, true
		}
		_, ok := r.escape()
		return true, ok
	case '*', '+', '?', '{', '}', ']':
		return false, false
	default:
		r.at++
		return true, true
	}
}

var groupName = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (r *regexpReader) quantifier(repeats bool) bool {
	switch {
	case r.take("*"), r.take("+"), r.take("?"):
	case r.take("{"):
		text, _, found := strings.Cut(r.rest(), "}")
		low, high, _ := strings.Cut(text, ",")
		least, lowErr := strconv.ParseUint(low, 10, 31)
		most, highErr := strconv.ParseUint(cmp.Or(high, low), 10, 31)
		if !found || errors.Join(lowErr, highErr) != nil || most < least {
			return false
		}
		r.at += len(text) + 1
	default:
		return true
	}
	r.take("?")
	return repeats
}

// escape reads an escape sequence, and returns the byte it represents, 0 for a class or another
// character.
func (r *regexpReader) escape() (c byte, ok bool) {
	if len(r.rest()) < 2 {
		return 0, false
	}
	c = r.text[r.at+1]
	r.at += 2
	switch {
	case strings.IndexByte("dDwWsS", c) >= 0:
		return 0, true
	case strings.IndexByte("tnrvf", c) >= 0:
		return "\t\n\r\v\f"[strings.IndexByte("tnrvf", c)], true
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		return c, true
	case c == 'x', c == 'u':
		n := map[byte]int{'x': 2, 'u': 4}[c]
		if len(r.rest()) < n {
			return 0, false
		}
		_, err := strconv.ParseUint(r.rest()[:n], 16, 32)
		r.at += n
		return 0, err == nil
	case strings.IndexByte(`- "'#%&,:;<=>@_~!`+"`", c) >= 0:
		return c, !r.unicode && c != '_'
	}
	return 0, false
}

func (r *regexpReader) class() bool {
	r.at++
	r.take("^")
	for !r.take("]") {
		low, ok := r.classAtom()
		if !ok {
			return false
		}
		if strings.HasPrefix(r.rest(), "-") && !strings.HasPrefix(r.rest(), "-]") {
			r.at++
			high, ok := r.classAtom()
			if !ok || low == 0 || low > high {
				return false
			}
		}
	}
	return true
}

func (r *regexpReader) classAtom() (c byte, ok bool) {
	if r.at >= len(r.text) {
		return 0, false
	}
	c = r.text[r.at]
	switch {
	case r.take(`\b`):
		return 0, true
	case r.take(`\-`):
		return '-', true
	case c == '\\':
		return r.escape()
	}
	r.at++
	if c >= 0x80 { // part of a character, which a range cannot have at its ends here
		return 0, true
	}
	return c, true
}
