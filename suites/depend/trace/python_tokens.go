package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"hookwatch/suites/pattern"
)

// Kinds of Python tokens.
type pyKind byte

const (
	pyEnd pyKind = iota
	pyNewline
	pyIndent
	pyDedent
	pyName
	pyNumber
	pyString
	pyOp
)

// A pyToken is a token of Python. Comments and newlines within statements are no tokens.
type pyToken struct {
	kind      pyKind
	text      string
	line, end int       // first and last line
	at        int       // offset of its first byte
	fields    []pyField // of an f-string
}

// A pyField is a replacement field of an f-string.
type pyField struct {
	text string
	line int
}

// A pySyntax is an error of the tokenizer or parser.
type pySyntax struct {
	line int
	what string
}

func (e *pySyntax) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// fail ends parsing; pythonTokens and the parser recover it.
func fail(line int, format string, args ...any) {
	panic(&pySyntax{line, fmt.Sprintf(format, args...)})
}

// catch turns a call of fail into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case *pySyntax:
		*err = r
	default:
		panic(r)
	}
}

// A pyScanner divides a text into tokens.
type pyScanner struct {
	src    string
	at     int
	line   int
	nested []byte // open brackets
	tokens []pyToken
	warns  []string // texts of which Python warns when it compiles them
}

// scanPython returns the tokens of a file. In a bracket, as in the field of an f-string, newlines
// and indentation do not count.
func scanPython(src string, line int, bracket bool) (tokens []pyToken, warns []string) {
	s := &pyScanner{src: src, line: line}
	if bracket {
		s.nested = []byte{'('}
	}
	indents := []indent{{}}
	for {
		if len(s.nested) == 0 && s.lineStart() {
			in, blank := s.indentation()
			if blank {
				if s.at >= len(s.src) {
					break
				}
				continue
			}
			indents = s.indent(indents, in)
		}
		s.space()
		if s.at >= len(s.src) {
			break
		}
		s.token()
	}
	if bracket {
		if len(s.nested) != 1 {
			fail(s.line, "a bracket is not closed")
		}
		s.add(pyEnd, s.at, s.line)
		return s.tokens, s.warns
	}
	if len(s.nested) > 0 {
		fail(s.line, "a bracket is not closed")
	}
	if n := len(s.tokens); n > 0 && s.tokens[n-1].kind != pyNewline {
		s.add(pyNewline, s.at, s.line)
	}
	for range indents[1:] {
		s.add(pyDedent, s.at, s.line)
	}
	s.add(pyEnd, s.at, s.line)
	return s.tokens, s.warns
}

// An indent is the width of white space, with tabs of 8 and of 1.
type indent struct{ wide, narrow int }

// lineStart reports whether a logical line may start here.
func (s *pyScanner) lineStart() bool {
	n := len(s.tokens)
	return (n == 0 || s.tokens[n-1].kind == pyNewline) && (s.at == 0 || s.src[s.at-1] == '\n')
}

// indentation reads white space, and skips the line if nothing follows.
func (s *pyScanner) indentation() (in indent, blank bool) {
	for ; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case ' ':
			in.wide, in.narrow = in.wide+1, in.narrow+1
		case '\t':
			in.wide, in.narrow = (in.wide/8+1)*8, in.narrow+1
		case '\f':
			in = indent{}
		case '#', '\n':
			if end := strings.IndexByte(s.src[s.at:], '\n'); end >= 0 {
				s.at += end + 1
				s.line++
				return in, true
			}
			s.at = len(s.src)
			return in, true
		case '\\':
			fail(s.line, "a line begins with a backslash") // its indentation differs between versions
		default:
			return in, false
		}
	}
	return in, true
}

// indent adds the tokens for a line with this indentation.
func (s *pyScanner) indent(indents []indent, in indent) []indent {
	last := indents[len(indents)-1]
	switch {
	case in == last:
		return indents
	case in.wide > last.wide && in.narrow > last.narrow:
		if len(indents) > 90 {
			fail(s.line, "too many levels of indentation")
		}
		s.add(pyIndent, s.at, s.line)
		return append(indents, in)
	}
	for indents[len(indents)-1].wide > in.wide {
		s.add(pyDedent, s.at, s.line)
		indents = indents[:len(indents)-1]
	}
	if indents[len(indents)-1] != in {
		fail(s.line, "inconsistent indentation")
	}
	return indents
}

func (s *pyScanner) add(kind pyKind, from, line int) *pyToken {
	s.tokens = append(s.tokens, pyToken{kind: kind, text: s.src[from:s.at], line: line, end: s.line, at: from})
	return &s.tokens[len(s.tokens)-1]
}

// space skips white space, comments, joined lines and, in brackets, newlines.
func (s *pyScanner) space() {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t' || c == '\f':
			s.at++
		case c == '\n' && len(s.nested) > 0:
			s.at++
			s.line++
		case c == '\\' && s.at+2 < len(s.src) && s.src[s.at+1] == '\n':
			s.at += 2
			s.line++
		case c == '#':
			if end := strings.IndexByte(s.src[s.at:], '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.src)
			}
		default:
			return
		}
	}
}

// pyOps are the operators, longest first.
var pyOps = strings.Fields("**= //= >>= <<= ... != -> ** // >> << <= >= == := += -= *= /= %= &= |= ^= @= ( ) [ ] { } , : ; . = + - * / % & | ^ ~ < > @ !")

func (s *pyScanner) token() {
	c := s.src[s.at]
	from, line := s.at, s.line
	switch {
	case c == '\n':
		s.at++
		s.line++
		s.tokens = append(s.tokens, pyToken{kind: pyNewline, text: "\n", line: line, end: line, at: from})
	case isPyLetter(c):
		for s.at < len(s.src) && (isPyLetter(s.src[s.at]) || isDigit(s.src[s.at])) {
			s.at++
		}
		if s.at < len(s.src) && (s.src[s.at] == '"' || s.src[s.at] == '\'') {
			if prefix := strings.ToLower(s.src[from:s.at]); strings.Contains(" r u b f br rb fr rf ", " "+prefix+" ") {
				s.str(from, prefix)
				return
			}
		}
		if s.at < len(s.src) && s.src[s.at] >= utf8.RuneSelf {
			fail(line, "a name has characters outside ASCII")
		}
		s.add(pyName, from, line)
	case c == '"' || c == '\'':
		s.str(from, "")
	case isDigit(c) || c == '.' && s.at+1 < len(s.src) && isDigit(s.src[s.at+1]):
		s.number(from)
	case c >= utf8.RuneSelf:
		fail(line, "a character outside ASCII")
	default:
		s.op(from, line)
	}
}

func (s *pyScanner) op(from, line int) {
	for _, op := range pyOps {
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
		s.add(pyOp, from, line)
		return
	}
	fail(line, "unexpected character %q", s.src[s.at])
}

func isPyLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }

// number reads a number, which must be followed by an operator or white space.
func (s *pyScanner) number(from int) {
	for s.at < len(s.src) {
		c := s.src[s.at]
		sign := (c == '+' || c == '-') && (s.src[s.at-1] == 'e' || s.src[s.at-1] == 'E') && !strings.HasPrefix(strings.ToLower(s.src[from:s.at]), "0x")
		if !isPyLetter(c) && !isDigit(c) && c != '.' && !sign {
			break
		}
		s.at++
	}
	text := strings.ToLower(s.src[from:s.at])
	if len(text) > 1000 || !pyNumbers().MatchString(text) {
		fail(s.line, "%s is no number", text)
	}
	s.add(pyNumber, from, s.line)
}

// pyNumbers matches a number in lower case. Only 0 may have leading zeros as an integer.
var pyNumbers = pattern.Lazy(`^(?:0x(?:_?[0-9a-f])+|0o(?:_?[0-7])+|0b(?:_?[01])+|0(?:_?0)*|[1-9](?:_?\d)*|` +
	`(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.)(?:e[+-]?\d(?:_?\d)*)?j?|\d(?:_?\d)*(?:e[+-]?\d(?:_?\d)*j?|j))$`)

// str reads a string whose prefix ends here.
func (s *pyScanner) str(from int, prefix string) {
	line := s.line
	quote := s.src[s.at : s.at+1]
	if strings.HasPrefix(s.src[s.at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	s.at += len(quote)
	raw, f, isBytes := strings.Contains(prefix, "r"), strings.Contains(prefix, "f"), strings.Contains(prefix, "b")
	var fields []pyField
	for {
		if s.at >= len(s.src) {
			fail(line, "a string is not closed")
		}
		c := s.src[s.at]
		switch {
		case strings.HasPrefix(s.src[s.at:], quote):
			s.at += len(quote)
			s.add(pyString, from, line).fields = fields
			return
		case c == '\\':
			s.escape(raw, f, isBytes)
		case c == '\n':
			if len(quote) == 1 {
				fail(line, "a string is not closed")
			}
			s.line++
			s.at++
		case f && (strings.HasPrefix(s.src[s.at:], "{{") || strings.HasPrefix(s.src[s.at:], "}}")):
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
}

// escape skips a backslash and what it escapes.
func (s *pyScanner) escape(raw, f, isBytes bool) {
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
	case isBytes && (c == 'u' || c == 'U' || c == 'N'):
		s.warns = append(s.warns, "\\"+string(c))
	case c == 'N':
		fail(s.line, "a string names a character")
	case digits > 0:
		if s.at+2+digits > len(s.src) {
			fail(s.line, "a truncated escape")
		}
		n, err := strconv.ParseUint(s.src[s.at+2:s.at+2+digits], 16, 32)
		if err != nil || n > utf8.MaxRune {
			fail(s.line, "a truncated escape")
		}
	case c >= '4' && c <= '7' && s.at+3 < len(s.src) && s.src[s.at+2] >= '0' && s.src[s.at+2] <= '7' && s.src[s.at+3] >= '0' && s.src[s.at+3] <= '7':
		s.warns = append(s.warns, s.src[s.at:s.at+4])
	case c >= utf8.RuneSelf || strings.IndexByte("\n\\'\"abfnrtv01234567", c) < 0:
		s.warns = append(s.warns, "\\"+string(c))
	}
	if c >= utf8.RuneSelf {
		s.at++
		return
	}
	s.at += 2
}

// field reads a replacement field of an f-string, from its brace on, and adds it to fields.
func (s *pyScanner) field(fields []pyField, quote string, depth int) []pyField {
	if depth > 1 {
		fail(s.line, "an f-string is nested too deeply")
	}
	s.at++
	from, line := s.at, s.line
	var nested []byte
scan:
	for {
		if s.at >= len(s.src) {
			fail(line, "an f-string is not closed")
		}
		c := s.src[s.at]
		switch {
		case c == '"' || c == '\'':
			inner := &pyScanner{src: s.src, at: s.at, line: s.line}
			if strings.HasPrefix(s.src[s.at:], quote) {
				fail(line, "an f-string has its own quotes in a field") // an error before 3.12
			}
			inner.str(s.at, s.prefix(from))
			s.at, s.line = inner.at, inner.line
			continue
		case c == '\\' || c == '#':
			fail(line, "an f-string has a backslash or comment in a field") // an error before 3.12
		case c == '\n':
			if len(quote) == 1 {
				fail(line, "an f-string is not closed")
			}
			s.line++
		case c == '(' || c == '[' || c == '{':
			nested = append(nested, c)
		case len(nested) > 0 && (c == ')' || c == ']' || c == '}'):
			nested = nested[:len(nested)-1]
		case len(nested) > 0:
		case c == '}' || c == ':' || c == '!' && !strings.HasPrefix(s.src[s.at:], "!="):
			break scan
		case c == '!':
			s.at++ // of "!="
		}
		s.at++
	}
	text := strings.TrimRight(s.src[from:s.at], " \t\n")
	if body, ok := strings.CutSuffix(text, "="); ok && body != "" && strings.IndexByte("=!<>", body[len(body)-1]) < 0 {
		text = body // prints its own text
	}
	fields = append(fields, pyField{text, line})
	if s.src[s.at] == '!' {
		if s.at+2 >= len(s.src) || strings.IndexByte("rsa", s.src[s.at+1]) < 0 {
			fail(line, "an f-string has an unknown conversion")
		}
		s.at += 2
	}
	if s.src[s.at] == ':' {
		for s.at++; ; {
			switch {
			case s.at >= len(s.src) || strings.HasPrefix(s.src[s.at:], quote) || s.src[s.at] == '\n' || s.src[s.at] == '\\':
				fail(line, "an f-string is not closed")
			case s.src[s.at] == '{':
				fields = s.field(fields, quote, depth+1)
				continue
			case s.src[s.at] == '}':
				s.at++
				return fields
			}
			s.at++
		}
	}
	if s.src[s.at] != '}' {
		fail(line, "an f-string is not closed")
	}
	s.at++
	return fields
}

// prefix returns the letters before the quote at the current place, back to from.
func (s *pyScanner) prefix(from int) string {
	start := s.at
	for start > from && isPyLetter(s.src[start-1]) {
		start--
	}
	return strings.ToLower(s.src[start:s.at])
}

// pythonHead returns the parts of a file that determine how it is run: the interpreter line, a
// declared encoding, and the metadata of a script that declares its packages.
func pythonHead(src []byte) string {
	var head []string
	n, script := 0, false
	for line := range bytes.Lines(src) {
		text := strings.TrimSpace(string(line))
		switch {
		case n == 0 && strings.HasPrefix(text, "#!"), n < 2 && strings.HasPrefix(text, "#") && strings.Contains(text, "coding"):
			head = append(head, text)
		case strings.HasPrefix(text, "# ///"):
			script = !script
			head = append(head, text)
		case script && strings.HasPrefix(text, "#"):
			head = append(head, text)
		default:
			script = false
		}
		n++
	}
	return strings.Join(head, "\n")
}

// A PythonToken is a token of Python, at the bytes From to To of the file. Line breaks and changes
// of the indentation are tokens without a text.
type PythonToken struct {
	Kind     PythonKind
	Text     string
	From, To int
}

// A PythonKind is the kind of a PythonToken.
type PythonKind = pyKind

// The kinds of tokens.
const (
	PythonEnd     = pyEnd
	PythonNewline = pyNewline
	PythonIndent  = pyIndent
	PythonDedent  = pyDedent
	PythonName    = pyName
	PythonNumber  = pyNumber
	PythonString  = pyString
	PythonOp      = pyOp
)

// PythonTokens returns the tokens of a file.
func PythonTokens(src []byte) (tokens []PythonToken, err error) {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return nil, &pySyntax{1, "it begins with a byte order mark"}
	}
	defer catch(&err)
	own, _ := scanPython(string(src), 1, false)
	for _, t := range own {
		if t.kind == pyNewline {
			t.text = ""
		}
		tokens = append(tokens, PythonToken{t.kind, t.text, t.at, t.at + len(t.text)})
	}
	return tokens, nil
}
