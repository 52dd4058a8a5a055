package mutate

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend/python"
)

// pythonScript is a script of Python as lists of statements, each a range of tokens. The parser of
// traces decides which edits are accepted.
type pythonScript struct {
	parsed
	tokens []python.Token
	body   []*pythonStatement
	random *rand.Rand
}

// A pythonStatement is a statement with its decorators and clauses.
type pythonStatement struct {
	from, to    int // bytes
	first, last int // tokens; last is the first one after it
	clauses     []int
	blocks      [][]*pythonStatement
	starts      bool // it begins a line
	indent      string
}

func newPython(file string, text []byte, seed uint64) (Script, error) {
	p, err := newParsed(file, text)
	if err != nil {
		return nil, err
	}
	tokens, err := python.Tokens(text)
	if err != nil {
		return nil, err
	}
	s := &pythonScript{parsed: p, tokens: tokens, random: rand.New(rand.NewPCG(seed, 0))}
	i := 0
	s.body = s.block(&i)
	return s, nil
}

// Keywords that begin a clause with statements of its own, and those that continue a statement.
var (
	pythonClauses   = strings.Fields("if elif else while for try except finally with def class async match case")
	pythonContinues = strings.Fields("elif else except finally")
)

// block reads statements up to the end of an indented block or of the file.
func (s *pythonScript) block(i *int) (list []*pythonStatement) {
	for *i < len(s.tokens) && s.tokens[*i].Kind != python.Dedent && s.tokens[*i].Kind != python.End {
		list = append(list, s.line(i)...)
	}
	return list
}

// line reads a compound statement, or the simple statements of a line.
func (s *pythonScript) line(i *int) []*pythonStatement {
	st := &pythonStatement{first: *i, from: s.tokens[*i].From}
	compound := false
	for {
		at := *i
		for s.tokens[*i].Kind != python.Newline && s.tokens[*i].Kind != python.End {
			*i++
		}
		end := *i
		if s.tokens[*i].Kind == python.Newline {
			*i++
		}
		if s.tokens[at].Text == "@" {
			continue
		}
		if slices.Contains(pythonClauses, s.tokens[at].Text) && (s.tokens[*i].Kind == python.Indent || !slices.Contains([]string{"match", "case"}, s.tokens[at].Text)) {
			compound = true
			st.clauses = append(st.clauses, at)
		}
		if s.tokens[*i].Kind == python.Indent {
			*i++
			st.blocks = append(st.blocks, s.block(i))
			if s.tokens[*i].Kind == python.Dedent {
				*i++
			}
		}
		if compound && s.tokens[*i].Kind == python.Name && slices.Contains(pythonContinues, s.tokens[*i].Text) {
			continue
		}
		if !compound {
			return s.simple(st.first, end)
		}
		return []*pythonStatement{s.ended(st, *i)}
	}
}

// ended completes a statement whose tokens end before a place.
func (s *pythonScript) ended(st *pythonStatement, last int) *pythonStatement {
	for last > st.first+1 && s.tokens[last-1].Kind < python.Name {
		last--
	}
	st.last, st.to = last, s.tokens[last-1].To
	line := bytes.LastIndexByte(s.text[:st.from], '\n') + 1
	st.indent = string(s.text[line:st.from])
	st.starts = strings.TrimSpace(st.indent) == ""
	return st
}

// simple returns the statements of a line, which semicolons separate.
func (s *pythonScript) simple(first, last int) (list []*pythonStatement) {
	for i := first; i <= last; i++ {
		if i == last || s.tokens[i].Text == ";" {
			if i > first {
				list = append(list, s.ended(&pythonStatement{first: first, from: s.tokens[first].From}, i))
			}
			first = i + 1
		}
	}
	return list
}

// lists calls do with each list of statements.
func (s *pythonScript) lists(do func(list []*pythonStatement)) {
	var walk func(list []*pythonStatement)
	walk = func(list []*pythonStatement) {
		do(list)
		for _, st := range list {
			for _, b := range st.blocks {
				walk(b)
			}
		}
	}
	walk(s.body)
}

func (s *pythonScript) each(do func(st *pythonStatement)) {
	s.lists(func(list []*pythonStatement) {
		for _, st := range list {
			do(st)
		}
	})
}

// text of a statement.
func (s *pythonScript) of(st *pythonStatement) string { return s.at(st.from, st.to) }

// isText reports whether a statement is only a string, such as documentation.
func (s *pythonScript) isText(st *pythonStatement) bool {
	return !slices.ContainsFunc(s.tokens[st.first:st.last], func(t python.Token) bool { return t.Kind != python.String })
}

var pythonOperators = map[string]func(*pythonScript) []Change{
	"delete":   (*pythonScript).deletions,
	"negate":   (*pythonScript).negations,
	"exit":     (*pythonScript).exits,
	"constant": (*pythonScript).constants,
	"swap":     (*pythonScript).swaps,
	"print":    (*pythonScript).prints,
	"arm":      (*pythonScript).elements,
	"insert": func(s *pythonScript) []Change {
		return s.insertions(`open(2, "w", closefd=False).write("inserted\n")`, `raise ValueError("inserted")`)
	},
	"lines": func(s *pythonScript) []Change {
		return s.insertions("if 1 < 2:\n    print(\"added\")", "for added in [1, 2]:\n    print(\"added\", added)", "def added():\n    print(\"added\")\nadded()",
			"added = [\n    1,\n    2,\n]", "try:\n    added = 1\nexcept Exception:\n    pass")
	},
	"reorder": (*pythonScript).reorders,
	"global":  (*pythonScript).scopes,
	"rename":  (*pythonScript).renames,
	"comment": (*pythonScript).comments,
	"blank":   func(s *pythonScript) []Change { return s.before("\n\n", "add blank lines") },
	"indent":  (*pythonScript).indents,
}

// Changes implements Script.
func (s *pythonScript) Changes(operator string) []Change {
	if of := pythonOperators[operator]; of != nil {
		return of(s)
	}
	return nil
}

func (s *pythonScript) deletions() (list []Change) {
	s.each(func(st *pythonStatement) {
		if !s.isText(st) {
			list = append(list, Change{st.from, st.to, "pass", "delete " + short(s.of(st))})
		}
	})
	return list
}

// until returns the first token from a place on that is outside of brackets opened after it and is
// one of the words, closes a bracket or ends the line. Colons of lambdas do not count.
func (s *pythonScript) until(i int, words ...string) int {
	depth, lambdas := 0, 0
	for ; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.Kind == python.String {
			continue
		}
		if depth == 0 && t.Text == ":" && lambdas > 0 {
			lambdas--
			continue
		}
		if t.Kind == python.Newline || t.Kind == python.End || depth == 0 && (slices.Contains(words, t.Text) || strings.Contains(")]}", t.Text)) {
			return i
		}
		switch t.Text {
		case "lambda":
			lambdas++
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return len(s.tokens) - 1
}

// between returns the text of the tokens from first to before last.
func (s *pythonScript) between(first, last int) (from, to int, text string) {
	from, to = s.tokens[first].From, s.tokens[max(first, last-1)].To
	return from, to, s.at(from, to)
}

func (s *pythonScript) negations() (list []Change) {
	heads := map[int]bool{}
	add := func(first int, open, end string, words ...string) {
		if last := s.until(first, words...); last > first {
			from, to, text := s.between(first, last)
			list = append(list, Change{from, to, open + text + end, "negate " + short(text)})
		}
	}
	s.each(func(st *pythonStatement) {
		for _, at := range st.clauses {
			if word := s.tokens[at].Text; word == "if" || word == "elif" || word == "while" {
				heads[at] = true
				add(at+1, "not (", ")", ":")
			}
		}
		if s.tokens[st.first].Text == "assert" {
			add(st.first+1, "not (", ")", ",")
		}
	})
	for i, t := range s.tokens { // of conditional expressions and comprehensions
		if t.Kind == python.Name && t.Text == "if" && !heads[i] {
			add(i+1, "(not (", "))", "else", "for", "async", "if", ",", ":")
		}
	}
	return list
}

// exits change what a function returns and what the process exits with.
func (s *pythonScript) exits() (list []Change) {
	s.each(func(st *pythonStatement) {
		if s.tokens[st.first].Text != "return" || st.last == st.first+1 {
			return
		}
		_, _, value := s.between(st.first+1, st.last)
		for _, with := range []string{"return None", "return not (" + value + ")"} {
			list = append(list, Change{st.from, st.to, with, "make it " + short(with)})
		}
	})
	for i, t := range s.tokens {
		if t.Kind != python.Name || !slices.Contains([]string{"exit", "_exit", "SystemExit"}, t.Text) || s.tokens[i+1].Text != "(" || i > 0 && s.tokens[i-1].Text == "def" {
			continue
		}
		end, code := s.until(i+2), 0
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
	s.each(func(st *pythonStatement) {
		for i := st.first; i < st.last && s.isText(st); i++ {
			texts[i] = true
		}
	})
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
		case t.Kind == python.Name && t.Text == "True":
			list = append(list, Change{t.From, t.To, "False", what})
		case t.Kind == python.Name && t.Text == "False":
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
		if t.Kind == python.String {
			continue
		}
		word, to := t.Text, t.To
		if next := s.tokens[min(i+1, len(s.tokens)-1)]; word == "not" && next.Text == "in" || word == "is" && next.Text == "not" {
			word, to = word+" "+next.Text, next.To
			i++
		}
		if with, ok := pythonSwaps[word]; ok { // the "in" of a loop is rejected by the parser
			list = append(list, Change{t.From, to, with, word + " to " + with})
		}
	}
	return list
}

// prints add a statement that prints, on either stream.
func (s *pythonScript) prints() (list []Change) {
	s.each(func(st *pythonStatement) {
		if !st.starts {
			return
		}
		before := " before " + short(s.of(st))
		list = append(list,
			Change{st.from, st.from, "print(\"printed\")\n" + st.indent, "print on stdout" + before},
			Change{st.from, st.from, "open(2, \"w\", closefd=False).write(\"printed\\n\")\n" + st.indent, "print on stderr" + before})
	})
	return list
}

// elements drop an element of a list, tuple, set or dictionary.
func (s *pythonScript) elements() (list []Change) {
	keywords := strings.Fields("in return and or not if else is yield elif while except")
	for i, t := range s.tokens {
		if t.Kind != python.Operator || t.Text != "[" && t.Text != "(" && t.Text != "{" || i == 0 {
			continue
		}
		last := s.tokens[i-1]
		operand := last.Kind == python.Name && !slices.Contains(keywords, last.Text) || last.Kind == python.String || last.Text == ")" || last.Text == "]" || last.Kind < python.Name
		if t.Text != "{" && operand {
			continue // a call, an index or a target
		}
		starts, comprehension := []int{i + 1}, false
		end := i + 1
		for {
			end = s.until(end, ",", "for")
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
			_, _, what := s.between(starts[k], starts[k+1]-1)
			with := ""
			if t.Text == "(" && len(starts) == 2 && !trailing { // (b) would be no tuple
				from, to, with = s.between(starts[0], end)
				_, _, with = s.between(starts[1], end)
				with += ","
			}
			list = append(list, Change{from, to, with, "drop " + short(what)})
		}
	}
	return list
}

// insertions add one of the pieces before each statement and at the end of each block.
func (s *pythonScript) insertions(pieces ...string) (list []Change) {
	s.lists(func(block []*pythonStatement) {
		for i, st := range block {
			if !st.starts {
				continue
			}
			piece := strings.ReplaceAll(pieces[s.random.IntN(len(pieces))], "\n", "\n"+st.indent)
			list = append(list, Change{st.from, st.from, piece + "\n" + st.indent, "insert " + short(piece)})
			if i == len(block)-1 {
				list = append(list, Change{st.to, st.to, "\n" + st.indent + piece, "append " + short(piece)})
			}
		}
	})
	return list
}

// before adds a piece in front of statements that begin a line.
func (s *pythonScript) before(piece, what string) (list []Change) {
	s.each(func(st *pythonStatement) {
		if st.starts {
			list = append(list, Change{st.from, st.from, piece + st.indent, what})
		}
	})
	return list
}

func (s *pythonScript) comments() []Change {
	list := s.before("# a comment\n", "add a comment")
	s.each(func(st *pythonStatement) {
		if st.to == len(s.text) || s.text[st.to] == '\n' {
			list = append(list, Change{st.to, st.to, "  # behind", "add a comment behind"})
		}
	})
	return list
}

func (s *pythonScript) reorders() (list []Change) {
	s.lists(func(block []*pythonStatement) {
		for i := 1; i < len(block); i++ {
			if a, b := block[i-1], block[i]; a.starts && b.starts {
				list = append(list, Change{a.from, b.to, s.of(b) + "\n" + b.indent + s.of(a), "exchange " + short(s.of(a)) + " and " + short(s.of(b))})
			}
		}
	})
	return list
}

// scopes bind or delete names that a statement uses, decorate functions, and replace imports.
func (s *pythonScript) scopes() (list []Change) {
	s.each(func(st *pythonStatement) {
		if !st.starts {
			return
		}
		switch s.tokens[st.first].Text {
		case "import", "from":
			list = append(list, Change{st.from, st.to, "import os", "import os instead of " + short(s.of(st))})
		case "def", "async":
			list = append(list, Change{st.from, st.from, "@(lambda f: f)\n" + st.indent, "decorate " + short(s.of(st))},
				Change{st.from, st.from, "@__import__('functools').lru_cache(None)\n" + st.indent, "cache " + short(s.of(st))})
		}
		var names []string
		for _, t := range s.tokens[st.first:st.last] {
			if t.Kind == python.Name && !slices.Contains(pythonClauses, t.Text) {
				names = append(names, t.Text)
			}
		}
		if len(names) == 0 {
			return
		}
		name := names[s.random.IntN(len(names))]
		piece := []string{name + " = 1", "import os as " + name, "del " + name, "for " + name + " in []:\n" + st.indent + "    pass", "global " + name, "yield " + name}[s.random.IntN(6)]
		list = append(list, Change{st.from, st.from, piece + "\n" + st.indent, "add " + short(piece)})
	})
	return list
}

func (s *pythonScript) renames() (list []Change) {
	for i, t := range s.tokens {
		if t.Kind != python.Name || i == 0 || s.tokens[i-1].Text != "def" {
			continue
		}
		list = append(list, Change{t.From, t.To, t.Text + "_renamed", "rename the definition of " + t.Text})
		word := regexp.MustCompile(`\b` + regexp.QuoteMeta(t.Text) + `\b`)
		list = append(list, Change{0, len(s.text), string(word.ReplaceAll(s.text, []byte(t.Text+"_renamed"))), "rename " + t.Text})
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
