// Package python parses Python into blocks of statements with their places.
package python

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hookwatch/suites/depend/script"
)

// Script divides a file into statements. It rejects everything that an interpreter from 3.8 on rejects,
// and newer or rare syntax, because an edit of a file that cannot be compiled affects every case.
func Script(src []byte) (parsed *script.Script, err error) {
	switch {
	case bytes.IndexByte(src, 0) >= 0, !utf8.Valid(src):
		return nil, errors.New("it is no text in UTF-8")
	case bytes.IndexByte(src, '\r') >= 0:
		return nil, errors.New("it has carriage returns")
	}
	defer catch(&err)
	p := &parser{Builder: script.Build(src, "python"), imports: map[string]string{}, future: map[*script.Statement]bool{}, texts: map[*script.Statement]bool{}}
	p.tokens, p.warns = scan(strings.TrimPrefix(string(src), "\ufeff"), 1, false)
	p.scope = newScope(moduleScope, nil)
	p.head = head(src)
	p.module()
	return p.Script, nil
}

// A parser builds the blocks of a file. It parses by recursive descent.
type parser struct {
	script.Builder
	tokens []Token
	i      int
	scope  *scope
	head   string // how it is run
	warns  []string
	newer  bool // it has syntax that interpreters in use may not know

	facts    *script.Facts     // of the statement that is parsed
	words    map[string]bool   // of the statement; false for those that are only in strings
	imports  map[string]string // names that imports at module level bind -> what they stand for
	builtins []string          // that constants are built with
	iterated []map[string]bool // names of the comprehensions around an expression
	iterable int
	depth    int
	checks   []func()
	plain    []*script.Statement        // that bind names, of which imports of other packages are not known yet
	foreign  bool                       // imports modules that are not part of Python
	texts    map[*script.Statement]bool // literals that may be documentation
	future   map[*script.Statement]bool // that change how the file is compiled
}

type scopeKind byte

const (
	moduleScope scopeKind = iota
	functionScope
	classScope
)

// A scope is the scope of names of a module, class or function.
type scope struct {
	kind   scopeKind
	outer  *scope
	lambda bool
	async  bool
	yields bool
	value  bool // returns a value
	loops  int  // around the current statement

	params, bound, used, global, nonlocal map[string]bool
	dynamic                               bool
}

func newScope(kind scopeKind, outer *scope) *scope {
	return &scope{kind: kind, outer: outer, params: map[string]bool{}, bound: map[string]bool{}, used: map[string]bool{}, global: map[string]bool{}, nonlocal: map[string]bool{}}
}

// hash identifies what entering a function does apart from running its statements.
func (s *scope) hash() uint64 {
	var parts []string
	sets := []map[string]bool{s.bound, s.global, s.nonlocal}
	if s.dynamic {
		sets = append(sets, s.used) // decides which names of outer functions exist
	}
	for _, names := range sets {
		parts = append(append(parts, "|"), slices.Sorted(maps.Keys(names))...)
	}
	return script.Mix(0, parts...)
}

func (p *parser) use(name string) {
	p.scope.used[name] = true
	p.word(name)
}

func (p *parser) word(name string) {
	p.words[name] = true
	if dynamicNames[name] {
		p.facts.Dynamic = true
		p.scope.dynamic = p.scope.dynamic || localNames[name]
	}
	if displayNames[name] {
		p.facts.Text = true
	}
	if traceNames[name] {
		p.facts.Ends = "it uses " + name + ", which may end tracing"
	}
}

// Names by their effect on what a trace shows.
var (
	// dynamicNames use names that are not in the text.
	dynamicNames = script.Words(`globals locals vars eval exec dir __dict__ __globals__ __import__ importlib import_module runpy inspect
		attrgetter methodcaller get_type_hints pickle shelve gc ctypes unittest doctest pdb fire __builtins__ _getframe currentframe f_globals f_locals help pydoc`)
	// localNames use the variables of a function by names that are not in the text.
	localNames = script.Words("locals vars eval exec dir")
	// displayNames may show the text or the lines of a file.
	displayNames = script.Words(`traceback print_exc format_exc print_exception format_exception print_stack format_stack extract_stack extract_tb
		inspect linecache lineno f_lineno tb_lineno co_firstlineno currentframe _getframe getframeinfo getsource getsourcelines stack
		__code__ f_code gi_code exc_info exception warnings warn tracemalloc faulthandler stack_info stacklevel breakpoint __traceback__`)
	// traceNames may keep lines from being logged.
	traceNames = script.Words("settrace setprofile monitoring setrlimit chroot setuid seteuid setreuid setresuid unshare _thread addaudithook _current_frames")
)

// literal records the words of a string that may be names: those of a string that is nothing but a
// name.
func (p *parser) literal(text string) {
	if text == "" || strings.ContainsFunc(text, func(c rune) bool { return c != '.' && !isWord(c) }) {
		return
	}
	for part := range strings.SplitSeq(text, ".") {
		named := p.words[part]
		p.word(part)
		p.words[part] = named
	}
}

func (p *parser) warn(what string) { p.warns = append(p.warns, what) }

// bind records a name that the current scope assigns to.
func (p *parser) bind(name string) { p.scope.bound[name] = true }

func (p *parser) module() {
	p.facts, p.words = &script.Facts{}, map[string]bool{}
	p.statements(p.Script.Body, func() bool { return p.peek().Kind == End })
	for _, check := range p.checks {
		check()
	}
	for _, b := range p.builtins {
		if p.scope.bound[b] || p.imports[b] != "" {
			p.foreign = true
			for _, st := range p.plain {
				st.Binds = nil
			}
		}
	}
	if doc := p.docstring(p.Script.Body); doc != nil {
		doc.Binds = []string{"__doc__"}
	}
	p.Script.Structure = fullOf(p.Script.Body)
	slices.Sort(p.warns)
	p.Script.Fixed = []script.Property{
		{Value: p.head, Why: "its encoding, metadata or future statements changed"},
		{Value: strings.Join(p.warns, " "), Why: "Python may warn of it when it compiles it"},
	}
	if p.newer {
		p.Script.Doubtful = []script.Property{{Why: "it has new syntax that not every Python knows"}}
	}
}

// docstring returns the statement of a block that is its documentation, nil if it has none.
func (p *parser) docstring(b *script.Block) *script.Statement {
	if len(b.Statements) == 0 || !p.texts[b.Statements[0]] {
		return nil
	}
	return b.Statements[0]
}

func fullOf(b *script.Block) uint64 {
	parts := []string{b.Slot}
	for _, s := range b.Statements {
		parts = append(parts, strconv.FormatUint(s.Full, 36))
	}
	return script.Mix(0, parts...)
}

func (p *parser) statements(b *script.Block, end func() bool) {
	b.Function = p.Function
	for !end() {
		p.statement(b)
	}
}

// suite parses the statements after a colon, which are indented or on the same line.
func (p *parser) suite(b *script.Block) {
	if p.peek().Kind != Newline {
		b.Function = p.Function
		p.simple(b)
		return
	}
	p.i++
	if p.peek().Kind != Indent {
		p.fail("expected an indented block")
	}
	p.i++
	p.statements(b, func() bool { return p.peek().Kind == Dedent })
	p.i++
}

func (p *parser) statement(b *script.Block) {
	t := p.peek()
	if t.Kind == Indent {
		p.fail("unexpected indentation")
	}
	if p.depth++; p.depth > 100 {
		p.fail("statements are nested too deeply")
	}
	defer func() { p.depth-- }()
	word := t.Text
	if word == "async" {
		if !p.nextIs("def", "for", "with") {
			p.fail("unexpected async")
		}
		word = p.tokens[p.i+1].Text
	}
	switch word {
	case "if":
		p.branch(b)
	case "while", "for":
		p.loop(b)
	case "try":
		p.try(b)
	case "with":
		p.with(b)
	case "def", "class", "@":
		p.definition(b)
	default:
		if word == "match" && p.beginsMatch() {
			p.match(b)
		} else {
			p.simple(b)
		}
	}
}

// open begins a statement in a block. Facts are collected for it until the next one begins.
func (p *parser) open(b *script.Block) *script.Statement {
	st := p.Add(b, &script.Statement{Start: p.peek().line, From: p.peek().From, Sure: true})
	p.words = map[string]bool{}
	p.facts = &st.Facts
	return st
}

// header gives a statement its identity by the tokens from a place to here.
func (p *parser) header(st *script.Statement, from int) {
	p.Identify(st, p.tokensHash(from, p.i))
	st.End, st.To = p.tokens[p.i-1].end, p.tokens[p.i-1].To
	st.Facts.Words = slices.Sorted(maps.Keys(p.words))
}

func (p *parser) tokensHash(from, to int) uint64 {
	h := script.NewHash()
	for _, t := range p.tokens[from:to] {
		if !slices.Contains([]Kind{Newline, Indent, Dedent}, t.Kind) {
			h.Number(uint64(t.Kind))
			h.Text(t.Text)
		}
	}
	return uint64(h)
}

// close ends a compound statement.
func (p *parser) close(st *script.Statement) {
	parts := []string{strconv.FormatUint(st.Shell, 36)}
	for _, b := range st.Blocks {
		parts = append(parts, strconv.FormatUint(fullOf(b), 36))
		for _, s := range b.Statements {
			st.End, st.To = max(st.End, s.End), max(st.To, s.To)
		}
	}
	st.Full = script.Mix(0, parts...)
}

// clause parses the header of a further clause of a statement, whose facts count for it.
func (p *parser) clause(st *script.Statement, header func()) {
	p.facts = &st.Facts
	p.words = map[string]bool{}
	for _, w := range st.Facts.Words {
		p.words[w] = true
	}
	header()
	st.End = max(st.End, p.peek().end)
	p.expect(":")
	st.Facts.Words = slices.Sorted(maps.Keys(p.words))
}

func (p *parser) branch(b *script.Block) {
	st := p.open(b)
	from := p.i
	p.i++ // if or elif
	st.Sure = p.namedExpression().isSure()
	p.expect(":")
	p.header(st, from)
	p.suite(p.Nest(st, "then"))
	other := p.Nest(st, "else")
	switch {
	case p.is("elif"):
		other.Slot = "elif"
		p.branch(other)
	case p.is("else"):
		p.clause(st, func() { p.i++ })
		p.suite(other)
	}
	p.close(st)
}

func (p *parser) loop(b *script.Block) {
	st := p.open(b)
	from := p.i
	p.acceptAsync("async")
	if p.accept("while") {
		st.Sure = p.namedExpression().isSure()
	} else {
		p.expect("for")
		p.targets(p.bind)
		p.expect("in")
		p.expressions()
	}
	p.expect(":")
	p.header(st, from)
	p.scope.loops++
	p.suite(p.Nest(st, "loop"))
	p.scope.loops--
	p.orElse(st)
	p.close(st)
}

// orElse parses an else clause, whose block exists even if the clause does not.
func (p *parser) orElse(st *script.Statement) {
	other := p.Nest(st, "else")
	if p.is("else") {
		p.clause(st, func() { p.i++ })
		p.suite(other)
	}
}

func (p *parser) try(b *script.Block) {
	st := p.open(b)
	st.Sure = false
	from := p.i
	p.i++
	p.expect(":")
	p.header(st, from)
	p.suite(p.Nest(st, "try"))
	handlers, bare := 0, false
	for p.is("except") {
		if bare {
			p.fail("default except must be last")
		}
		at := p.i
		p.clause(st, func() {
			p.i++
			if bare = p.is(":"); bare {
				return
			}
			p.expression()
			if p.accept("as") {
				p.bind(p.ident())
			}
		})
		p.suite(p.Nest(st, "except "+strconv.FormatUint(p.tokensHash(at, p.i), 36)))
		handlers++
	}
	if p.is("else") {
		if handlers == 0 {
			p.fail("else without except")
		}
		p.orElse(st)
	}
	if p.is("finally") {
		p.clause(st, func() { p.i++ })
		p.suite(p.Nest(st, "finally"))
	} else if handlers == 0 {
		p.fail("try without except or finally")
	}
	p.close(st)
}

func (p *parser) with(b *script.Block) {
	st := p.open(b)
	from := p.i
	p.acceptAsync("async")
	p.expect("with")
	for {
		p.expression()
		if p.accept("as") {
			p.target(p.primary(), p.bind)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(":")
	p.header(st, from)
	p.suite(p.Nest(st, "with"))
	p.close(st)
}

func (p *parser) peek() *Token { return &p.tokens[p.i] }

// is reports whether the token is one of the given operators or names: no other kind has such a text.
func (p *parser) is(texts ...string) bool { return p.peek().among(texts...) }

// nextIs is like is for the token after the current one.
func (p *parser) nextIs(texts ...string) bool { return p.tokens[p.i+1].among(texts...) }

func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

// each reads elements separated by commas up to a token, which it leaves. A comma may follow the
// last.
func (p *parser) each(end string, element func()) {
	for !p.is(end) {
		element()
		if !p.is(end) {
			p.expect(",")
		}
	}
}

// acceptAsync reads async before a statement in an async function, if it is there.
func (p *parser) acceptAsync(what string) {
	if p.accept("async") && !p.scope.async {
		p.fail("%s outside an async function", what)
	}
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.fail("%q instead of %q", p.peek().Text, text)
	}
}

func (p *parser) fail(format string, args ...any) { fail(p.peek().line, format, args...) }

func (p *parser) ident() string {
	t := p.peek()
	if !t.isName() {
		p.fail("%q instead of a name", t.Text)
	}
	p.i++
	return t.Text
}
