package javascript

import (
	"maps"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// A meaning describes what a statement does outside its own blocks.
type meaning struct {
	// defines are the names that the statement defines without any other effect, and those of other
	// such statements that use them; nil for other statements.
	defines []string
	self    string // why it may read the text of the file; "" if it does not
	// Words are the names and short strings in the statement, except in statements that only pass
	// values on under the same name.
	script.Facts
}

// allExports is the word for all exports of a module: a statement has it if it may use exports without
// naming them.
const allExports = "module.exports"

// meanings describes all statements of a program.
func (p *Program) meanings() map[*Statement]*meaning {
	r := &reader{meanings: map[*Statement]*meaning{}, names: map[string]int{}, static: map[string]int{}, imported: map[string]bool{}, known: map[string]bool{}}
	r.survey(p.Body)
	r.block(p.Body, true)
	r.closure()
	return r.meanings
}

// A reader derives meanings from tokens.
type reader struct {
	meanings map[*Statement]*meaning
	names    map[string]int  // uses of a name as a variable
	static   map[string]int  // those of them that are followed by the name of a member
	known    map[string]bool // names that have a value when a statement of the file runs
	imported map[string]bool // names that come from other files
	children bool            // the file uses child processes
	assigns  int             // assignments to module.exports
	pure     []*meaning      // of the statements that only define names
	flows    []flow
}

// A flow is a part of a statement that gives names values, which depend on other names.
type flow struct{ names, uses []string }

// at returns a token of a list, one of kind End outside the list.
func at(t []Token, i int) Token {
	if i < 0 || i >= len(t) {
		return Token{}
	}
	return t[i]
}

func text(t []Token, i int) string { return at(t, i).Text }

// match returns the index behind the tokens from i on that are those of a pattern, 0 if there are others. In
// a pattern, <name> and <string> stand for any name and string.
func match(t []Token, i int, pattern string) int {
	for word := range strings.FieldsSeq(pattern) {
		switch {
		case text(t, i) == word, word == "<name>" && at(t, i).Kind == Name, word == "<string>" && at(t, i).Kind == String:
			i++
		default:
			return 0
		}
	}
	return i
}

// matches reports whether the tokens from i on are those of one of the patterns.
func matches(t []Token, i int, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return match(t, i, pattern) > 0 })
}

// declarators are the words that begin the declaration of variables.
var declarators = script.Words("const let var")

// isMember reports whether the token at i is the name of a member.
func isMember(t []Token, i int) bool { return at(t, i-1).among(".", "?.") }

// nesting returns by how much a token changes the number of open brackets.
func nesting(text string) int {
	switch text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// literal returns the content of a string, "" for other tokens.
func literal(t []Token, i int) string {
	if at(t, i).Kind != String {
		return ""
	}
	return t[i].value()
}

// survey counts names before the statements are read.
func (r *reader) survey(b *Block) {
	for _, s := range b.Statements {
		t := s.Tokens
		for i := range t {
			if loadsForeign(t, i) {
				for _, name := range s.Names {
					r.imported[name] = true
				}
			}
			if t[i].Kind == Name && !isMember(t, i) {
				r.names[t[i].Text]++
				if at(t, i+2).Kind == Name && isMember(t, i+2) && !at(t, i+3).among("=", "++", "--") {
					r.static[t[i].Text]++
				}
			}
			switch strings.TrimPrefix(literal(t, i), "node:") {
			case "child_process", "cluster", "execa", "zx", "shelljs", "cross-spawn", "worker_threads":
				r.children = true
			}
			if matches(t, i, "module . exports =") {
				r.assigns++
			}
		}
		for _, inner := range s.Blocks {
			r.survey(inner)
		}
	}
}

func (r *reader) block(b *Block, top bool) {
	outer := r.known
	r.known = maps.Clone(outer)
	defer func() { r.known = outer }()
	for _, d := range b.Declared { // not before its definition, even if another scope has the name
		delete(r.known, d[strings.IndexByte(d, ' ')+1:])
	}
	for _, s := range b.Statements {
		if s.Function != "" {
			r.known[s.Function] = true // hoisted
		}
	}
	for _, s := range b.Statements {
		m := &meaning{}
		r.meanings[s] = m
		r.facts(s, m)
		if names, ok := r.defines(s, top); ok {
			m.defines = names
			if !m.Dynamic {
				r.pure = append(r.pure, m)
				r.flow(s, names)
				r.foreignWords(s, m)
			}
			for _, n := range s.Names {
				r.known[n] = true
			}
		} else if !r.passes(s) {
			r.words(s, m)
		}
		if m.defines != nil && m.Dynamic {
			m.defines = nil
			r.words(s, m)
		}
		for _, inner := range s.Blocks {
			r.block(inner, false)
		}
	}
}

// flow adds the flows of a statement that defines names. Each export is one of its own.
func (r *reader) flow(s *Statement, names []string) {
	t := s.Tokens
	from := 0
	switch {
	case text(t, 0) == "module":
		from = 4
	case text(t, 0) == "export" && text(t, 1) == "{":
		from = 1
	default:
		r.flows = append(r.flows, flow{names, uses(t)})
		return
	}
	depth, start := 0, from+1
	for i := from; i < len(t); i++ {
		n := nesting(text(t, i))
		if depth += n; n > 0 || n == 0 && text(t, i) != "," {
			continue
		}
		if part := t[start:i:i]; (depth == 0 || depth == 1 && text(t, i) == ",") && len(part) > 0 {
			names := []string{allExports, part[0].Text, part[len(part)-1].Text} // "a: b", "a as b"
			r.flows = append(r.flows, flow{names, uses(part)})
			start = i + 1
		}
	}
}

func uses(t []Token) []string {
	var list []string
	for i := range t {
		if t[i].Kind == Name && text(t, i-1) != "." {
			list = append(list, t[i].Text)
		}
	}
	return list
}

// closure adds to each definition the names of those that use it.
func (r *reader) closure() {
	users := map[string][]int{}
	for i, f := range r.flows {
		for _, n := range f.uses {
			users[n] = append(users[n], i)
		}
	}
	for _, m := range r.pure {
		seen := map[string]bool{}
		var list []string
		var add func(names []string)
		add = func(names []string) {
			for _, n := range names {
				if seen[n] {
					continue
				}
				seen[n] = true
				list = append(list, n)
				for _, j := range users[n] {
					add(r.flows[j].names)
				}
			}
		}
		add(m.defines)
		m.defines = list
	}
}

// words adds the names and short strings of a statement.
func (r *reader) words(s *Statement, m *meaning) {
	const longest = 60
	t := s.Tokens
	for i := range t {
		switch t[i].Kind {
		case Name, Private:
			m.Words = append(m.Words, t[i].Text)
		case String:
			if text := literal(t, i); len(text) <= longest {
				m.Words = append(m.Words, text)
			}
		}
		if loadsForeign(t, i) {
			m.Words = append(m.Words, allExports, "default")
		}
	}
}

// foreignWords adds the names from other files that a definition uses, such as defaults of parameters:
// the flows of those files end where this one begins.
func (r *reader) foreignWords(s *Statement, m *meaning) {
	t := s.Tokens
	for i := range t {
		foreign := isMember(t, i) || r.imported[t[i].Text] && !slices.Contains(s.Names, t[i].Text)
		if t[i].Kind == Name && foreign {
			m.Words = append(m.Words, t[i].Text)
		}
		if loadsForeign(t, i) {
			m.Words = append(m.Words, allExports, "default")
		}
	}
}

// loadsForeign reports whether a module that is none of Node's own is loaded at a token.
func loadsForeign(t []Token, i int) bool {
	return matches(t, i, "require (", "import", "from") && !isStandard(specifier(t, i))
}

// specifier returns the name of the module that is loaded at a token, "" if it is not literal.
func specifier(t []Token, i int) string {
	if text(t, i+1) == "(" {
		i++
		if !at(t, i+2).among(")", ",") {
			return ""
		}
	}
	return literal(t, i+1)
}

// passes reports whether a statement only makes exports of another module known under the same
// names, so that later statements mention them if they use them.
func (r *reader) passes(s *Statement) bool {
	t := s.Tokens
	switch {
	case matches(t, 0, "import {"):
		return !slices.ContainsFunc(t, func(t Token) bool { return t.among("as", "default") })
	case matches(t, 0, "import * as"):
		return r.namespace(text(t, 3))
	case !declarators[text(t, 0)]:
		return false
	}
	n := len(t)
	switch {
	case n < 7, !matches(t, n-5, "= require ( <string> )"), literal(t, n-2) == "":
		return false
	case n == 7:
		return t[1].Kind == Name && r.namespace(t[1].Text)
	}
	return text(t, 1) == "{" && text(t, n-6) == "}" && !slices.ContainsFunc(t[2:n-6], func(t Token) bool { return t.Kind != Name && t.Text != "," })
}

// namespace reports whether a variable is used for its named members alone, apart from its
// declaration.
func (r *reader) namespace(name string) bool { return r.names[name] == r.static[name]+1 }

// defines returns the names of a statement that has no effect except on these, and whether it is
// one.
func (r *reader) defines(s *Statement, top bool) ([]string, bool) {
	t := s.Tokens
	exported := false
	if text(t, 0) == "export" {
		exported = true
		t = t[1:]
		if text(t, 0) == "{" && literal(t, len(t)-1) == "" {
			return append([]string{allExports}, uses(t)...), true
		}
	}
	names := slices.Clone(s.Names)
	if exported {
		names = append(names, allExports)
	}
	if text(t, 0) == "default" {
		names = append(names, "default")
		t = t[1:]
		if s.Function == "" && text(t, 0) != "class" {
			return names, r.isPure(t)
		}
	}
	switch {
	case s.Function != "":
		return names, true
	case text(t, 0) == "class":
		return names, pureClass(t)
	case declarators[text(t, 0)]:
		return names, r.pureVariables(t[1:])
	case text(t, 0) == "import":
		return names, len(names) > 0 && isStandard(literal(t, len(t)-1))
	case !top:
	case matches(t, 0, "module . exports =") && r.assigns == 1 && r.names["exports"] == 0:
		return r.exportsObject(t[4:])
	case matches(t, 0, "exports . <name> =") && r.assigns == 0:
		return []string{t[2].Text, allExports}, r.isPure(t[4:])
	}
	return nil, false
}

var standardModules = script.Words("assert async_hooks buffer child_process console constants crypto dgram dns events fs fs/promises http http2 https module net os path path/posix perf_hooks process querystring readline readline/promises stream stream/promises string_decoder timers timers/promises tls tty url util util/types v8 worker_threads zlib")

// isStandard reports whether a module is one of Node's own, whose loading has no effect.
func isStandard(name string) bool { return standardModules[strings.TrimPrefix(name, "node:")] }
