package trace

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/javascript"
)

// A pyExpr describes a parsed expression as far as statements need it.
type pyExpr struct {
	kind  pyExprKind
	text  string    // of a name or dotted name, or of a literal
	parts []*pyExpr // elements, or the arguments of a call; nil entries are keywords and stars

	// A constant has no effect when it is evaluated, except that it fails if it is risky.
	constant, risky, hashable, number bool
}

type pyExprKind byte

const (
	otherExpr pyExprKind = iota
	nameExpr
	memberExpr // an attribute or subscript
	tupleExpr
	listExpr
	starExpr
	literalExpr
	callExpr
)

var pyKeywords = set("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

func (p *pyParser) peek() *pyToken { return &p.tokens[p.i] }
func (p *pyParser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == pyOp || t.kind == pyName)
}

func (p *pyParser) accept(text string) bool {
	if p.is(text) {
		p.i++
		return true
	}
	return false
}

// each reads elements separated by commas up to a token, which it leaves. A comma may follow the
// last.
func (p *pyParser) each(end string, element func()) {
	for !p.is(end) {
		element()
		if !p.is(end) {
			p.expect(",")
		}
	}
}

// asynchronous reads async before a statement in an async function, if it is there.
func (p *pyParser) asynchronous(what string) {
	if p.accept("async") && !p.scope.async {
		p.fail("%s outside an async function", what)
	}
}

func (p *pyParser) expect(text string) {
	if !p.accept(text) {
		p.fail("%q instead of %q", p.peek().text, text)
	}
}

func (p *pyParser) fail(format string, args ...any) { fail(p.peek().line, format, args...) }

// ident reads a name that is no keyword.
func (p *pyParser) ident() string {
	t := p.peek()
	if t.kind != pyName || pyKeywords[t.text] {
		p.fail("%q instead of a name", t.text)
	}
	p.i++
	return t.text
}

// expressions reads expressions separated by commas, which are a tuple if there is a comma. stars
// may be among them. ends reports whether the list can end here, after a comma.
func (p *pyParser) expressions() *pyExpr {
	first := p.starred()
	if !p.is(",") {
		if first.kind == starExpr {
			p.fail("a star outside a list")
		}
		return first
	}
	all := []*pyExpr{first}
	for p.accept(",") {
		if p.ends() {
			break
		}
		all = append(all, p.starred())
	}
	return tupleOf(all)
}

func tupleOf(parts []*pyExpr) *pyExpr {
	e := &pyExpr{kind: tupleExpr, parts: parts, constant: true, hashable: true}
	for _, x := range parts {
		e.constant = e.constant && x.constant
		e.risky = e.risky || x.risky
		e.hashable = e.hashable && x.hashable
	}
	return e
}

// ends reports whether an expression cannot begin here, so that a trailing comma was the last.
func (p *pyParser) ends() bool {
	t := p.peek()
	return t.kind == pyNewline || t.kind == pyEnd || t.kind == pyOp && (strings.Contains(") ] } : ; =", t.text) || strings.HasSuffix(t.text, "="))
}

func (p *pyParser) starred() *pyExpr {
	if p.accept("*") {
		inner := p.operators()
		return &pyExpr{kind: starExpr, parts: []*pyExpr{inner}}
	}
	return p.expression()
}

// named reads an expression that may be an assignment expression.
func (p *pyParser) named() *pyExpr {
	if t := p.peek(); t.kind == pyName && !pyKeywords[t.text] && p.tokens[p.i+1].text == ":=" {
		p.i += 2
		if slices.ContainsFunc(p.iterated, func(names map[string]bool) bool { return names[t.text] }) || len(p.iterated) > 0 && p.scope.kind == classScope || p.iterable > 0 {
			p.fail("an assignment expression in a comprehension cannot bind %s", t.text)
		}
		p.bind(t.text)
		p.expression()
		return &pyExpr{}
	}
	return p.expression()
}

func (p *pyParser) expression() *pyExpr {
	if p.depth++; p.depth > 200 {
		p.fail("an expression is nested too deeply")
	}
	defer func() { p.depth-- }()
	if p.is("lambda") {
		return p.lambda()
	}
	e := p.or()
	if p.accept("if") {
		p.or()
		p.expect("else")
		p.expression()
		return &pyExpr{}
	}
	return e
}

func (p *pyParser) lambda() *pyExpr {
	p.expect("lambda")
	outer := p.scope
	p.scope = newPyScope(functionScope, outer)
	p.scope.lambda = true
	p.parameters(p.scope, ":", false)
	p.expect(":")
	iterated, iterable := p.iterated, p.iterable
	p.iterated, p.iterable = nil, 0
	p.expression()
	p.iterated, p.iterable = iterated, iterable
	p.scope = outer
	return &pyExpr{}
}

func (p *pyParser) or() *pyExpr {
	e := p.and()
	for p.accept("or") {
		p.and()
		e = &pyExpr{}
	}
	return e
}

func (p *pyParser) and() *pyExpr {
	e := p.not()
	for p.accept("and") {
		p.not()
		e = &pyExpr{}
	}
	return e
}

func (p *pyParser) not() *pyExpr {
	if p.accept("not") {
		p.not()
		return &pyExpr{}
	}
	e := p.operators()
	for {
		is := p.is("is")
		switch t := p.peek(); {
		case t.kind == pyOp && slices.Contains([]string{"<", ">", "==", "!=", "<=", ">="}, t.text), p.is("in"):
			p.i++
		case is:
			p.i++
			p.accept("not")
		case p.is("not") && p.tokens[p.i+1].text == "in":
			p.i += 2
		default:
			return e
		}
		other := p.operators()
		if is && (e.kind == literalExpr && e.constant || other.kind == literalExpr && other.constant || e.kind == tupleExpr || other.kind == tupleExpr) {
			p.warn("is")
		}
		e = &pyExpr{}
	}
}

// operators reads operands with binary operators above comparisons, of any precedence.
func (p *pyParser) operators() *pyExpr {
	e := p.factor()
	for {
		t := p.peek()
		if t.kind != pyOp || !slices.Contains([]string{"|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "@"}, t.text) {
			return e
		}
		p.i++
		other := p.factor()
		numbers := e.number && other.number && (t.text == "+" || t.text == "-" || t.text == "*")
		e = &pyExpr{constant: numbers, number: numbers, hashable: numbers}
	}
}

func (p *pyParser) factor() *pyExpr {
	if p.is("+") || p.is("-") || p.is("~") {
		minus := p.is("-")
		p.i++
		e := p.factor()
		if e.number && minus {
			return &pyExpr{kind: literalExpr, constant: true, number: true, hashable: true}
		}
		return &pyExpr{}
	}
	e := p.await()
	if p.accept("**") {
		p.factor()
		return &pyExpr{}
	}
	return e
}

func (p *pyParser) await() *pyExpr {
	if !p.accept("await") {
		return p.primary()
	}
	if !p.scope.async {
		p.fail("await outside an async function")
	}
	p.primary()
	return &pyExpr{}
}

func (p *pyParser) primary() *pyExpr {
	e := p.atom()
	for {
		switch {
		case p.accept("."):
			name := p.ident()
			p.word(name)
			text := ""
			if e.text != "" && (e.kind == nameExpr || e.kind == memberExpr) {
				text = e.text + "." + name
			}
			e = &pyExpr{kind: memberExpr, text: text}
		case p.is("("):
			p.warnCalled(e)
			e = p.call(e)
		case p.accept("["):
			p.warnCalled(e)
			p.slices()
			e = &pyExpr{kind: memberExpr}
		default:
			return e
		}
	}
}

// warnCalled records a literal that is called or subscripted, of which Python may warn.
func (p *pyParser) warnCalled(e *pyExpr) {
	if e.kind == literalExpr || e.kind == tupleExpr || e.kind == listExpr {
		p.warn("call of a literal")
	}
}

func (p *pyParser) slices() {
	for {
		if p.is("]") {
			p.fail("an empty subscript")
		}
		if !p.is(":") {
			p.expression()
		}
		if p.accept(":") {
			if !p.is(":") && !p.is(",") && !p.is("]") {
				p.expression()
			}
			if p.accept(":") && !p.is(",") && !p.is("]") {
				p.expression()
			}
		}
		if !p.accept(",") {
			break
		}
		if p.is("]") {
			break
		}
	}
	p.expect("]")
}

// call reads arguments.
func (p *pyParser) call(callee *pyExpr) *pyExpr {
	p.expect("(")
	e := &pyExpr{kind: callExpr, text: callee.text}
	if callee.kind != nameExpr && callee.kind != memberExpr {
		e.text = ""
	}
	keywords, double := map[string]bool{}, false
	p.each(")", func() {
		switch t := p.peek(); {
		case p.accept("**"):
			p.expression()
			double = true
			e.parts = append(e.parts, nil)
		case p.accept("*"):
			if double {
				p.fail("a star after **")
			}
			p.expression()
			e.parts = append(e.parts, nil)
		case t.kind == pyName && p.tokens[p.i+1].text == "=" && p.tokens[p.i+1].kind == pyOp:
			name := p.ident()
			p.i++
			if keywords[name] {
				p.fail("keyword argument %s repeated", name)
			}
			keywords[name] = true
			p.word(name)
			p.expression()
			e.parts = append(e.parts, nil)
		default:
			if len(keywords) > 0 || double {
				p.fail("a positional argument after keyword arguments")
			}
			arg := p.elements(func() *pyExpr { return p.named() }, func() {
				if len(e.parts) > 0 {
					p.fail("a generator without parentheses among arguments")
				}
			})
			if arg == nil {
				if p.is(",") {
					p.fail("a generator without parentheses among arguments")
				}
				arg = &pyExpr{}
			}
			e.parts = append(e.parts, arg)
		}
	})
	p.i++
	p.called(e)
	return e
}

// called makes a call constant if it only builds a value, and records calls that use names which
// are not in the text.
func (p *pyParser) called(e *pyExpr) {
	switch e.text {
	case "getattr", "setattr", "delattr", "hasattr":
		if len(e.parts) < 2 || e.parts[1] == nil || e.parts[1].kind != literalExpr || !e.parts[1].constant {
			p.facts.Dynamic = true
		}
	case "re.compile":
		if len(e.parts) > 0 && e.parts[0] != nil && e.parts[0].kind == literalExpr && e.parts[0].constant {
			e.constant, e.hashable = true, true
			e.risky = p.imports["re"] != "re" || !safePattern(e.parts[0].text) || slices.Contains(e.parts[1:], nil)
			for _, flag := range e.parts[1:] {
				e.constant = e.constant && flag != nil && strings.HasPrefix(flag.text, "re.")
				e.risky = e.risky || flag == nil || !slices.Contains([]string{"re.IGNORECASE", "re.I", "re.MULTILINE", "re.M", "re.DOTALL", "re.S"}, flag.text)
			}
		}
	case "set", "frozenset", "tuple", "list":
		if len(e.parts) == 1 && e.parts[0] != nil && e.parts[0].constant && (e.parts[0].kind == tupleExpr || e.parts[0].kind == listExpr) {
			e.constant, e.hashable = true, e.text == "frozenset" || e.text == "tuple"
			e.risky = e.parts[0].risky
			for _, x := range e.parts[0].parts {
				e.risky = e.risky || !x.hashable
			}
			p.builtins = append(p.builtins, e.text)
		}
	}
}

// safePattern reports whether Python certainly compiles a string as a regular expression, without
// a warning. text is the literal with its quotes and prefix.
func safePattern(text string) bool {
	quote := strings.IndexAny(text, `'"`)
	raw := strings.EqualFold(text[:quote], "r")
	if !raw && quote > 0 {
		return false
	}
	body := text[quote+1 : len(text)-1]
	if strings.HasPrefix(text[quote:], `"""`) || strings.HasPrefix(text[quote:], `'''`) {
		body = text[quote+3 : len(text)-3]
	}
	for _, odd := range []string{"[[", "--", "&&", "~~", "||", "(?", "[]", "[^]"} { // Python warns of them, or reads them in its own way
		if strings.Contains(strings.ReplaceAll(body, "(?:", "("), odd) {
			return false
		}
	}
	return (raw || !strings.Contains(body, `\`)) && javascript.ValidPattern(body)
}

// elements reads an element, which may be followed by the clauses of a comprehension. It returns
// nil for a comprehension.
func (p *pyParser) elements(element func() *pyExpr, comprehension func()) *pyExpr {
	at := p.i
	names := p.ahead()
	if names == nil {
		return element()
	}
	comprehension()
	p.iterated = append(p.iterated, names)
	e := element()
	if e.kind == starExpr {
		p.fail("a star in a comprehension")
	}
	if !p.is("for") && !p.is("async") {
		p.i = at
		p.fail("a comprehension is not where it was expected")
	}
	for p.is("for") || p.is("async") {
		p.asynchronous("an asynchronous comprehension")
		p.expect("for")
		p.targets(func(string) {})
		p.expect("in")
		p.iterable++
		p.or()
		p.iterable--
		for p.accept("if") {
			if p.is("lambda") {
				p.fail("a lambda in a condition of a comprehension")
			}
			p.or()
		}
	}
	p.iterated = p.iterated[:len(p.iterated)-1]
	return nil
}

// ahead returns the names that the clauses of a comprehension bind if the element that begins here
// is followed by them, else nil.
func (p *pyParser) ahead() map[string]bool {
	depth, lambdas := 0, 0
	for i := p.i; ; i++ {
		t := &p.tokens[i]
		switch {
		case t.kind == pyEnd || t.kind == pyNewline:
			return nil
		case t.kind == pyString:
		case t.text == "(" || t.text == "[" || t.text == "{":
			depth++
		case t.text == ")" || t.text == "]" || t.text == "}":
			if depth--; depth < 0 {
				return nil
			}
		case depth > 0:
		case t.text == "lambda":
			lambdas++
		case t.text == ":" && lambdas > 0:
			lambdas--
		case t.text == "," && lambdas == 0:
			return nil
		case t.text == "for" && t.kind == pyName:
			names := map[string]bool{}
			for ; p.tokens[i].kind != pyEnd && p.tokens[i].kind != pyNewline; i++ {
				if p.tokens[i].text != "for" {
					continue
				}
				for i++; p.tokens[i].kind != pyEnd && p.tokens[i].kind != pyNewline && p.tokens[i].text != "in"; i++ {
					if p.tokens[i].kind == pyName {
						names[p.tokens[i].text] = true
					}
				}
			}
			return names
		}
	}
}

func (p *pyParser) atom() *pyExpr {
	t := p.peek()
	switch {
	case t.kind == pyNumber:
		p.i++
		return &pyExpr{kind: literalExpr, text: t.text, constant: true, hashable: true, number: true}
	case t.kind == pyString:
		return p.strings()
	case t.kind == pyName && !pyKeywords[t.text]:
		p.i++
		p.use(t.text)
		return &pyExpr{kind: nameExpr, text: t.text, constant: true, risky: true}
	case t.kind == pyName && (t.text == "None" || t.text == "True" || t.text == "False"):
		p.i++
		return &pyExpr{kind: literalExpr, text: t.text, constant: true, hashable: true}
	case p.accept("..."):
		return &pyExpr{kind: literalExpr, constant: true, hashable: true}
	case p.accept("("):
		return p.parenthesis()
	case p.accept("["):
		return p.list()
	case p.accept("{"):
		return p.braces()
	}
	p.fail("unexpected %q", t.text)
	return nil
}

// strings reads a string of one or more literals.
func (p *pyParser) strings() *pyExpr {
	e := &pyExpr{kind: literalExpr, constant: true, hashable: true, text: p.peek().text}
	var bytes, text bool
	first := p.i
	for ; p.peek().kind == pyString; p.i++ {
		t := p.peek()
		quote := strings.IndexAny(t.text, `'"`)
		prefix := strings.ToLower(t.text[:quote])
		bytes, text = bytes || strings.Contains(prefix, "b"), text || !strings.Contains(prefix, "b")
		if strings.Contains(prefix, "f") {
			e.constant, e.hashable = false, false
			for _, f := range t.fields {
				p.field(f)
			}
		}
		p.literal(strings.Trim(t.text[quote:], `'"`))
	}
	if bytes && text {
		p.fail("bytes and text in one string")
	}
	if p.i > first+1 || bytes {
		e.text = `""` // no pattern to check
		if p.i > first+1 {
			e.text = `"\x"`
		}
	}
	return e
}

// field parses a replacement field of an f-string.
func (p *pyParser) field(f pyField) {
	tokens, warns := scanPython(f.text, f.line, true)
	outer, at := p.tokens, p.i
	p.tokens, p.i = tokens, 0
	p.warns = append(p.warns, warns...)
	if p.is("yield") {
		p.fail("yield in an f-string")
	}
	p.expressions()
	if p.peek().kind != pyEnd {
		p.fail("unexpected %q in an f-string", p.peek().text)
	}
	p.tokens, p.i = outer, at
}

func (p *pyParser) parenthesis() *pyExpr {
	iterable := p.iterable
	defer func() { p.iterable = iterable }()
	switch {
	case p.accept(")"):
		return &pyExpr{kind: tupleExpr, constant: true, hashable: true}
	case p.is("yield"):
		p.yield()
		p.expect(")")
		return &pyExpr{}
	}
	first := p.elements(p.starredNamed, func() {})
	if first == nil {
		p.expect(")")
		return &pyExpr{}
	}
	if !p.is(",") {
		if first.kind == starExpr {
			p.fail("a star outside a list")
		}
		p.expect(")")
		return first
	}
	return p.remaining(first, ")")
}

// remaining reads the elements after the first one, and the token after them.
func (p *pyParser) remaining(first *pyExpr, end string) *pyExpr {
	all := []*pyExpr{first}
	for p.accept(",") && !p.is(end) {
		all = append(all, p.starredNamed())
	}
	p.expect(end)
	return tupleOf(all)
}

func (p *pyParser) starredNamed() *pyExpr {
	if p.is("*") {
		return p.starred()
	}
	return p.named()
}

func (p *pyParser) list() *pyExpr {
	if p.accept("]") {
		return &pyExpr{kind: listExpr, constant: true}
	}
	first := p.elements(p.starredNamed, func() {})
	if first == nil {
		p.expect("]")
		return &pyExpr{}
	}
	e := p.remaining(first, "]")
	e.kind, e.hashable = listExpr, false
	return e
}

// braces reads a set or dictionary.
func (p *pyParser) braces() *pyExpr {
	if p.accept("}") {
		return &pyExpr{kind: literalExpr, constant: true}
	}
	e := &pyExpr{kind: literalExpr, constant: true}
	dict, sets := false, false
	entry := func() *pyExpr {
		switch {
		case p.accept("**"):
			p.operators()
			dict, e.constant = true, false
			return &pyExpr{}
		case p.is("*"):
			p.starred()
			sets, e.constant = true, false
			return &pyExpr{}
		}
		key := p.expression()
		e.constant = e.constant && key.constant
		e.risky = e.risky || key.risky || !key.hashable
		if p.accept(":") {
			value := p.expression()
			e.constant = e.constant && value.constant
			e.risky = e.risky || value.risky
			dict = true
		} else {
			sets = true
		}
		return &pyExpr{}
	}
	if p.elements(entry, func() {}) == nil {
		p.expect("}")
		return &pyExpr{}
	}
	for p.accept(",") && !p.is("}") {
		entry()
	}
	if dict && sets {
		p.fail("a set and a dictionary in one")
	}
	p.expect("}")
	return e
}

func (p *pyParser) yield() {
	p.expect("yield")
	if p.scope.kind != functionScope || len(p.iterated) > 0 {
		p.fail("yield outside a function")
	}
	p.scope.yields = true
	if p.accept("from") {
		if p.scope.async {
			p.fail("yield from in an async function")
		}
		p.expression()
		return
	}
	if !p.ends() {
		p.expressions()
	}
}

// targets reads what a loop, a comprehension or a with statement binds.
func (p *pyParser) targets(bind func(string)) {
	one := func() *pyExpr {
		if p.accept("*") {
			return &pyExpr{kind: starExpr, parts: []*pyExpr{p.primary()}}
		}
		return p.primary()
	}
	first := one()
	all := []*pyExpr{first}
	comma := false
	for p.accept(",") {
		comma = true
		if p.is("in") || p.ends() {
			break
		}
		all = append(all, one())
	}
	if comma {
		first = tupleOf(all)
	}
	p.target(first, bind)
}

// target checks that an expression can be assigned to, and binds its names.
func (p *pyParser) target(e *pyExpr, bind func(string)) {
	switch e.kind {
	case nameExpr:
		if e.text == "__debug__" {
			p.fail("cannot assign to __debug__")
		}
		bind(e.text)
	case memberExpr:
	case tupleExpr, listExpr:
		stars := 0
		for _, x := range e.parts {
			if x.kind == starExpr {
				stars++
				x = x.parts[0]
				if x.kind == starExpr {
					p.fail("two stars")
				}
			}
			p.target(x, bind)
		}
		if stars > 1 {
			p.fail("two stars in an assignment")
		}
	default:
		p.fail("cannot assign to an expression")
	}
}
