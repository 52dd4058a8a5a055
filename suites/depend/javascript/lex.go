package javascript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is the kind of a token.
type Kind byte

// Kinds of tokens. A Mark represents a block of the statement.
const (
	End Kind = iota
	Name
	Private
	Punctuator
	String
	Number
	Template
	Regexp
	Mark
)

// A Token is a token of the source, from byte From to byte To.
type Token struct {
	Kind     Kind
	From, To int
	Text     string // of the source; the slot of the block for a Mark
	Newline  bool   // a line ends between the token before and this one
}

// A Problem is the reason why a text is not accepted as JavaScript.
type Problem struct {
	At   int // byte offset
	What string
}

func (p *Problem) Error() string { return p.What }

// A lexer reads tokens. Whether a slash begins a regular expression, and whether a brace continues
// a template, is decided by the parser, which then reads the token again.
type lexer struct {
	src string
	at  int
}

func fail(at int, what string) { panic(&Problem{at, what}) }

// next returns the token at or after the current offset.
func (l *lexer) next() Token {
	newline := l.space()
	t := Token{From: l.at, Newline: newline}
	if l.at >= len(l.src) {
		t.To = l.at
		return t
	}
	switch c := l.src[l.at]; {
	case c == '"' || c == '\'':
		t.Kind = String
		l.quoted(c)
	case c == '`':
		t.Kind = Template
		l.at++
		l.template()
	case c >= '0' && c <= '9', c == '.' && l.digit(1):
		t.Kind = Number
		l.number()
	case c == '#':
		t.Kind = Private
		l.at++
		l.name()
	case punctuation(c):
		t.Kind = Punctuator
		l.punctuator()
	default:
		t.Kind = Name
		l.name()
	}
	t.To = l.at
	t.Text = l.src[t.From:t.To]
	return t
}

// space skips white space and comments, and reports whether a line ended.
func (l *lexer) space() (newline bool) {
	start := l.at
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		switch c := rest[0]; {
		case c == '\n' || c == '\r':
			newline = true
			l.at++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			l.at++
		case strings.HasPrefix(rest, "//"), l.at == 0 && strings.HasPrefix(rest, "#!"):
			for l.at < len(l.src) && l.src[l.at] != '\n' && l.src[l.at] != '\r' {
				if r, size := utf8.DecodeRuneInString(l.src[l.at:]); r == '\u2028' || r == '\u2029' {
					break
				} else {
					l.at += size
				}
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				fail(l.at, "a comment does not end")
			}
			newline = newline || strings.ContainsAny(rest[:end+2], "\n\r\u2028\u2029")
			l.at += end + 4
		case strings.HasPrefix(rest, "<!--"), strings.HasPrefix(rest, "-->") && (newline || start == 0):
			fail(l.at, "a comment of HTML")
		case c < utf8.RuneSelf:
			return newline
		default:
			r, size := utf8.DecodeRuneInString(rest)
			switch {
			case r == '\u2028' || r == '\u2029':
				newline = true
			case r == '\u00a0' || r == '\ufeff' || unicode.Is(unicode.Zs, r):
			default:
				return newline
			}
			l.at += size
		}
	}
	return newline
}

func (l *lexer) digit(offset int) bool {
	i := l.at + offset
	return i < len(l.src) && l.src[i] >= '0' && l.src[i] <= '9'
}

// name reads an identifier. Escapes in it are not accepted, because two spellings of a name would
// not be equal.
func (l *lexer) name() {
	from := l.at
	for l.at < len(l.src) {
		c := l.src[l.at]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '$', c >= '0' && c <= '9' && l.at > from:
			l.at++
			continue
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.src[l.at:])
			if unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || l.at > from && (unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) || r == '\u200c' || r == '\u200d') {
				l.at += size
				continue
			}
		}
		break
	}
	if l.at == from || l.at < len(l.src) && l.src[l.at] == '\\' {
		fail(l.at, "an unexpected character")
	}
}

func (l *lexer) number() {
	from := l.at
	if strings.HasPrefix(l.src[from:], "0") && len(l.src) > from+1 {
		digits := ""
		switch l.src[from+1] | 0x20 {
		case 'x':
			digits = "0123456789abcdefABCDEF"
		case 'o':
			digits = "01234567"
		case 'b':
			digits = "01"
		}
		if digits != "" {
			l.at += 2
			l.digits(digits)
			l.numberEnds(true)
			return
		}
		if l.src[from+1] >= '0' && l.src[from+1] <= '9' || l.src[from+1] == '_' {
			fail(from, "a number with a leading zero")
		}
	}
	whole := l.src[l.at] != '.'
	if whole {
		l.digits("0123456789")
	}
	if l.at < len(l.src) && l.src[l.at] == '.' {
		whole = false
		l.at++
		if l.digit(0) {
			l.digits("0123456789")
		}
	}
	if l.at < len(l.src) && l.src[l.at]|0x20 == 'e' {
		whole = false
		l.at++
		if l.at < len(l.src) && (l.src[l.at] == '+' || l.src[l.at] == '-') {
			l.at++
		}
		l.digits("0123456789")
	}
	l.numberEnds(whole)
}

// digits reads digits with single underscores between them.
func (l *lexer) digits(of string) {
	for {
		from := l.at
		for l.at < len(l.src) && strings.IndexByte(of, l.src[l.at]) >= 0 {
			l.at++
		}
		if l.at == from {
			fail(l.at, "a number without digits")
		}
		if l.at >= len(l.src) || l.src[l.at] != '_' {
			return
		}
		l.at++
	}
}

func (l *lexer) numberEnds(whole bool) {
	if whole && l.at < len(l.src) && l.src[l.at] == 'n' {
		l.at++
	}
	if l.at < len(l.src) {
		if r, _ := utf8.DecodeRuneInString(l.src[l.at:]); unicode.IsLetter(r) || r == '_' || r == '$' || r == '\\' || unicode.IsDigit(r) {
			fail(l.at, "a letter after a number")
		}
	}
}

func (l *lexer) quoted(quote byte) {
	l.at++
	for {
		if l.at >= len(l.src) || l.src[l.at] == '\n' || l.src[l.at] == '\r' {
			fail(l.at, "a string does not end")
		}
		switch c := l.src[l.at]; c {
		case quote:
			l.at++
			return
		case '\\':
			l.escape()
		default:
			l.at++
		}
	}
}

// escape reads an escape sequence of a string or template. It accepts those alone that are valid
// in templates and strict code too.
func (l *lexer) escape() {
	rest := l.src[l.at:]
	hex := func(s string) int {
		n := 0
		for n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
			n++
		}
		return n
	}
	ok := len(rest) > 1
	size := 2
	if ok {
		switch c := rest[1]; {
		case c == 'x':
			ok, size = hex(rest[2:]) >= 2, 4
		case c == 'u' && strings.HasPrefix(rest[2:], "{"):
			n := hex(rest[3:])
			digits := strings.TrimLeft(rest[3:3+n], "0")
			ok = n > 0 && strings.HasPrefix(rest[3+n:], "}") && (len(digits) < 6 || len(digits) == 6 && strings.HasPrefix(digits, "10"))
			size = n + 4
		case c == 'u':
			ok, size = hex(rest[2:]) >= 4, 6
		case c == '0':
			ok = len(rest) < 3 || rest[2] < '0' || rest[2] > '9'
		case c > '0' && c <= '9':
			ok = false
		case c == '\r' && strings.HasPrefix(rest[2:], "\n"):
			size = 3
		case c >= utf8.RuneSelf:
			_, n := utf8.DecodeRuneInString(rest[1:])
			size = 1 + n
		}
	}
	if !ok {
		fail(l.at, "an invalid escape sequence")
	}
	l.at += size
}

// template reads the text of a template up to its end or to a substitution.
func (l *lexer) template() {
	for {
		if l.at >= len(l.src) {
			fail(l.at, "a template does not end")
		}
		switch {
		case l.src[l.at] == '`':
			l.at++
			return
		case strings.HasPrefix(l.src[l.at:], "${"):
			l.at += 2
			return
		case l.src[l.at] == '\\':
			l.escape()
		default:
			l.at++
		}
	}
}

// regexp reads a regular expression with its flags.
func (l *lexer) regexp() {
	l.at++
	class := false
	for {
		if l.at >= len(l.src) || l.src[l.at] == '\n' || l.src[l.at] == '\r' || strings.HasPrefix(l.src[l.at:], "\u2028") || strings.HasPrefix(l.src[l.at:], "\u2029") {
			fail(l.at, "a regular expression does not end")
		}
		c := l.src[l.at]
		l.at++
		switch {
		case c == '\\':
			if l.at < len(l.src) && l.src[l.at] != '\n' && l.src[l.at] != '\r' && l.src[l.at] < utf8.RuneSelf {
				l.at++
			}
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for l.at < len(l.src) && (l.src[l.at] >= 'a' && l.src[l.at] <= 'z' || l.src[l.at] >= 'A' && l.src[l.at] <= 'Z' || l.digit(0) || l.src[l.at] >= utf8.RuneSelf || strings.IndexByte(`_$\`, l.src[l.at]) >= 0) {
				l.at++
			}
			return
		}
	}
}

func punctuation(c byte) bool { return strings.IndexByte("{}()[].;,<>=!+-*/%&|^~?:", c) >= 0 }

var punctuators = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
}

func (l *lexer) punctuator() {
	for _, p := range punctuators {
		if strings.HasPrefix(l.src[l.at:], p) && (p != "?." || !l.digit(2)) {
			l.at += len(p)
			return
		}
	}
	l.at++
}
