package mutate

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend/python"
)

// pythonScript is a script of Python with its tokens. The parser of traces decides which edits are
// accepted.
type pythonScript struct {
	tree
	tokens []python.Token
}

func newPython(file string, text []byte, seed uint64) (Script, error) {
	t, err := newTree(file, text, seed)
	if err != nil {
		return nil, err
	}
	t.lines = true
	t.add(t.script.Body)
	tokens, err := python.Tokens(text)
	return &pythonScript{t, tokens}, err
}

// pythonClauses are the keywords that begin a clause with statements of its own.
var pythonClauses = strings.Fields("if elif else while for try except finally with def class async match case")

func (s *pythonScript) tokensBetween(from, to int) []python.Token {
	return s.tokens[s.first(from):s.first(to)]
}

// first returns the first token from a place on, after a change of the indentation there.
func (s *pythonScript) first(at int) int {
	i, _ := slices.BinarySearchFunc(s.tokens, at, func(t python.Token, at int) int { return cmp.Compare(t.From, at) })
	for s.tokens[i].Kind == python.Indent || s.tokens[i].Kind == python.Dedent {
		i++
	}
	return i
}

// isText reports whether a statement is only a string, such as documentation.
func (s *pythonScript) isText(from, to int) bool {
	return !slices.ContainsFunc(s.tokensBetween(from, to), func(t python.Token) bool { return t.Kind != python.String })
}

var pythonOperators = map[string]func(*pythonScript) []Change{
	"delete": func(s *pythonScript) []Change {
		return slices.DeleteFunc(s.deletions("pass", "pass"), func(c Change) bool { return s.isText(c.From, c.To) })
	},
	"negate":   (*pythonScript).negations,
	"exit":     (*pythonScript).exits,
	"constant": (*pythonScript).constants,
	"swap":     (*pythonScript).swaps,
	"print": func(s *pythonScript) []Change {
		return s.prints(`print("printed")`, `open(2, "w", closefd=False).write("printed\n")`)
	},
	"arm": (*pythonScript).elements,
	"insert": func(s *pythonScript) []Change {
		return s.insertions(`open(2, "w", closefd=False).write("inserted\n")`, `raise ValueError("inserted")`)
	},
	"lines": func(s *pythonScript) []Change {
		return s.insertions("if 1 < 2:\n    print(\"added\")", "for added in [1, 2]:\n    print(\"added\", added)", "def added():\n    print(\"added\")\nadded()",
			"added = [\n    1,\n    2,\n]", "try:\n    added = 1\nexcept Exception:\n    pass")
	},
	"reorder": func(s *pythonScript) []Change { return s.reorders() },
	"global":  (*pythonScript).scopes,
	"rename":  (*pythonScript).renames,
	"comment": (*pythonScript).comments,
	"blank":   func(s *pythonScript) []Change { return s.insertBefore("\n\n", "add blank lines") },
	"indent":  (*pythonScript).indents,
}

// Changes implements Script.
func (s *pythonScript) Changes(operator string) []Change {
	return changesBy(pythonOperators, operator, s)
}

// findEnd returns the first token from a place on that is outside of brackets opened after it and is
// one of the words, closes a bracket or ends the line. Colons of lambdas do not count.
func (s *pythonScript) findEnd(i int, words ...string) int {
	depth, lambdas := 0, 0
	for ; i < len(s.tokens); i++ {
		switch t := s.tokens[i]; {
		case t.Kind == python.Newline, t.Kind == python.End:
			return i
		case depth == 0 && t.Text == ":" && lambdas > 0:
			lambdas--
		case depth == 0 && (slices.Contains(words, t.Text) || strings.Contains(")]}", t.Text)):
			return i
		case t.Text == "lambda":
			lambdas++
		case slices.Contains([]string{"(", "[", "{"}, t.Text):
			depth++
		case slices.Contains([]string{")", "]", "}"}, t.Text):
			depth--
		}
	}
	return len(s.tokens) - 1
}

// span returns the text of the tokens from first to before last.
func (s *pythonScript) span(first, last int) (from, to int, text string) {
	from, to = s.tokens[first].From, s.tokens[max(first, last-1)].To
	return from, to, s.at(from, to)
}

func (s *pythonScript) negations() (list []Change) {
	heads := map[int]bool{}
	add := func(first int, open, end string, words ...string) {
		if last := s.findEnd(first, words...); last > first {
			from, to, text := s.span(first, last)
			list = append(list, Change{from, to, open + text + end, "negate " + short(text)})
		}
	}
	for _, st := range s.script.Statements {
		switch at := s.first(st.From); s.tokens[at].Text {
		case "if", "elif", "while":
			heads[at] = true
			add(at+1, "not (", ")", ":")
		case "assert":
			add(at+1, "not (", ")", ",")
		}
	}
	for i, t := range s.tokens { // of conditional expressions and comprehensions
		if t.Text == "if" && !heads[i] {
			add(i+1, "(not (", "))", "else", "for", "async", "if", ",", ":")
		}
	}
	return list
}

// exits change what a function returns and what the process exits with.
func (s *pythonScript) exits() (list []Change) {
	for _, st := range s.all {
		first, last := s.first(st.From), s.first(st.To)
		if s.tokens[first].Text != "return" || last == first+1 {
			continue
		}
		_, _, value := s.span(first+1, last)
		for _, with := range []string{"return None", "return not (" + value + ")"} {
			list = append(list, Change{st.From, st.To, with, "make it " + short(with)})
		}
	}
	for i, t := range s.tokens {
		defined := i > 0 && s.tokens[i-1].Text == "def"
		if defined || !slices.Contains([]string{"exit", "_exit", "SystemExit"}, t.Text) || s.tokens[i+1].Text != "(" {
			continue
		}
		end, code := s.findEnd(i+2), 0
		if n, err := strconv.Atoi(s.tokens[i+2].Text); err == nil && end == i+3 {
			code = n
		}
		from, to := s.tokens[i+1].From, s.tokens[end].To
		list = append(list, Change{from, to, "(" + strconv.Itoa((code+1)%3) + ")", "exit otherwise than " + short(s.at(t.From, to))})
	}
	return list
}

var pythonQuote = regexp.MustCompile(`^[a-zA-Z]*('''|"""|'|")`)

func (s *pythonScript) constants() (list []Change) {
	texts := map[int]bool{}
	for _, st := range s.all {
		for i := s.first(st.From); i < s.first(st.To) && s.isText(st.From, st.To); i++ {
			texts[i] = true
		}
	}
	for i, t := range s.tokens {
		what := "change " + short(t.Text)
		switch {
		case t.Kind == python.String && !texts[i]:
			at := t.From + len(pythonQuote.FindString(t.Text))
			list = append(list, Change{at, at, "x", what})
		case t.Kind == python.Number:
			if n, err := strconv.Atoi(t.Text); err == nil {
				list = append(list, Change{t.From, t.To, strconv.Itoa(n + 1), what})
			}
		case t.Text == "True":
			list = append(list, Change{t.From, t.To, "False", what})
		case t.Text == "False":
			list = append(list, Change{t.From, t.To, "True", what})
		}
	}
	return list
}

// pythonSwaps has the opposite of each operator. "not in" and "is not" are two tokens.
var pythonSwaps = map[string]string{
	"and": "or", "or": "and", "==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "in": "not in", "not in": "in", "is": "is not", "is not": "is",
}

func (s *pythonScript) swaps() (list []Change) {
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		word, to := t.Text, t.To
		next := s.tokens[min(i+1, len(s.tokens)-1)]
		if _, both := pythonSwaps[word+" "+next.Text]; both {
			word, to = word+" "+next.Text, next.To
			i++
		}
		if with, ok := pythonSwaps[word]; ok { // the "in" of a loop is rejected by the parser
			list = append(list, Change{t.From, to, with, word + " to " + with})
		}
	}
	return list
}

func (s *pythonScript) elements() (list []Change) {
	keywords := strings.Fields("in return and or not if else is yield elif while except")
	for i, t := range s.tokens {
		if i == 0 || !slices.Contains([]string{"[", "(", "{"}, t.Text) {
			continue
		}
		operand := false
		switch last := s.tokens[i-1]; last.Kind {
		case python.Name:
			operand = !slices.Contains(keywords, last.Text)
		case python.Operator, python.Number:
			operand = slices.Contains([]string{")", "]"}, last.Text)
		default: // a string, or the beginning of a line
			operand = true
		}
		if t.Text != "{" && operand {
			continue // a call, an index or a target
		}
		starts, comprehension := []int{i + 1}, false
		end := i + 1
		for {
			end = s.findEnd(end, ",", "for")
			if s.tokens[end].Text != "," {
				comprehension = s.tokens[end].Text == "for"
				break
			}
			end++
			starts = append(starts, end)
		}
		trailing := starts[len(starts)-1] == end
		if trailing {
			starts = starts[:len(starts)-1]
		}
		if comprehension || len(starts) < 2 {
			continue
		}
		for k := range starts[:len(starts)-1] {
			from, to := s.tokens[starts[k]].From, s.tokens[starts[k+1]].From
			_, _, what := s.span(starts[k], starts[k+1]-1)
			with := ""
			if t.Text == "(" && len(starts) == 2 && !trailing { // (b) would be no tuple
				from, to, with = s.span(starts[0], end)
				_, _, with = s.span(starts[1], end)
				with += ","
			}
			list = append(list, Change{from, to, with, "drop " + short(what)})
		}
	}
	return list
}

func (s *pythonScript) comments() []Change {
	list := s.insertBefore("# a comment\n", "add a comment")
	for _, st := range s.all {
		if st.To == len(s.text) || s.text[st.To] == '\n' {
			list = append(list, Change{st.To, st.To, "  # behind", "add a comment behind"})
		}
	}
	return list
}

// scopes bind or delete names that a statement uses, decorate functions, and replace imports.
func (s *pythonScript) scopes() (list []Change) {
	for _, st := range s.all {
		if _, starts := s.indent(st); !starts {
			continue
		}
		switch s.tokens[s.first(st.From)].Text {
		case "import", "from":
			list = append(list, Change{st.From, st.To, "import os", "import os instead of " + short(s.textOf(st))})
		case "def", "async":
			list = s.put(list, st, "@(lambda f: f)", "decorate "+short(s.textOf(st)))
			list = s.put(list, st, "@__import__('functools').lru_cache(None)", "cache "+short(s.textOf(st)))
		}
		var names []string
		for _, t := range s.tokensBetween(st.From, st.To) {
			if t.Kind == python.Name && !slices.Contains(pythonClauses, t.Text) {
				names = append(names, t.Text)
			}
		}
		if len(names) > 0 {
			name := names[s.random.IntN(len(names))]
			piece := []string{name + " = 1", "import os as " + name, "del " + name, "for " + name + " in []:\n    pass", "global " + name, "yield " + name}[s.random.IntN(6)]
			list = s.put(list, st, piece, "add "+short(piece))
		}
	}
	return list
}

func (s *pythonScript) renames() (list []Change) {
	for i, t := range s.tokens {
		if t.Kind == python.Name && i > 0 && s.tokens[i-1].Text == "def" {
			list = append(list, s.rename(t.From, t.To, "_renamed")...)
		}
	}
	return list
}

// indents indent lines that do not continue a string further.
func (s *pythonScript) indents() (list []Change) {
	inside := map[int]bool{} // offsets of lines
	for _, t := range s.tokens {
		for i := t.From; t.Kind == python.String && i < t.To; i++ {
			if s.text[i] == '\n' {
				inside[i+1] = true
			}
		}
	}
	for _, factor := range []int{2, 3} {
		var b bytes.Buffer
		at := 0
		for line := range bytes.Lines(s.text) {
			head := len(line) - len(bytes.TrimLeft(line, " "))
			if !inside[at] {
				b.WriteString(strings.Repeat(" ", head*(factor-1)))
			}
			b.Write(line)
			at += len(line)
		}
		list = append(list, Change{0, len(s.text), b.String(), "indent " + strconv.Itoa(factor) + " times as far"})
	}
	return list
}
