package python

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// A expr describes a parsed expression as far as statements need it.
type expr struct {
	kind  exprKind
	text  string  // of a name or dotted name, or of a literal
	parts []*expr // elements, or the arguments of a call; nil entries are keywords and stars

	// A constant has no effect when it is evaluated, except that it fails if it is risky.
	constant, risky, hashable, number bool
}

type exprKind byte

const (
	otherExpr exprKind = iota
	nameExpr
	memberExpr // an attribute or subscript
	tupleExpr
	listExpr
	starExpr
	literalExpr
	callExpr
)

var keywords = script.Words("False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield")

// expressions reads expressions separated by commas, which are a tuple if there is a comma. Stars
// may be among them.
func (p *parser) expressions() *expr {
	first := p.starExpression()
	if !p.is(",") {
		if first.kind == starExpr {
			p.fail("a star outside a list")
		}
		return first
	}
	all := []*expr{first}
	for p.accept(",") {
		if p.ends() {
			break
		}
		all = append(all, p.starExpression())
	}
	return tupleOf(all)
}

func tupleOf(parts []*expr) *expr {
	e := &expr{kind: tupleExpr, parts: parts, constant: true, hashable: true}
	for _, x := range parts {
		e.include(x)
		e.hashable = e.hashable && x.hashable
	}
	return e
}

// include records that the evaluation of an expression includes that of a part.
func (e *expr) include(part *expr) {
	e.constant = e.constant && part.constant
	e.risky = e.risky || part.risky
}

// argument returns an argument of a call by its place, an empty expression if there is none.
func (e *expr) argument(i int) *expr {
	if i >= len(e.parts) || e.parts[i] == nil {
		return &expr{}
	}
	return e.parts[i]
}

// isLiteral reports whether an expression is a literal of which no part is computed.
func (e *expr) isLiteral() bool { return e.kind == literalExpr && e.constant }

// isReference reports whether an expression is a name, an attribute or a subscript.
func (e *expr) isReference() bool { return e.kind == nameExpr || e.kind == memberExpr }

// isSure reports whether the evaluation of a statement with this expression causes an event.
func (e *expr) isSure() bool { return !e.constant || e.kind == nameExpr }

// isSequence reports whether an expression is a tuple or a list of others.
func (e *expr) isSequence() bool { return e.kind == tupleExpr || e.kind == listExpr }

// ends reports whether an expression cannot begin here, so that a trailing comma was the last.
func (p *parser) ends() bool {
	t := p.peek()
	return t.endsLine() || t.among(")", "]", "}", ":", ";") || t.Kind == Operator && strings.HasSuffix(t.Text, "=")
}

func (p *parser) starExpression() *expr {
	if p.accept("*") {
		inner := p.operators()
		return &expr{kind: starExpr, parts: []*expr{inner}}
	}
	return p.expression()
}

// namedExpression reads an expression that may be an assignment expression.
func (p *parser) namedExpression() *expr {
	if t := p.peek(); t.isName() && p.nextIs(":=") {
		p.i += 2
		iterates := slices.ContainsFunc(p.iterated, func(names map[string]bool) bool { return names[t.Text] })
		inClass := len(p.iterated) > 0 && p.scope.kind == classScope
		if iterates || inClass || p.iterable > 0 {
			p.fail("an assignment expression in a comprehension cannot bind %s", t.Text)
		}
		p.bind(t.Text)
		p.expression()
		return &expr{}
	}
	return p.expression()
}

func (p *parser) expression() *expr {
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
		return &expr{}
	}
	return e
}

func (p *parser) lambda() *expr {
	p.expect("lambda")
	outer := p.scope
	p.scope = newScope(functionScope, outer)
	p.scope.lambda = true
	p.parameters(p.scope, ":", false)
	p.expect(":")
	iterated, iterable := p.iterated, p.iterable
	p.iterated, p.iterable = nil, 0
	p.expression()
	p.iterated, p.iterable = iterated, iterable
	p.scope = outer
	return &expr{}
}

func (p *parser) or() *expr { return p.chain("or", func() *expr { return p.chain("and", p.not) }) }

// chain reads operands with a word between them.
func (p *parser) chain(word string, operand func() *expr) *expr {
	e := operand()
	for p.accept(word) {
		operand()
		e = &expr{}
	}
	return e
}

func (p *parser) not() *expr {
	if p.accept("not") {
		p.not()
		return &expr{}
	}
	e := p.operators()
	for {
		is := p.is("is")
		switch {
		case p.is("<", ">", "==", "!=", "<=", ">=", "in"):
			p.i++
		case is:
			p.i++
			p.accept("not")
		case p.is("not") && p.nextIs("in"):
			p.i += 2
		default:
			return e
		}
		other := p.operators()
		if is && slices.ContainsFunc([]*expr{e, other}, func(e *expr) bool { return e.isLiteral() || e.kind == tupleExpr }) {
			p.warn("is")
		}
		e = &expr{}
	}
}

// operators reads operands with binary operators above comparisons, of any precedence.
func (p *parser) operators() *expr {
	e := p.factor()
	for {
		t := p.peek()
		if !t.among("|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "@") {
			return e
		}
		p.i++
		other := p.factor()
		numbers := e.number && other.number && t.among("+", "-", "*")
		e = &expr{constant: numbers, number: numbers, hashable: numbers}
	}
}

func (p *parser) factor() *expr {
	if p.is("+", "-", "~") {
		minus := p.is("-")
		p.i++
		e := p.factor()
		if e.number && minus {
			return &expr{kind: literalExpr, constant: true, number: true, hashable: true}
		}
		return &expr{}
	}
	e := p.await()
	if p.accept("**") {
		p.factor()
		return &expr{}
	}
	return e
}

func (p *parser) await() *expr {
	if !p.accept("await") {
		return p.primary()
	}
	if !p.scope.async {
		p.fail("await outside an async function")
	}
	p.primary()
	return &expr{}
}

func (p *parser) primary() *expr {
	e := p.atom()
	for {
		switch {
		case p.accept("."):
			name := p.ident()
			p.word(name)
			text := ""
			if e.text != "" && e.isReference() {
				text = e.text + "." + name
			}
			e = &expr{kind: memberExpr, text: text}
		case p.is("("):
			p.warnLiteral(e)
			e = p.call(e)
		case p.accept("["):
			p.warnLiteral(e)
			p.slices()
			e = &expr{kind: memberExpr}
		default:
			return e
		}
	}
}

// warnLiteral records a literal that is called or subscripted, of which Python may warn.
func (p *parser) warnLiteral(e *expr) {
	if e.kind == literalExpr || e.isSequence() {
		p.warn("call of a literal")
	}
}

func (p *parser) slices() {
	if p.is("]") {
		p.fail("an empty subscript")
	}
	p.each("]", func() {
		if !p.is(":") {
			p.expression()
		}
		for colons := 0; colons < 2 && p.accept(":"); colons++ {
			if !p.is(":", ",", "]") {
				p.expression()
			}
		}
	})
	p.i++
}

// elements reads an element, which may be followed by the clauses of a comprehension. It returns
// nil for a comprehension.
func (p *parser) elements(element func() *expr, comprehension func()) *expr {
	at := p.i
	names := p.findComprehension()
	if names == nil {
		return element()
	}
	comprehension()
	p.iterated = append(p.iterated, names)
	e := element()
	if e.kind == starExpr {
		p.fail("a star in a comprehension")
	}
	if !p.is("for", "async") {
		p.i = at
		p.fail("a comprehension is not where it was expected")
	}
	for p.is("for", "async") {
		p.acceptAsync("an asynchronous comprehension")
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

// findComprehension returns the names that the clauses of a comprehension bind if the element that begins here
// is followed by them, else nil.
func (p *parser) findComprehension() map[string]bool {
	depth, lambdas := 0, 0
	for i := p.i; ; i++ {
		t := &p.tokens[i]
		switch {
		case t.endsLine():
			return nil
		case t.among("(", "[", "{"):
			depth++
		case t.among(")", "]", "}"):
			if depth--; depth < 0 {
				return nil
			}
		case depth > 0:
		case t.Text == "lambda":
			lambdas++
		case t.Text == ":" && lambdas > 0:
			lambdas--
		case t.Text == "," && lambdas == 0:
			return nil
		case t.Text == "for":
			names := map[string]bool{}
			for ; !p.tokens[i].endsLine(); i++ {
				if p.tokens[i].Text != "for" {
					continue
				}
				for i++; !p.tokens[i].endsLine() && p.tokens[i].Text != "in"; i++ {
					if p.tokens[i].Kind == Name {
						names[p.tokens[i].Text] = true
					}
				}
			}
			return names
		}
	}
}

func (p *parser) atom() *expr {
	t := p.peek()
	switch {
	case t.Kind == Number:
		p.i++
		return &expr{kind: literalExpr, text: t.Text, constant: true, hashable: true, number: true}
	case t.Kind == String:
		return p.strings()
	case t.isName():
		p.i++
		p.use(t.Text)
		return &expr{kind: nameExpr, text: t.Text, constant: true, risky: true}
	case p.accept("None"), p.accept("True"), p.accept("False"), p.accept("..."):
		return &expr{kind: literalExpr, text: t.Text, constant: true, hashable: true}
	case p.accept("("):
		return p.parenthesis()
	case p.accept("["):
		return p.list()
	case p.accept("{"):
		return p.braces()
	}
	p.fail("unexpected %q", t.Text)
	return nil
}

func (p *parser) strings() *expr {
	e := &expr{kind: literalExpr, constant: true, hashable: true, text: p.peek().Text}
	var bytes, text bool
	first := p.i
	for ; p.peek().Kind == String; p.i++ {
		t := p.peek()
		quote := strings.IndexAny(t.Text, `'"`)
		prefix := strings.ToLower(t.Text[:quote])
		bytes, text = bytes || strings.Contains(prefix, "b"), text || !strings.Contains(prefix, "b")
		if strings.Contains(prefix, "f") {
			e.constant, e.hashable = false, false
			for _, f := range t.fields {
				p.field(f)
			}
		}
		p.literal(strings.Trim(t.Text[quote:], `'"`))
	}
	if bytes && text {
		p.fail("bytes and text in one string")
	}
	switch {
	case p.i > first+1: // no pattern to check
		e.text = `"\x"`
	case bytes:
		e.text = `""`
	}
	return e
}

func (p *parser) field(f field) {
	tokens, warns := scan(f.text, f.line, true)
	outer, at := p.tokens, p.i
	p.tokens, p.i = tokens, 0
	p.warns = append(p.warns, warns...)
	if p.is("yield") {
		p.fail("yield in an f-string")
	}
	p.expressions()
	if p.peek().Kind != End {
		p.fail("unexpected %q in an f-string", p.peek().Text)
	}
	p.tokens, p.i = outer, at
}

func (p *parser) parenthesis() *expr {
	switch {
	case p.accept(")"):
		return &expr{kind: tupleExpr, constant: true, hashable: true}
	case p.is("yield"):
		p.yield()
		p.expect(")")
		return &expr{}
	}
	return p.sequence(")", func(first *expr) *expr {
		if first.kind == starExpr {
			p.fail("a star outside a list")
		}
		return first
	})
}

// sequence reads elements and the token after them. single returns what one is without a comma.
func (p *parser) sequence(end string, single func(*expr) *expr) *expr {
	first := p.elements(p.starNamedExpression, func() {})
	e := &expr{}
	switch {
	case first == nil: // a comprehension
	case !p.is(","):
		e = single(first)
	default:
		all := []*expr{first}
		for p.accept(",") && !p.is(end) {
			all = append(all, p.starNamedExpression())
		}
		e = tupleOf(all)
	}
	p.expect(end)
	return e
}

func (p *parser) starNamedExpression() *expr {
	if p.is("*") {
		return p.starExpression()
	}
	return p.namedExpression()
}

func (p *parser) list() *expr {
	if p.accept("]") {
		return &expr{kind: listExpr, constant: true}
	}
	e := p.sequence("]", func(first *expr) *expr { return tupleOf([]*expr{first}) })
	if e.kind == tupleExpr {
		e.kind, e.hashable = listExpr, false
	}
	return e
}

func (p *parser) braces() *expr {
	if p.accept("}") {
		return &expr{kind: literalExpr, constant: true}
	}
	e := &expr{kind: literalExpr, constant: true}
	dict, sets := false, false
	entry := func() *expr {
		switch {
		case p.accept("**"):
			p.operators()
			dict, e.constant = true, false
			return &expr{}
		case p.is("*"):
			p.starExpression()
			sets, e.constant = true, false
			return &expr{}
		}
		key := p.expression()
		e.include(key)
		e.risky = e.risky || !key.hashable
		if p.accept(":") {
			e.include(p.expression())
			dict = true
		} else {
			sets = true
		}
		return &expr{}
	}
	if p.elements(entry, func() {}) == nil {
		p.expect("}")
		return &expr{}
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

func (p *parser) yield() {
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
func (p *parser) targets(bind func(string)) {
	one := func() *expr {
		if p.accept("*") {
			return &expr{kind: starExpr, parts: []*expr{p.primary()}}
		}
		return p.primary()
	}
	all := []*expr{one()}
	comma := p.is(",")
	for p.accept(",") && !p.is("in") && !p.ends() {
		all = append(all, one())
	}
	if comma {
		p.target(tupleOf(all), bind)
	} else {
		p.target(all[0], bind)
	}
}

// target checks that an expression can be assigned to, and binds its names.
func (p *parser) target(e *expr, bind func(string)) {
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
