package trace

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hookwatch/suites"
)

// Parse implements Language. It rejects everything that an interpreter from 3.8 on rejects, and
// newer or rare syntax, because an edit of a file that cannot be compiled affects every case.
func (python) Parse(src []byte) (script *Script, err error) {
	if bytes.IndexByte(src, 0) >= 0 || !utf8.Valid(src) {
		return nil, errors.New("it is no text in UTF-8")
	}
	defer catch(&err)
	text := strings.TrimPrefix(string(src), "\ufeff")
	p := &pyParser{
		script:  &Script{Digest: suites.Digest(src), Shebang: shebangOf(src), Head: pythonHead(src), Returns: bytes.IndexByte(src, '\r') >= 0},
		imports: map[string]string{},
	}
	if p.script.Returns {
		return nil, errors.New("it has carriage returns")
	}
	p.tokens, p.warns = scanPython(text, 1, false)
	p.scope = newPyScope(moduleScope, nil)
	p.script.Body = &Block{Slot: "file", id: mix(0, "python")}
	p.module()
	return p.script, nil
}

// A pyParser builds the blocks of a Python file. It parses by recursive descent.
type pyParser struct {
	tokens []pyToken
	i      int
	script *Script
	scope  *pyScope
	warns  []string

	facts    *Facts          // of the statement that is parsed
	words    map[string]bool // of the statement; false for those that are only in strings
	function *Function
	imports  map[string]string // names that imports at module level bind -> what they stand for
	builtins []string          // that constants are built with
	iterated []map[string]bool // names of the comprehensions around an expression
	iterable int
	depth    int
	checks   []func()
	plain    []*Statement // that bind names, of which imports of other packages are not known yet
	foreign  bool         // imports modules that are not part of Python
}

type pyScopeKind byte

const (
	moduleScope pyScopeKind = iota
	functionScope
	classScope
)

// A pyScope is the scope of names of a module, class or function.
type pyScope struct {
	kind   pyScopeKind
	outer  *pyScope
	lambda bool
	async  bool
	yields bool
	value  bool // returns a value
	loops  int  // around the current statement

	params, bound, used, global, nonlocal map[string]bool
	dynamic                               bool
}

func newPyScope(kind pyScopeKind, outer *pyScope) *pyScope {
	return &pyScope{kind: kind, outer: outer, params: map[string]bool{}, bound: map[string]bool{}, used: map[string]bool{}, global: map[string]bool{}, nonlocal: map[string]bool{}}
}

// hash identifies what entering a function does apart from running its statements.
func (s *pyScope) hash() uint64 {
	var parts []string
	sets := []map[string]bool{s.bound, s.global, s.nonlocal}
	if s.dynamic {
		sets = append(sets, s.used) // decides which names of outer functions exist
	}
	for _, names := range sets {
		parts = append(append(parts, "|"), slices.Sorted(maps.Keys(names))...)
	}
	return mix(0, parts...)
}

func (p *pyParser) use(name string) {
	p.scope.used[name] = true
	p.word(name)
}

func (p *pyParser) word(name string) {
	if p.words != nil {
		p.words[name] = true
	}
	if pyDynamic[name] {
		p.facts.Dynamic = true
		p.scope.dynamic = p.scope.dynamic || pyLocals[name]
	}
	if pyShows[name] {
		p.facts.Text = true
	}
	if pyEnds[name] {
		p.facts.Ends = "it uses " + name + ", which may end tracing"
	}
}

// Names by their effect on what a trace shows.
var (
	// pyDynamic use names that are not in the text.
	pyDynamic = set(`globals locals vars eval exec dir __dict__ __globals__ __import__ importlib import_module runpy inspect
		attrgetter methodcaller get_type_hints pickle shelve gc ctypes unittest doctest pdb fire __builtins__ _getframe currentframe f_globals f_locals help pydoc`)
	// pyLocals use the variables of a function by names that are not in the text.
	pyLocals = set("locals vars eval exec dir")
	// pyShows may show the text or the lines of a file.
	pyShows = set(`traceback print_exc format_exc print_exception format_exception print_stack format_stack extract_stack extract_tb
		inspect linecache lineno f_lineno tb_lineno co_firstlineno currentframe _getframe getframeinfo getsource getsourcelines stack
		__code__ f_code gi_code exc_info exception warnings warn tracemalloc faulthandler stack_info stacklevel breakpoint __traceback__`)
	// pyEnds may keep lines from being logged.
	pyEnds = set("settrace setprofile monitoring setrlimit chroot setuid seteuid setreuid setresuid unshare _thread addaudithook _current_frames")
)

// literal records the words of a string that may be names: those of a string that is nothing but a
// name.
func (p *pyParser) literal(text string) {
	if text == "" || strings.ContainsFunc(text, func(c rune) bool {
		return c != '.' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}) {
		return
	}
	for part := range strings.SplitSeq(text, ".") {
		named := p.words[part]
		p.word(part)
		p.words[part] = named
	}
}

func (p *pyParser) warn(what string) { p.warns = append(p.warns, what) }

// bind records a name that the current scope assigns to.
func (p *pyParser) bind(name string) {
	p.scope.bound[name] = true
}

// module parses the whole file.
func (p *pyParser) module() {
	p.facts, p.words = &Facts{}, map[string]bool{}
	p.statements(p.script.Body, func() bool { return p.peek().kind == pyEnd })
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
	if doc := docstring(p.script.Body); doc != nil {
		doc.Binds = []string{"__doc__"}
	}
	p.script.Structure = fullOf(p.script.Body)
	slices.Sort(p.warns)
	p.script.Warns = strings.Join(p.warns, " ")
}

// docstring returns the statement of a block that is its documentation, nil if it has none.
func docstring(b *Block) *Statement {
	if len(b.Statements) == 0 || !b.Statements[0].text {
		return nil
	}
	return b.Statements[0]
}

func fullOf(b *Block) uint64 {
	parts := []string{b.Slot}
	for _, s := range b.Statements {
		parts = append(parts, strconv.FormatUint(s.Full, 36))
	}
	return mix(0, parts...)
}

// statements parses the statements of a block.
func (p *pyParser) statements(b *Block, end func() bool) {
	b.Function = p.function
	seen := map[uint64]int{}
	for !end() {
		p.statement(b, seen)
	}
}

// suite parses the statements after a colon, which are indented or on the same line.
func (p *pyParser) suite(b *Block) {
	if p.peek().kind != pyNewline {
		b.Function = p.function
		p.simple(b, map[uint64]int{})
		return
	}
	p.i++
	if p.peek().kind != pyIndent {
		p.fail("expected an indented block")
	}
	p.i++
	p.statements(b, func() bool { return p.peek().kind == pyDedent })
	p.i++
}

func (p *pyParser) statement(b *Block, seen map[uint64]int) {
	t := p.peek()
	if t.kind == pyIndent {
		p.fail("unexpected indentation")
	}
	if p.depth++; p.depth > 100 {
		p.fail("statements are nested too deeply")
	}
	defer func() { p.depth-- }()
	if t.kind == pyName {
		switch t.text {
		case "if":
			p.branch(b, seen)
			return
		case "while", "for":
			p.loop(b, seen)
			return
		case "try":
			p.try(b, seen)
			return
		case "with":
			p.with(b, seen)
			return
		case "def", "class":
			p.definition(b, seen)
			return
		case "async":
			switch p.tokens[p.i+1].text {
			case "def":
				p.definition(b, seen)
			case "for":
				p.loop(b, seen)
			case "with":
				p.with(b, seen)
			default:
				p.fail("unexpected async")
			}
			return
		case "match":
			if p.matches() {
				p.match(b, seen)
				return
			}
		}
	}
	if p.is("@") {
		p.definition(b, seen)
		return
	}
	p.simple(b, seen)
}

// open begins a statement in a block. Facts are collected for it until the next one begins.
func (p *pyParser) open(b *Block) *Statement {
	st := &Statement{In: b, Index: len(b.Statements), Start: p.peek().line, Sure: true}
	b.Statements = append(b.Statements, st)
	p.script.Statements = append(p.script.Statements, st)
	p.words = map[string]bool{}
	p.facts = &st.Facts
	return st
}

// header gives a statement its identity by the tokens from a place to here.
func (p *pyParser) header(st *Statement, from int, seen map[uint64]int) {
	st.Shell = p.tokensHash(from, p.i)
	st.Key = keyOf(mix(st.In.id, strconv.FormatUint(st.Shell, 36), strconv.Itoa(seen[st.Shell])))
	seen[st.Shell]++
	st.End = p.tokens[p.i-1].end
	st.Facts.Words = slices.Sorted(maps.Keys(p.words))
}

func (p *pyParser) tokensHash(from, to int) uint64 {
	c := canon{hash: offset64}
	for _, t := range p.tokens[from:to] {
		if t.kind == pyNewline || t.kind == pyIndent || t.kind == pyDedent {
			continue
		}
		c.number(uint64(t.kind))
		c.put(t.text)
	}
	return c.hash
}

// nest adds a block to a statement.
func (p *pyParser) nest(st *Statement, slot string) *Block {
	b := &Block{Of: st, Slot: slot, id: mix(st.id(), slot, strconv.Itoa(len(st.Blocks))), Function: p.function}
	st.Blocks = append(st.Blocks, b)
	return b
}

// close ends a compound statement.
func (p *pyParser) close(st *Statement) {
	parts := []string{strconv.FormatUint(st.Shell, 36)}
	for _, b := range st.Blocks {
		parts = append(parts, strconv.FormatUint(fullOf(b), 36))
		for _, s := range b.Statements {
			st.End = max(st.End, s.End)
		}
	}
	st.Full = mix(0, parts...)
}

// clauses parses the header of a further clause of a statement, whose facts count for it.
func (p *pyParser) clause(st *Statement, header func()) {
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

func (p *pyParser) branch(b *Block, seen map[uint64]int) {
	st := p.open(b)
	from := p.i
	p.i++ // if or elif
	cond := p.named()
	st.Sure = !cond.constant || cond.kind == nameExpr
	p.expect(":")
	p.header(st, from, seen)
	p.suite(p.nest(st, "then"))
	other := p.nest(st, "else")
	switch {
	case p.is("elif"):
		other.Slot = "elif"
		p.branch(other, map[uint64]int{})
	case p.is("else"):
		p.clause(st, func() { p.i++ })
		p.suite(other)
	}
	p.close(st)
}

func (p *pyParser) loop(b *Block, seen map[uint64]int) {
	st := p.open(b)
	from := p.i
	p.asynchronous("async")
	if p.accept("while") {
		cond := p.named()
		st.Sure = !cond.constant || cond.kind == nameExpr
	} else {
		p.expect("for")
		p.targets(p.bind)
		p.expect("in")
		p.expressions()
	}
	p.expect(":")
	p.header(st, from, seen)
	p.scope.loops++
	p.suite(p.nest(st, "loop"))
	p.scope.loops--
	p.orElse(st)
	p.close(st)
}

// orElse parses an else clause, whose block exists even if the clause does not.
func (p *pyParser) orElse(st *Statement) {
	other := p.nest(st, "else")
	if p.is("else") {
		p.clause(st, func() { p.i++ })
		p.suite(other)
	}
}

func (p *pyParser) try(b *Block, seen map[uint64]int) {
	st := p.open(b)
	st.Sure = false
	from := p.i
	p.i++
	p.expect(":")
	p.header(st, from, seen)
	p.suite(p.nest(st, "try"))
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
		p.suite(p.nest(st, "except "+strconv.FormatUint(p.tokensHash(at, p.i), 36)))
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
		p.suite(p.nest(st, "finally"))
	} else if handlers == 0 {
		p.fail("try without except or finally")
	}
	p.close(st)
}

func (p *pyParser) with(b *Block, seen map[uint64]int) {
	st := p.open(b)
	from := p.i
	p.asynchronous("async")
	p.expect("with")
	for {
		p.expression()
		if p.accept("as") {
			e := p.primary()
			p.target(e, p.bind)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(":")
	p.header(st, from, seen)
	p.suite(p.nest(st, "with"))
	p.close(st)
}

// definition parses a function or class with its decorators.
func (p *pyParser) definition(b *Block, seen map[uint64]int) {
	st := p.open(b)
	from := p.i
	pure, risky := true, false
	for p.accept("@") {
		e := p.primary()
		if e.text == "" {
			p.fail("a decorator that is an expression")
		}
		pure = pure && p.plainDecorator(e)
		risky = true
		if p.peek().kind != pyNewline {
			p.fail("unexpected %q after a decorator", p.peek().text)
		}
		p.i++
	}
	async := p.accept("async")
	if p.accept("class") {
		if async {
			p.fail("unexpected async")
		}
		p.class(st, from, seen)
		return
	}
	p.expect("def")
	name := p.ident()
	outer, function := p.scope, p.function
	p.bind(name)
	f := &Function{Name: name, Start: st.Start, Outer: function, Recorded: true}
	if b.Of != nil && b.Slot == "class" {
		f.Name = b.class + "." + name
	}
	inner := newPyScope(functionScope, outer)
	inner.async = async
	p.expect("(")
	constant, doubtful := p.parameters(inner, ")", true)
	p.expect(")")
	if p.accept("->") {
		e := p.annotation()
		constant, doubtful = constant && e.constant, doubtful || e.risky
	}
	p.expect(":")
	delete(p.words, name)
	p.header(st, from, seen)
	if outer.kind == moduleScope && b.class == "" && pure && constant && !strings.HasPrefix(name, "__") {
		st.Binds, st.Risky = []string{name}, risky || doubtful
		p.plain = append(p.plain, st)
	}
	facts, words := p.facts, p.words
	p.scope, p.function = inner, f
	p.script.Functions = append(p.script.Functions, f)
	f.Body = &Block{Slot: "function", id: mix(st.id(), "function"), Function: f}
	st.Blocks = append(st.Blocks, f.Body)
	p.suite(f.Body)
	p.document(st, f.Body)
	if inner.yields { // a call does not enter it
		st.Shell = mix(st.Shell, "generator")
	}
	p.scope, p.function, p.facts, p.words = outer, function, facts, words
	if inner.yields && inner.async && inner.value {
		p.fail("return with a value in an async generator")
	}
	f.Key = keyOf(f.Body.id)
	f.Scope = inner.hash()
	p.close(st)
	f.End = st.End
}

// document makes the documentation of a function or class a part of its definition, because it is
// set there.
func (p *pyParser) document(st *Statement, body *Block) {
	if doc := docstring(body); doc != nil {
		st.Shell = mix(st.Shell, strconv.FormatUint(doc.Shell, 36))
	}
}

// plainDecorator reports whether a decorator is one of those of the standard library that only
// wrap a function.
func (p *pyParser) plainDecorator(e *pyExpr) bool {
	head, rest, _ := strings.Cut(e.text, ".")
	full := p.imports[head]
	if rest != "" {
		full += "." + rest
	}
	if e.kind == callExpr {
		for _, a := range e.parts {
			if a != nil && !a.constant {
				return false
			}
		}
	}
	return full == "functools.lru_cache" || full == "functools.cache" || full == "contextlib.contextmanager"
}

// parameters parses the parameters of a function with this scope up to a token. Defaults and
// annotations are evaluated outside it.
func (p *pyParser) parameters(scope *pyScope, end string, annotated bool) (constant, risky bool) {
	constant = true
	star, double, slash, bare, defaults := false, false, false, false, false
	param := func() {
		name := p.ident()
		if scope.params[name] || name == "__debug__" {
			p.fail("duplicate argument %s", name)
		}
		scope.params[name], scope.bound[name] = true, true
		bare = false
		if annotated && p.accept(":") {
			e := p.annotation()
			constant, risky = constant && e.constant, risky || e.risky
		}
	}
	p.each(end, func() {
		if double {
			p.fail("a parameter after **")
		}
		switch {
		case p.accept("**"):
			if bare {
				p.fail("named arguments must follow a bare star")
			}
			double = true
			param()
		case p.accept("*"):
			if star {
				p.fail("two stars")
			}
			star = true
			if bare = p.is(","); !bare {
				param()
			}
		case p.accept("/"):
			if slash || star || len(scope.params) == 0 {
				p.fail("unexpected /")
			}
			slash = true
		default:
			param()
			if p.accept("=") {
				outer := p.scope
				if scope == outer && scope.lambda {
					p.scope = outer.outer
				}
				e := p.expression()
				p.scope = outer
				constant, risky = constant && e.constant, risky || e.risky
				defaults = true
			} else if defaults && !star {
				p.fail("a parameter without a default after one with a default")
			}
		}
	})
	if bare {
		p.fail("named arguments must follow a bare star")
	}
	return constant, risky
}

// annotation parses an annotation. Those of names and subscripts count as constant, because
// typing has no effects; new ones may fail.
func (p *pyParser) annotation() *pyExpr {
	from := p.i
	e := p.expression()
	plain := true
	simple := p.i == from+1 && slices.Contains([]string{"str", "int", "bool", "float", "bytes", "object", "None"}, p.tokens[from].text)
	for _, t := range p.tokens[from:p.i] {
		if t.kind == pyString {
			for _, w := range strings.FieldsFunc(t.text, func(c rune) bool { return c > 127 || !isPyLetter(byte(c)) && !isDigit(byte(c)) }) {
				p.word(w)
			}
		}
		plain = plain && (t.kind == pyName || t.kind == pyString || t.kind == pyNumber || strings.Contains("[ ] , . | ...", t.text))
	}
	return &pyExpr{kind: e.kind, constant: plain, risky: !simple}
}

func (p *pyParser) class(st *Statement, from int, seen map[uint64]int) {
	name := p.ident()
	p.bind(name)
	if p.is("(") {
		p.call(&pyExpr{})
	}
	p.expect(":")
	p.header(st, from, seen)
	outer, facts, words := p.scope, p.facts, p.words
	p.scope = newPyScope(classScope, outer)
	body := p.nest(st, "class")
	body.class = name
	p.suite(body)
	p.document(st, body)
	p.scope, p.facts, p.words = outer, facts, words
	p.close(st)
}

// matches reports whether a statement that begins with the name match is a match statement.
func (p *pyParser) matches() bool {
	i := p.i + 1
	for p.tokens[i].kind != pyNewline && p.tokens[i].kind != pyEnd {
		i++
	}
	return i > p.i+2 && p.tokens[i-1].text == ":" && i+2 < len(p.tokens) && p.tokens[i+1].kind == pyIndent && p.tokens[i+2].text == "case" && p.tokens[i+2].kind == pyName
}

func (p *pyParser) match(b *Block, seen map[uint64]int) {
	st := p.open(b)
	from := p.i
	p.i++
	p.script.Newer = true
	if e := p.starredNamed(); p.is(",") {
		for p.accept(",") && !p.is(":") {
			p.starredNamed()
		}
	} else if e.kind == starExpr {
		p.fail("a star outside a list")
	}
	p.expect(":")
	p.header(st, from, seen)
	p.i += 2 // a newline and an indent
	always := false
	for p.peek().kind != pyDedent {
		if always {
			p.fail("a case after one that always matches")
		}
		at := p.i
		p.clause(st, func() {
			if !p.is("case") {
				p.fail("expected case")
			}
			p.i++
			captured := map[string]bool{}
			always = p.patterns(captured)
			for name := range captured {
				p.bind(name)
			}
			if p.accept("if") {
				p.named()
				always = false
			}
		})
		p.suite(p.nest(st, "case "+strconv.FormatUint(p.tokensHash(at, p.i), 36)))
	}
	p.i++
	p.close(st)
}

// patterns parses the patterns of a case, and reports whether they always match.
func (p *pyParser) patterns(captured map[string]bool) (always bool) {
	always = p.pattern(captured)
	for p.accept(",") {
		always = false
		if p.is(":") || p.is("if") {
			break
		}
		p.pattern(captured)
	}
	return always
}

func (p *pyParser) capture(captured map[string]bool) {
	name := p.ident()
	if captured[name] {
		p.fail("a pattern binds %s twice", name)
	}
	if name != "_" {
		captured[name] = true
	}
}

func (p *pyParser) pattern(captured map[string]bool) (always bool) {
	if p.accept("*") {
		p.capture(captured)
		return false
	}
	before := len(captured)
	always = p.closed(captured)
	for p.is("|") {
		if always || len(captured) > before {
			p.fail("a pattern with alternatives that bind names")
		}
		p.i++
		always = p.closed(captured)
		if len(captured) > before {
			p.fail("a pattern with alternatives that bind names")
		}
	}
	if p.accept("as") {
		p.capture(captured)
	}
	return always
}

func (p *pyParser) closed(captured map[string]bool) (always bool) {
	t := p.peek()
	switch {
	case t.kind == pyString:
		for _, s := range p.tokens[p.i:] {
			if s.kind != pyString {
				break
			}
			if len(s.fields) > 0 || strings.ContainsAny(s.text[:strings.IndexAny(s.text, `'"`)], "fF") {
				p.fail("a pattern is an f-string")
			}
		}
		p.strings()
	case t.kind == pyNumber, p.is("-"):
		p.accept("-")
		if n := p.peek(); n.kind != pyNumber {
			p.fail("%q instead of a number", n.text)
		}
		p.i++
		if p.is("+") || p.is("-") {
			p.fail("a complex number in a pattern")
		}
	case p.is("None"), p.is("True"), p.is("False"):
		p.i++
	case p.is("("), p.is("["):
		end := map[string]string{"(": ")", "[": "]"}[t.text]
		p.i++
		n, comma := 0, end == "]"
		p.each(end, func() {
			always = p.pattern(captured)
			n++
			comma = comma || p.is(",")
		})
		p.i++
		return always && n == 1 && !comma
	case p.accept("{"):
		p.each("}", func() {
			if p.accept("**") {
				p.capture(captured)
				return
			}
			if k := p.peek(); k.kind != pyString {
				p.fail("a key of a pattern that is no string")
			}
			p.closed(captured)
			p.expect(":")
			p.pattern(captured)
		})
		p.i++
	default:
		if next := p.tokens[p.i+1].text; next != "." && next != "(" {
			p.capture(captured)
			return true
		}
		p.use(p.ident())
		for p.accept(".") {
			p.word(p.ident())
		}
		if !p.accept("(") {
			return false
		}
		keyword := false
		p.each(")", func() {
			if p.peek().kind == pyName && p.tokens[p.i+1].text == "=" {
				p.i += 2
				keyword = true
			} else if keyword {
				p.fail("a positional pattern after keyword patterns")
			}
			p.pattern(captured)
		})
		p.i++
	}
	return false
}
