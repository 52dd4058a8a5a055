package python

import (
	"maps"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// simple parses the simple statements of one line.
func (p *parser) simple(b *script.Block) {
	for {
		st := p.open(b)
		from := p.i
		p.small(st)
		for _, name := range st.Binds {
			delete(p.words, name)
		}
		if st.Binds != nil { // who uses its strings as names is dynamic
			maps.DeleteFunc(p.words, func(_ string, named bool) bool { return !named })
		}
		p.header(st, from)
		st.Full = st.Shell
		if !p.accept(";") || p.peek().Kind == Newline {
			break
		}
	}
	if p.peek().Kind != Newline {
		p.fail("unexpected %q", p.peek().Text)
	}
	p.i++
}

func (p *parser) small(st *script.Statement) {
	s := p.scope
	word := p.peek().Text
	switch {
	case p.is("import"):
		p.importName(st)
	case p.is("from"):
		p.importFrom(st)
	case p.accept("pass"), p.accept("break"), p.accept("continue"):
		if word != "pass" && s.loops == 0 {
			p.fail("%s outside a loop", word)
		}
		st.Sure = false
	case p.accept("return"):
		if s.kind != functionScope {
			p.fail("return outside a function")
		}
		if !p.ends() {
			s.value = true
			p.expressions()
		}
	case p.accept("raise"):
		if !p.ends() {
			p.expression()
			if p.accept("from") {
				p.expression()
			}
		}
	case p.accept("global"), p.accept("nonlocal"):
		p.declare(word)
		st.Sure = false
	case p.accept("del"):
		p.delete(p.expressions())
	case p.accept("assert"):
		e := p.expression()
		if e.kind == tupleExpr {
			p.warn("assert")
		}
		st.Sure = e.isSure()
		if p.accept(",") {
			p.expression()
		}
	default:
		p.assignment(st)
	}
}

func (p *parser) delete(e *expr) {
	if e.kind == starExpr {
		p.fail("cannot delete a starred expression")
	}
	if e.isSequence() {
		for _, x := range e.parts {
			p.delete(x)
		}
		return
	}
	p.target(e, p.bind)
}

func (p *parser) declare(kind string) {
	s := p.scope
	for {
		name := p.ident()
		switch {
		case kind == "nonlocal" && s.kind == moduleScope:
			p.fail("nonlocal at module level")
		case s.params[name], s.used[name], s.bound[name], s.global[name] && kind == "nonlocal", s.nonlocal[name] && kind == "global":
			p.fail("%s is used before it is declared", name)
		}
		p.word(name)
		if kind == "global" {
			s.global[name] = true
		} else {
			s.nonlocal[name] = true
			line := p.peek().line
			p.checks = append(p.checks, func() {
				for o := s.outer; o != nil; o = o.outer {
					if o.kind == functionScope && o.bound[name] && !o.global[name] {
						return
					}
				}
				fail(line, "no binding for nonlocal %s", name)
			})
		}
		if !p.accept(",") {
			return
		}
	}
}

var augmentations = script.Words("**= //= >>= <<= += -= *= /= %= &= |= ^= @=")

func (p *parser) assignment(st *script.Statement) {
	from := p.i
	if p.is("yield") {
		p.yield()
		return
	}
	e := p.expressions()
	switch {
	case p.accept(":"):
		p.annotatedAssignment(st, e)
	case augmentations[p.peek().Text]:
		if !e.isReference() {
			p.fail("an augmented assignment to an expression")
		}
		p.target(e, p.bind)
		p.i++
		p.value()
	case p.is("="):
		names := []string{}
		targets := true
		for p.accept("=") {
			p.target(e, p.bind)
			targets = targets && e.kind == nameExpr
			names = append(names, e.text)
			e = p.value()
		}
		p.binds(st, targets && e.constant, e.risky, names)
	default:
		st.Sure = e.isSure() || e.kind == callExpr
		if p.tokens[from].Kind == String && e.isLiteral() {
			p.texts[st] = true
		}
	}
}

func (p *parser) value() *expr {
	if p.is("yield") {
		p.yield()
		return &expr{}
	}
	return p.expressions()
}

// binds marks a statement at module level that only binds names.
func (p *parser) binds(st *script.Statement, constant, risky bool, names []string) {
	if !constant || p.scope.kind != moduleScope || slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "__") }) {
		return
	}
	st.Binds, st.Risky = names, risky
	p.plain = append(p.plain, st)
}

func (p *parser) annotatedAssignment(st *script.Statement, target *expr) {
	if target.isSequence() {
		p.fail("an annotated list of targets")
	}
	p.target(target, func(name string) {
		if p.scope.global[name] || p.scope.nonlocal[name] {
			p.fail("annotated name %s is global", name)
		}
		p.bind(name)
	})
	a := p.annotation()
	if !p.accept("=") {
		st.Sure = p.scope.kind != functionScope
		return
	}
	e := p.value()
	if target.kind == nameExpr {
		p.binds(st, e.constant && a.constant, e.risky || a.risky, []string{target.text})
		if st.Binds != nil {
			st.Binds = append(st.Binds, "__annotations__")
		}
	}
}

func (p *parser) dottedName() string {
	name := p.ident()
	for p.accept(".") {
		name += "." + p.ident()
	}
	return name
}

func (p *parser) importName(st *script.Statement) {
	p.i++
	names, known := []string{}, true
	for {
		module := p.dottedName()
		top, _, _ := strings.Cut(module, ".")
		name, full := top, top
		if p.accept("as") {
			name, full = p.ident(), module
		}
		p.bind(name)
		names = append(names, name)
		p.from(name, full)
		p.word(module)
		known = known && standardModules[top]
		p.facts.Dynamic = p.facts.Dynamic || dynamicNames[top] && !slices.Contains([]string{"inspect", "importlib", "pickle"}, top)
		if !p.accept(",") {
			break
		}
	}
	p.markImport(st, known, names)
}

// from records the value of a name of the module.
func (p *parser) from(name, full string) {
	if p.scope.kind == moduleScope {
		if was, again := p.imports[name]; again && was != full {
			full = "?"
		}
		p.imports[name] = full
	}
}

// markImport marks an import at module level of modules without effects. A new one may fail.
func (p *parser) markImport(st *script.Statement, known bool, names []string) {
	p.facts.Text, p.facts.Ends = false, "" // using a name does that, not importing it
	p.foreign = p.foreign || !known
	p.binds(st, known, true, names)
}

func (p *parser) importFrom(st *script.Statement) {
	p.i++
	dots := 0
	for p.is(".", "...") {
		dots += len(p.peek().Text)
		p.i++
	}
	module := ""
	if dots == 0 || !p.is("import") {
		module = p.dottedName()
	}
	p.expect("import")
	if module == "__future__" && dots == 0 {
		p.futureStatement(st)
	}
	top, _, _ := strings.Cut(module, ".")
	p.word(module)
	if p.accept("*") {
		if p.scope.kind != moduleScope {
			p.fail("import * outside module level")
		}
		p.facts.Dynamic = true
		p.foreign = true
		return
	}
	group := p.accept("(")
	names := []string{}
	dynamic, hidden := p.facts.Dynamic, false
	for {
		name := p.ident()
		full := module + "." + name
		as := name
		p.word(name)
		if p.accept("as") {
			as = p.ident()
			hidden = hidden || dynamicNames[name] || displayNames[name] || traceNames[name] // under another name
		}
		p.bind(as)
		p.from(as, full)
		names = append(names, as)
		if !p.accept(",") || group && p.is(")") {
			break
		}
	}
	p.facts.Dynamic = dynamic
	if group {
		p.expect(")")
	}
	p.markImport(st, dots == 0 && standardModules[top], names)
	if hidden {
		p.facts.Dynamic, p.facts.Text = true, true
	}
}

// futureStatement checks that a future statement is at the top, and records it.
func (p *parser) futureStatement(st *script.Statement) {
	for _, s := range st.In.Statements[:st.Index] {
		if !p.texts[s] && !p.future[s] {
			p.fail("a future statement is not at the top")
		}
	}
	if st.In != p.Script.Body {
		p.fail("a future statement is not at the top")
	}
	p.future[st] = true
	for _, t := range p.tokens[p.i:] {
		if t.Kind == Newline {
			break
		}
		if t.Kind == Name && !slices.Contains([]string{"annotations", "division", "print_function", "absolute_import", "unicode_literals", "generators", "with_statement", "nested_scopes"}, t.Text) {
			p.fail("an unknown future feature")
		}
		p.head += " " + t.Text
	}
}

// standardModules are modules of the standard library since 3.8 that do nothing when they are imported.
var standardModules = script.Words(`abc argparse array ast asyncio atexit base64 binascii bisect calendar codecs collections concurrent configparser contextlib
	copy csv dataclasses datetime decimal difflib enum errno fcntl fileinput fnmatch fractions functools getpass glob gzip hashlib heapq hmac html http
	importlib inspect io ipaddress itertools json keyword locale logging math mimetypes multiprocessing numbers operator os pathlib pickle platform plistlib
	posixpath pprint queue random re secrets select selectors shlex shutil signal socket sqlite3 ssl stat statistics string struct subprocess sys tempfile
	textwrap threading time timeit token tokenize traceback types typing unicodedata urllib uuid warnings weakref xml zipfile zlib zoneinfo`)
