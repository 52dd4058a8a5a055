package python

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// A Kind is the kind of a token.
type Kind byte

// Kinds of tokens.
const (
	End Kind = iota
	Newline
	Indent
	Dedent
	Name
	Number
	String
	Operator
)

// A Token is a token of the source, from byte From to byte To. Comments and newlines within
// statements are no tokens; changes of the indentation are tokens without a text.
type Token struct {
	Kind      Kind
	From, To  int
	Text      string
	line, end int     // first and last line
	fields    []field // of an f-string
}

func (t *Token) among(texts ...string) bool { return slices.Contains(texts, t.Text) }

// isName reports whether a token is a name that is no keyword.
func (t *Token) isName() bool { return t.Kind == Name && !keywords[t.Text] }

func (t *Token) endsLine() bool { return t.Kind == Newline || t.Kind == End }

// A field is a replacement field of an f-string.
type field struct {
	text string
	line int
}

// A Problem is the reason why a text is not accepted as Python.
type Problem struct {
	Line int
	What string
}

func (p *Problem) Error() string { return fmt.Sprintf("line %d: %s", p.Line, p.What) }

// fail ends parsing; Script and Tokens recover it.
func fail(line int, format string, args ...any) {
	panic(&Problem{line, fmt.Sprintf(format, args...)})
}

// catch turns a call of fail into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *Problem:
		*err = r
	default:
		panic(r)
	}
}

// A lexer divides a text into tokens.
type lexer struct {
	src    string
	at     int
	line   int
	nested []byte // open brackets
	tokens []Token
	warns  []string // texts of which Python warns when it compiles them
}

// scan returns the tokens of a file. In a bracket, as in the field of an f-string, newlines
// and indentation do not count.
func scan(src string, line int, bracket bool) (tokens []Token, warns []string) {
	s := &lexer{src: src, line: line}
	if bracket {
		s.nested = []byte{'('}
	}
	outer := len(s.nested)
	indents := []indent{{}}
	for s.at < len(s.src) {
		if len(s.nested) == 0 && s.lineStart() {
			in, blank := s.indentation()
			if blank {
				continue
			}
			indents = s.indent(indents, in)
		}
		if s.space(); s.at < len(s.src) {
			s.token()
		}
	}
	if len(s.nested) != outer {
		fail(s.line, "a bracket is not closed")
	}
	if !bracket {
		if n := len(s.tokens); n > 0 && s.tokens[n-1].Kind != Newline {
			s.add(Newline, s.at, s.line)
		}
		for range indents[1:] {
			s.add(Dedent, s.at, s.line)
		}
	}
	s.add(End, s.at, s.line)
	return s.tokens, s.warns
}

// An indent is the width of white space, with tabs of 8 and of 1.
type indent struct{ wide, narrow int }

// lineStart reports whether a logical line may start here.
func (s *lexer) lineStart() bool {
	n := len(s.tokens)
	return (n == 0 || s.tokens[n-1].Kind == Newline) && (s.at == 0 || s.src[s.at-1] == '\n')
}

// indentation reads white space, and skips the line if nothing follows.
func (s *lexer) indentation() (in indent, blank bool) {
	for ; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case ' ':
			in.wide, in.narrow = in.wide+1, in.narrow+1
		case '\t':
			in.wide, in.narrow = (in.wide/8+1)*8, in.narrow+1
		case '\f':
			in = indent{}
		case '#', '\n':
			if s.toLineEnd(); s.at < len(s.src) {
				s.at++
				s.line++
			}
			return in, true
		case '\\':
			fail(s.line, "a line begins with a backslash") // its indentation differs between versions
		default:
			return in, false
		}
	}
	return in, true
}

func (s *lexer) toLineEnd() {
	if end := strings.IndexByte(s.src[s.at:], '\n'); end >= 0 {
		s.at += end
	} else {
		s.at = len(s.src)
	}
}

// next returns the byte at an offset from the current place, 0 behind the end.
func (s *lexer) next(offset int) byte {
	if s.at+offset >= len(s.src) {
		return 0
	}
	return s.src[s.at+offset]
}

// indent adds the tokens for a line with this indentation.
func (s *lexer) indent(indents []indent, in indent) []indent {
	last := indents[len(indents)-1]
	switch {
	case in == last:
		return indents
	case in.wide > last.wide && in.narrow > last.narrow:
		if len(indents) > 90 {
			fail(s.line, "too many levels of indentation")
		}
		s.add(Indent, s.at, s.line)
		return append(indents, in)
	}
	for indents[len(indents)-1].wide > in.wide {
		s.add(Dedent, s.at, s.line)
		indents = indents[:len(indents)-1]
	}
	if indents[len(indents)-1] != in {
		fail(s.line, "inconsistent indentation")
	}
	return indents
}

func (s *lexer) add(kind Kind, from, line int) *Token {
	s.tokens = append(s.tokens, Token{Kind: kind, From: from, To: s.at, Text: s.src[from:s.at], line: line, end: s.line})
	return &s.tokens[len(s.tokens)-1]
}

// space skips white space, comments, joined lines and, in brackets, newlines.
func (s *lexer) space() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case strings.IndexByte(" \t\f", c) >= 0:
			s.at++
		case c == '\n' && len(s.nested) > 0:
			s.at++
			s.line++
		case c == '\\' && s.at+2 < len(s.src) && s.src[s.at+1] == '\n':
			s.at += 2
			s.line++
		case c == '#':
			s.toLineEnd()
		default:
			return
		}
	}
}

// operators are the operators, longest first.
var operators = strings.Fields("**= //= >>= <<= ... != -> ** // >> << <= >= == := += -= *= /= %= &= |= ^= @= ( ) [ ] { } , : ; . = + - * / % & | ^ ~ < > @ !")

func (s *lexer) token() {
	c := s.src[s.at]
	from, line := s.at, s.line
	switch {
	case c == '\n':
		s.at++
		s.line++
		s.tokens = append(s.tokens, Token{Kind: Newline, From: from, To: s.at, Text: "\n", line: line, end: line})
	case isLetter(c):
		for s.at < len(s.src) && isWord(rune(s.src[s.at])) {
			s.at++
		}
		switch next := s.next(0); {
		case isQuote(next) && prefixes[strings.ToLower(s.src[from:s.at])]:
			s.str(from, strings.ToLower(s.src[from:s.at]))
			return
		case next >= utf8.RuneSelf:
			fail(line, "a name has characters outside ASCII")
		}
		s.add(Name, from, line)
	case isQuote(c):
		s.str(from, "")
	case isDigit(c), c == '.' && isDigit(s.next(1)):
		s.number(from)
	case c >= utf8.RuneSelf:
		fail(line, "a character outside ASCII")
	default:
		s.op(from, line)
	}
}

func (s *lexer) op(from, line int) {
	for _, op := range operators {
		if !strings.HasPrefix(s.src[s.at:], op) {
			continue
		}
		s.at += len(op)
		switch op {
		case "(", "[", "{":
			if len(s.nested) > 90 {
				fail(line, "too many nested brackets")
			}
			s.nested = append(s.nested, op[0])
		case ")", "]", "}":
			n := len(s.nested)
			if n == 0 || !strings.Contains("() [] {}", string(s.nested[n-1])+op) {
				fail(line, "unmatched %s", op)
			}
			s.nested = s.nested[:n-1]
		case "!":
			fail(line, "unexpected !")
		}
		s.add(Operator, from, line)
		return
	}
	fail(line, "unexpected character %q", s.src[s.at])
}

// prefixes are those of strings, in lower case.
var prefixes = script.Words("r u b f br rb fr rf")

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isQuote(c byte) bool  { return c == '"' || c == '\'' }

// isWord reports whether a character can be part of a name in ASCII.
func isWord(c rune) bool { return c < utf8.RuneSelf && (isLetter(byte(c)) || isDigit(byte(c))) }

// number reads a number, which must be followed by an operator or white space.
func (s *lexer) number(from int) {
	text := strings.ToLower(numberWords().FindString(s.src[from:]))
	s.at += len(text)
	if len(text) > 1000 || !numbers().MatchString(text) {
		fail(s.line, "%s is no number", text)
	}
	s.add(Number, from, s.line)
}

// numberWords matches the characters that belong together, of which a sign may follow an exponent.
var numberWords = pattern.Lazy(`^(?:0[xX][\w.]*|(?:[eE][+-]|[\w.])*)`)

// numbers matches a number in lower case. Only 0 may have leading zeros as an integer.
var numbers = pattern.Lazy(`^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|0(?:_?0)*|[1-9](?:_?\d)*|` +
	`(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.)(?:e[+-]?\d(?:_?\d)*)?j?|\d(?:_?\d)*(?:e[+-]?\d(?:_?\d)*j?|j))$`)

// str reads a string whose prefix ends here.
func (s *lexer) str(from int, prefix string) {
	line := s.line
	quote := s.src[s.at : s.at+1]
	if strings.HasPrefix(s.src[s.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.at += len(quote)
	raw, f, isBytes := strings.Contains(prefix, "r"), strings.Contains(prefix, "f"), strings.Contains(prefix, "b")
	var fields []field
	for s.at < len(s.src) {
		rest := s.src[s.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, quote):
			s.at += len(quote)
			s.add(String, from, line).fields = fields
			return
		case c == '\\':
			s.escape(raw, f, isBytes)
		case c == '\n':
			if len(quote) == 1 {
				fail(line, "a string is not closed")
			}
			s.line++
			s.at++
		case f && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			s.at += 2
		case f && c == '{':
			fields = s.field(fields, quote, 0)
		case f && c == '}':
			fail(s.line, "single } in an f-string")
		case c >= utf8.RuneSelf && isBytes:
			fail(s.line, "bytes hold a character outside ASCII")
		default:
			s.at++
		}
	}
	fail(line, "a string is not closed")
}

// largeOctal matches an octal escape above \377.
var largeOctal = pattern.Lazy(`^\\[4-7][0-7]{2}`)

// escape skips a backslash and what it escapes.
func (s *lexer) escape(raw, f, isBytes bool) {
	if s.at+1 >= len(s.src) {
		fail(s.line, "a string is not closed")
	}
	c := s.src[s.at+1]
	if c == '\n' {
		s.line++
	}
	if f && (c == '{' || c == '}') {
		if !raw {
			s.warns = append(s.warns, "\\"+string(c))
		}
		s.at++ // the brace keeps its meaning
		return
	}
	if raw {
		s.at += 2
		return
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case isBytes && strings.IndexByte("uUN", c) >= 0:
		s.warns = append(s.warns, "\\"+string(c))
	case c == 'N':
		fail(s.line, "a string names a character")
	case digits > 0:
		code := s.src[s.at+2 : min(s.at+2+digits, len(s.src))]
		n, err := strconv.ParseUint(code, 16, 32)
		if len(code) < digits || err != nil || n > utf8.MaxRune {
			fail(s.line, "a truncated escape")
		}
	case largeOctal().MatchString(s.src[s.at:]):
		s.warns = append(s.warns, s.src[s.at:s.at+4])
	case strings.IndexByte("\n\\'\"abfnrtv01234567", c) < 0:
		s.warns = append(s.warns, "\\"+string(c))
	}
	if c >= utf8.RuneSelf {
		s.at++
		return
	}
	s.at += 2
}

// field reads a replacement field of an f-string, from its brace on, and adds it to fields.
func (s *lexer) field(fields []field, quote string, depth int) []field {
	if depth > 1 {
		fail(s.line, "an f-string is nested too deeply")
	}
	s.at++
	from, line := s.at, s.line
	s.fieldExpression(quote)
	text := strings.TrimRight(s.src[from:s.at], " \t\n")
	if body, ok := strings.CutSuffix(text, "="); ok && body != "" && strings.IndexByte("=!<>", body[len(body)-1]) < 0 {
		text = body // prints its own text
	}
	fields = append(fields, field{text, line})
	if s.src[s.at] == '!' {
		if s.at+2 >= len(s.src) || strings.IndexByte("rsa", s.src[s.at+1]) < 0 {
			fail(line, "an f-string has an unknown conversion")
		}
		s.at += 2
	}
	if s.src[s.at] == ':' {
		for s.at++; s.at < len(s.src) && s.src[s.at] != '}'; {
			switch {
			case strings.HasPrefix(s.src[s.at:], quote), s.src[s.at] == '\n', s.src[s.at] == '\\':
				fail(line, "an f-string is not closed")
			case s.src[s.at] == '{':
				fields = s.field(fields, quote, depth+1)
			default:
				s.at++
			}
		}
	}
	if s.at >= len(s.src) || s.src[s.at] != '}' {
		fail(line, "an f-string is not closed")
	}
	s.at++
	return fields
}

// fieldExpression skips the expression of a replacement field. An interpreter before 3.12 refuses
// quotes of the string, backslashes and comments in it.
func (s *lexer) fieldExpression(quote string) {
	from, line, nested := s.at, s.line, 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case isQuote(c):
			inner := &lexer{src: s.src, at: s.at, line: s.line}
			if strings.HasPrefix(s.src[s.at:], quote) {
				fail(line, "an f-string has its own quotes in a field")
			}
			inner.str(s.at, s.prefix(from))
			s.at, s.line = inner.at, inner.line
			continue
		case c == '\\', c == '#':
			fail(line, "an f-string has a backslash or comment in a field")
		case c == '\n':
			if len(quote) == 1 {
				fail(line, "an f-string is not closed")
			}
			s.line++
		case strings.IndexByte("([{", c) >= 0:
			nested++
		case nested > 0:
			if strings.IndexByte(")]}", c) >= 0 {
				nested--
			}
		case strings.HasPrefix(s.src[s.at:], "!="):
			s.at++
		case strings.IndexByte("}:!", c) >= 0:
			return
		}
		s.at++
	}
	fail(line, "an f-string is not closed")
}

// prefix returns the letters before the quote at the current place, back to from.
func (s *lexer) prefix(from int) string {
	start := s.at
	for start > from && isLetter(s.src[start-1]) {
		start--
	}
	return strings.ToLower(s.src[start:s.at])
}

// head returns the parts of a file that determine how it is run: the interpreter line, a
// declared encoding, and the metadata of a script that declares its packages.
func head(src []byte) string {
	var parts []string
	n, script := 0, false
	for line := range bytes.Lines(src) {
		text := strings.TrimSpace(string(line))
		switch {
		case n == 0 && strings.HasPrefix(text, "#!"), n < 2 && strings.HasPrefix(text, "#") && strings.Contains(text, "coding"):
			parts = append(parts, text)
		case strings.HasPrefix(text, "# ///"):
			script = !script
			parts = append(parts, text)
		case script && strings.HasPrefix(text, "#"):
			parts = append(parts, text)
		default:
			script = false
		}
		n++
	}
	return strings.Join(parts, "\n")
}

// Tokens returns the tokens of a file.
func Tokens(src []byte) (tokens []Token, err error) {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return nil, &Problem{1, "it begins with a byte order mark"}
	}
	defer catch(&err)
	tokens, _ = scan(string(src), 1, false)
	return tokens, nil
}
