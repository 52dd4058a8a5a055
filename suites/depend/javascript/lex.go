package javascript

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/pattern"
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

func (t Token) among(texts ...string) bool { return slices.Contains(texts, t.Text) }

// continues reports whether a token has one of the texts and no line ends before it.
func (t Token) continues(texts ...string) bool { return !t.Newline && t.among(texts...) }

// isText reports whether a token is a string or a part of a template.
func (t Token) isText() bool { return t.Kind == String || t.Kind == Template }

// isVariable reports whether a token can be the name of a variable or of a label.
func (t Token) isVariable() bool { return t.Kind == Name && !reserved[t.Text] }

// value returns the text of a token, that of a string without its quotes.
func (t Token) value() string {
	if t.Kind != String {
		return t.Text
	}
	return t.Text[1 : len(t.Text)-1]
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
	case c == '"', c == '\'':
		t.Kind = String
		l.readString(c)
	case c == '`':
		t.Kind = Template
		l.at++
		l.template()
	case isDigit(c), c == '.' && l.digit(1):
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

const lineEnds = "\n\r\u2028\u2029"

// space skips white space and comments, and reports whether a line ended.
func (l *lexer) space() (newline bool) {
	start := l.at
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		switch c := rest[0]; {
		case c == '\n', c == '\r':
			newline = true
			l.at++
		case strings.IndexByte(" \t\v\f", c) >= 0:
			l.at++
		case strings.HasPrefix(rest, "//"), l.at == 0 && strings.HasPrefix(rest, "#!"):
			if end := strings.IndexAny(rest, lineEnds); end >= 0 {
				l.at += end
			} else {
				l.at = len(l.src)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				fail(l.at, "a comment does not end")
			}
			newline = newline || strings.ContainsAny(rest[:end+2], lineEnds)
			l.at += end + 4
		case strings.HasPrefix(rest, "<!--"), strings.HasPrefix(rest, "-->") && (newline || start == 0):
			fail(l.at, "a comment of HTML")
		case c < utf8.RuneSelf:
			return newline
		default:
			r, size := utf8.DecodeRuneInString(rest)
			switch {
			case strings.ContainsRune(lineEnds, r):
				newline = true
			case r != '\ufeff' && !unicode.Is(unicode.Zs, r): // Zs includes U+00A0
				return newline
			}
			l.at += size
		}
	}
	return newline
}

func (l *lexer) digit(offset int) bool {
	i := l.at + offset
	return i < len(l.src) && isDigit(l.src[i])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func beginsName(r rune) bool {
	return unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || strings.ContainsRune("$_", r)
}

func continuesName(r rune) bool {
	return beginsName(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) || strings.ContainsRune("\u200c\u200d", r)
}

// name reads an identifier. Escapes in it are not accepted, because two spellings of a name would
// not be equal.
func (l *lexer) name() {
	from := l.at
	for isPart := beginsName; ; isPart = continuesName {
		r, size := utf8.DecodeRuneInString(l.src[l.at:])
		if !isPart(r) {
			break
		}
		l.at += size
	}
	if l.at == from || strings.HasPrefix(l.src[l.at:], `\`) {
		fail(l.at, "an unexpected character")
	}
}

// numbers matches a number. Only integers can end with "n".
var numbers = pattern.Lazy(`^(?:(?:0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO][0-7]+(?:_[0-7]+)*|0[bB][01]+(?:_[01]+)*)n?|` +
	`(?:0|[1-9](?:_?\d)*)n|(?:(?:0|[1-9](?:_?\d)*)(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?)`)

func (l *lexer) number() {
	l.at += len(numbers().FindString(l.src[l.at:]))
	if r, _ := utf8.DecodeRuneInString(l.src[l.at:]); unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`_$\`, r) {
		fail(l.at, "an invalid number")
	}
}

func (l *lexer) readString(quote byte) {
	for l.at++; l.at < len(l.src); {
		switch l.src[l.at] {
		case quote:
			l.at++
			return
		case '\n', '\r':
			fail(l.at, "a string does not end")
		case '\\':
			l.escape()
		default:
			l.at++
		}
	}
	fail(l.at, "a string does not end")
}

// escapes matches an escape sequence of a string or template that is valid in templates and strict
// code too.
var escapes = pattern.Lazy(`^\\(?s:x[0-9a-fA-F]{2}|u\{0*(?:[0-9a-fA-F]{1,5}|10[0-9a-fA-F]{4})\}|u[0-9a-fA-F]{4}|0|\r\n|[^xu0-9])`)

func (l *lexer) escape() {
	from := l.at
	l.at += len(escapes().FindString(l.src[l.at:]))
	if l.at == from || l.src[from:l.at] == `\0` && l.digit(0) {
		fail(from, "an invalid escape sequence")
	}
}

// template reads the text of a template up to its end or to a substitution.
func (l *lexer) template() {
	for l.at < len(l.src) {
		switch rest := l.src[l.at:]; {
		case rest[0] == '`':
			l.at++
			return
		case strings.HasPrefix(rest, "${"):
			l.at += 2
			return
		case rest[0] == '\\':
			l.escape()
		default:
			l.at++
		}
	}
	fail(l.at, "a template does not end")
}

// literals matches a regular expression with its flags.
var literals = pattern.Lazy(`^/(?:[^\\/\[\n\r\x{2028}\x{2029}]|\\[^\n\r\x{2028}\x{2029}]|\[(?:[^\\\]\n\r\x{2028}\x{2029}]|\\[^\n\r\x{2028}\x{2029}])*\])+/[\w$\\\x{80}-\x{10FFFF}]*`)

func (l *lexer) regexp() {
	size := len(literals().FindString(l.src[l.at:]))
	if size == 0 {
		fail(l.at, "a regular expression does not end")
	}
	l.at += size
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
