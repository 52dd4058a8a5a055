package javascript

import "strings"

// statement reads a statement into a block. single reports whether it is the body of another
// statement, where declarations are not allowed.
func (p *parser) statement(b *Block, single bool) {
	if p.skip(";") {
		if single && b.At < 0 {
			b.At = p.last.From
		}
		return
	}
	p.enter()
	outer := p.holder
	s := &Statement{From: p.tok.From}
	p.holder = s
	p.withLabels(single)
	p.refuseCover()
	if s.To == 0 {
		s.To = p.last.To
	}
	p.holder = outer
	b.Statements = append(b.Statements, s)
	p.depth--
}

// withLabels reads labels and the statement after them.
func (p *parser) withLabels(single bool) {
	if !p.tok.isVariable() || p.peek().Text != ":" {
		p.withoutLabels(single)
		return
	}
	name := p.advance()
	p.advance()
	if _, known := p.function.label(name.Text); known {
		fail(name.From, "a label is used twice")
	}
	p.function.labels = append(p.function.labels, label{name.Text, p.is("for", "while", "do")})
	if p.is("function", "class") || p.is("async") && p.peek().Text == "function" {
		p.unexpected()
	}
	p.withLabels(true)
	p.function.labels = p.function.labels[:len(p.function.labels)-1]
}

func (p *parser) withoutLabels(single bool) {
	if p.is("{") {
		p.list("group", false)
		return
	}
	if p.tok.Kind != Name {
		p.expressionStatement()
		return
	}
	if p.typeStatement() {
		return
	}
	function := p.is("function") || p.asyncFunction()
	if single && (function || p.is("let", "const", "class")) {
		p.unexpected()
	}
	switch {
	case p.is("var", "let", "const"):
		p.variables(p.tok.Text, false)
		p.ends()
	case function:
		p.functionDeclaration(false)
	case p.is("class"):
		p.classBody(true, false)
	case p.is("import") && !p.peek().among("(", "."):
		p.top(single)
		p.importDeclaration()
	case p.is("export"):
		p.top(single)
		p.exportDeclaration()
	default:
		p.control()
	}
}

// asyncFunction reports whether an async function begins here, and not an expression.
func (p *parser) asyncFunction() bool {
	return p.is("async") && p.peek().continues("function")
}

func (p *parser) top(single bool) {
	inside := single || p.scope.block != p.program.Body || !p.function.top
	if inside || !p.program.Module {
		p.unexpected()
	}
}

func (p *parser) control() {
	switch p.tok.Text {
	case "if":
		p.advance()
		p.condition()
		p.body("then")
		if p.take("else") {
			p.body("else")
		} else {
			p.mark(&Block{Slot: "else", At: -1})
			p.holder.Tokens = append(p.holder.Tokens[:len(p.holder.Tokens)-1], Token{Kind: Name, Text: "else"}, p.holder.Tokens[len(p.holder.Tokens)-1])
		}
	case "for":
		p.forStatement()
	case "while":
		p.advance()
		p.condition()
		p.loop()
	case "do":
		p.advance()
		p.loop()
		p.want("while")
		p.condition()
		p.skip(";")
	case "switch":
		p.switchStatement()
	case "try":
		p.tryStatement()
	case "return":
		p.advance()
		if p.function.field || p.function.top && p.program.Module {
			fail(p.last.From, "a return outside functions")
		}
		p.program.Returns = p.program.Returns || p.function.top
		if !p.tok.Newline && p.tok.Kind != End && !p.is(";", "}") {
			p.expression(false)
		}
		p.ends()
	case "throw":
		p.advance()
		if p.tok.Newline {
			p.unexpected()
		}
		p.expression(false)
		p.ends()
	case "break", "continue":
		p.jump()
	case "debugger":
		p.advance()
		p.ends()
	default:
		p.expressionStatement()
	}
}

func (p *parser) expressionStatement() {
	p.expression(false)
	p.ends()
}

func (p *parser) condition() {
	p.want("(")
	p.expression(false)
	p.want(")")
}

func (p *parser) jump() {
	at := p.advance()
	f := p.function
	switch {
	case p.tok.isVariable() && !p.tok.Newline:
		if l, known := f.label(p.tok.Text); !known || at.Text == "continue" && !l.loop {
			fail(p.tok.From, "an unknown label")
		}
		p.advance()
	case at.Text == "continue" && f.loops == 0, at.Text == "break" && f.breaks == 0:
		fail(at.From, "a "+at.Text+" outside a loop")
	}
	p.ends()
}

func (p *parser) mark(b *Block) {
	p.holder.Tokens = append(p.holder.Tokens, Token{Kind: Mark, From: p.tok.From, To: p.tok.From, Text: b.Slot})
	p.holder.Blocks = append(p.holder.Blocks, b)
}

// list reads statements in braces.
func (p *parser) list(slot string, isFunction bool) {
	b := &Block{Slot: slot, At: p.tok.From}
	p.mark(b)
	p.open(b, isFunction)
	p.dropExpected("{")
	if slot == "function" {
		p.directives()
	}
	p.statements(b)
	p.dropExpected("}")
	p.close()
}

func (p *parser) statements(b *Block) {
	cover := p.cover
	p.cover = -1
	for !p.is("}") {
		if p.tok.Kind == End {
			p.unexpected()
		}
		p.statement(b, false)
	}
	p.cover = cover
}

// body reads the statement of an if or a loop, which may be in braces.
func (p *parser) body(slot string) {
	if p.is("{") {
		p.list(slot, false)
		return
	}
	b := &Block{Slot: slot, At: p.tok.From}
	p.mark(b)
	p.statement(b, true)
}

func (p *parser) loop() {
	p.function.loops++
	p.function.breaks++
	p.body("loop")
	p.function.loops--
	p.function.breaks--
}

func (p *parser) forStatement() {
	p.advance()
	if p.is("await") {
		if !p.function.async {
			p.unexpected()
		}
		p.noteAwait()
		p.advance()
	}
	p.open(nil, false)
	p.want("(")
	switch {
	case p.is(";"):
	case p.is("var", "let", "const"):
		if p.variables(p.tok.Text, true) {
			p.forIn()
			return
		}
	default:
		from := p.tok
		s := p.save()
		kind := p.expression(true)
		if p.is("of", "in") {
			if from.Text == "async" && p.is("of") && kind == identifierKind || from.Text == "let" {
				p.unexpected()
			}
			p.target(kind, s)
			p.forIn()
			return
		}
		p.refuseCover()
	}
	p.want(";")
	if !p.is(";") {
		p.expression(false)
	}
	p.want(";")
	if !p.is(")") {
		p.expression(false)
	}
	p.want(")")
	p.loop()
	p.close()
}

func (p *parser) forIn() {
	if p.take("of") {
		p.assignment(false)
	} else {
		p.want("in")
		p.expression(false)
	}
	p.want(")")
	p.loop()
	p.close()
}

// target checks that an expression can be assigned to. One that looks like a literal is read again
// as a pattern.
func (p *parser) target(kind kind, s snapshot) {
	switch {
	case kind.isAssignable():
	case kind == literalKind:
		p.restore(s)
		p.pattern("")
	default:
		p.unexpected()
	}
}

// variables reads a declaration. In the head of a for statement it reports whether "of" or "in"
// follows.
func (p *parser) variables(kind string, head bool) (of bool) {
	p.advance()
	for first := true; ; first = false {
		simple := p.tok.Kind == Name
		p.pattern(kind)
		p.annotation()
		switch {
		case p.take("="):
			p.assignment(head)
			if head && p.is("of", "in") {
				p.unexpected()
			}
		case head && first && p.is("of", "in"):
			return true
		case !simple, kind == "const":
			p.unexpected()
		}
		if !p.take(",") {
			return false
		}
	}
}

// pattern reads a binding of the given kind, or the target of an assignment if kind is "".
func (p *parser) pattern(kind string) {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.is("["):
		p.advance()
		for !p.is("]") {
			if p.take(",") {
				continue
			}
			if p.take("...") {
				p.pattern(kind)
				break
			}
			p.pattern(kind)
			p.defaultValue()
			if !p.is("]") {
				p.want(",")
			}
		}
		p.want("]")
	case p.is("{"):
		p.objectPattern(kind)
	case kind == "":
		if !p.leftHandSide().isAssignable() {
			p.unexpected()
		}
	default:
		p.declare(kind, p.identifier())
	}
}

// defaultValue reads the value of a parameter or of a part of a pattern, if there is one.
func (p *parser) defaultValue() {
	if p.take("=") {
		p.assignment(false)
	}
}

func (p *parser) objectPattern(kind string) {
	p.advance()
	for !p.is("}") {
		if p.take("...") {
			if p.tok.Kind == Punctuator && kind != "" || p.is("{", "[") {
				p.unexpected()
			}
			p.pattern(kind)
			break
		}
		if p.tok.Kind == Name && p.peek().Text != ":" {
			t := p.identifier()
			if kind != "" {
				p.declare(kind, t)
			} else if t.among("eval", "arguments") {
				fail(t.From, "an assignment to "+t.Text)
			}
		} else {
			p.propertyName()
			p.want(":")
			p.pattern(kind)
		}
		p.defaultValue()
		if !p.is("}") {
			p.want(",")
		}
	}
	p.want("}")
}

func (p *parser) switchStatement() {
	p.advance()
	p.condition()
	b := &Block{}
	p.open(b, false)
	p.want("{")
	p.function.breaks++
	defaults := 0
	for !p.is("}") {
		if p.take("default") {
			if defaults++; defaults > 1 {
				p.unexpected()
			}
		} else {
			p.want("case")
			p.expression(false)
		}
		one := &Block{Slot: "case", At: p.tok.From}
		p.want(":")
		p.mark(one)
		for !p.is("case", "default", "}") {
			if p.tok.Kind == End {
				p.unexpected()
			}
			p.statement(one, false)
		}
	}
	p.function.breaks--
	p.want("}")
	p.close()
	for _, name := range b.Declared { // the clauses share a scope
		p.holder.Tokens = append(p.holder.Tokens, Token{Kind: Name, From: p.last.To, To: p.last.To, Text: name[strings.IndexByte(name, ' ')+1:]})
	}
}

func (p *parser) tryStatement() {
	p.advance()
	p.list("try", false)
	caught := p.take("catch")
	if caught {
		p.open(nil, false)
		if p.take("(") {
			p.pattern("catch")
			p.annotation()
			p.want(")")
		}
		names := p.scope.names
		b := &Block{Slot: "catch", At: p.tok.From}
		p.mark(b)
		p.open(b, false)
		for name := range names {
			p.scope.names[name] = "catch"
		}
		p.dropExpected("{")
		p.statements(b)
		p.dropExpected("}")
		for name := range names {
			delete(p.scope.names, name)
		}
		p.close()
		p.close()
	}
	if p.take("finally") {
		p.list("finally", false)
	} else if !caught {
		p.unexpected()
	}
}
