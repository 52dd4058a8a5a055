package contract

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
)

// class reads a character class after its [. An empty one matches nothing, its
// negation everything.
func (p *jsParser) class() (jsNode, error) {
	negated := p.accept("^")
	var members []func(rune) bool
	for !p.accept("]") {
		if !p.more() {
			return nil, errors.New("unterminated character class")
		}
		low, member, err := p.classAtom()
		if err != nil {
			return nil, err
		}
		if !p.peek("-") || p.peek("-]") {
			members = append(members, member)
			continue
		}
		p.at++
		if !p.more() {
			return nil, errors.New("unterminated character class")
		}
		high, end, err := p.classAtom()
		switch {
		case err != nil:
			return nil, err
		case low < 0 || high < 0: // \d-x is three members, not a range
			members = append(members, member, end, func(r rune) bool { return r == '-' })
		case low > high:
			return nil, errors.New("range out of order in character class")
		default:
			members = append(members, func(r rune) bool { return low <= r && r <= high })
		}
	}
	return jsRune(func(r rune) bool {
		for _, holds := range members {
			if holds(r) {
				return !negated
			}
		}
		return negated
	}), nil
}

// classAtom reads one member of a class. The rune is -1 for a set such as \d.
func (p *jsParser) classAtom() (rune, func(rune) bool, error) {
	if !p.accept(`\`) {
		r := p.text[p.at]
		p.at++
		return r, only(r), nil
	}
	if !p.more() {
		return 0, nil, errors.New(`\ at end of pattern`)
	}
	if p.accept("b") {
		return '\b', only('\b'), nil
	}
	if holds, found := p.classEscape(); found {
		return -1, holds, nil
	}
	r := p.character()
	return r, only(r), nil
}

func only(r rune) func(rune) bool { return func(have rune) bool { return have == r } }

// escape reads what follows a \ outside of a class.
func (p *jsParser) escape() (jsNode, error) {
	if !p.more() {
		return nil, errors.New(`\ at end of pattern`)
	}
	if holds, found := p.classEscape(); found {
		return jsRune(holds), nil
	}
	if p.peek("k") && len(p.names) > 0 {
		return p.namedReference()
	}
	digits := 0
	for p.at+digits < len(p.text) && '0' <= p.text[p.at+digits] && p.text[p.at+digits] <= '9' {
		digits++
	}
	if n, err := strconv.Atoi(string(p.text[p.at : p.at+digits])); err == nil && n > 0 && n <= p.groups && p.text[p.at] != '0' {
		p.at += digits
		return jsReference(n - 1), nil
	}
	return jsRune(only(p.character())), nil
}

func (p *jsParser) namedReference() (jsNode, error) {
	name, _, closed := strings.Cut(strings.TrimPrefix(string(p.text[p.at:]), "k<"), ">")
	index := p.names[name]
	if !p.peek("k<") || !closed || index == 0 {
		return nil, errors.New(`\k names no group`)
	}
	p.at += len([]rune(name)) + len("k<>")
	return jsReference(index - 1), nil
}

func (p *jsParser) classEscape() (func(rune) bool, bool) {
	sets := map[rune]func(rune) bool{'d': isDigit, 'w': isWord, 's': isSpace}
	r := p.text[p.at]
	holds, found := sets[unicode.ToLower(r)]
	if !found || r > unicode.MaxASCII {
		return nil, false
	}
	p.at++
	if unicode.IsUpper(r) {
		return func(r rune) bool { return !holds(r) }, true
	}
	return holds, true
}

// character reads an escape that stands for one character. Without the u flag an
// unknown one stands for itself, \p and \z among them.
func (p *jsParser) character() rune {
	r := p.text[p.at]
	p.at++
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'x':
		return p.hexadecimal(2, r)
	case 'u':
		return p.hexadecimal(4, r)
	case 'c':
		if p.more() && p.text[p.at] <= unicode.MaxASCII && unicode.IsLetter(p.text[p.at]) {
			p.at++
			return p.text[p.at-1] % 32
		}
		p.at--
		return '\\'
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return p.octal(r)
	default:
		return r
	}
}

func (p *jsParser) hexadecimal(digits int, otherwise rune) rune {
	if p.at+digits > len(p.text) {
		return otherwise
	}
	n, err := strconv.ParseUint(string(p.text[p.at:p.at+digits]), 16, 32)
	if err != nil {
		return otherwise
	}
	p.at += digits
	return rune(n)
}

// octal reads up to three digits that give at most \377.
func (p *jsParser) octal(first rune) rune {
	value := first - '0'
	for range 2 {
		if !p.more() || p.text[p.at] < '0' || p.text[p.at] > '7' || value*8+p.text[p.at]-'0' > 0o377 {
			break
		}
		value = value*8 + p.text[p.at] - '0'
		p.at++
	}
	return value
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isWord(r rune) bool {
	return isDigit(r) || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
}

func isSpace(r rune) bool {
	return strings.ContainsRune("\t\n\v\f\r\u2028\u2029\ufeff", r) || unicode.Is(unicode.Zs, r)
}

func lineEnd(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029", r) }

func wordBoundary(text []rune, at int) bool {
	before := at > 0 && isWord(text[at-1])
	after := at < len(text) && isWord(text[at])
	return before != after
}
