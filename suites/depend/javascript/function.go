package javascript

// arrow reads an arrow function, and reports whether there is one.
func (p *parser) arrow(noIn bool) bool {
	switch {
	case p.tok.isVariable():
		next := p.peek()
		if p.is("async") && !next.Newline && p.beginsParameters(next) {
			return p.arrowFunction(true, noIn)
		}
		return next.Text == "=>" && p.arrowFunction(false, noIn)
	case p.isCallable():
		return p.arrowFunction(false, noIn)
	}
	return false
}

// beginsParameters reports whether the token after async may begin the parameters of an arrow function.
func (p *parser) beginsParameters(t Token) bool {
	return t.isVariable() || t.Text == "(" || p.typed && t.Text == "<"
}

func (p *parser) arrowFunction(async, noIn bool) bool {
	from := p.tok.From
	if p.arrows[from] {
		return false
	}
	outer, scope := p.function, p.scope
	f := &function{async: async, super: outer.super, construct: outer.construct, noArguments: outer.noArguments, target: outer.target, parameters: true}
	ok := p.attempt(func() {
		if async {
			p.advance()
		}
		p.function = f
		p.open(nil, true)
		p.typeParameters()
		if p.is("(") {
			p.parameters()
			p.returnType()
		} else {
			p.declare("parameter", p.identifier())
		}
		if !p.continues("=>") {
			p.unexpected()
		}
		p.advance()
	})
	if !ok {
		p.function, p.scope = outer, scope
		p.arrows[from] = true
		return false
	}
	f.parameters = false
	if p.is("{") {
		p.list("function", true)
	} else {
		b := &Block{Slot: "function", At: p.tok.From}
		p.mark(b)
		p.open(b, true)
		holder, cover := p.holder, p.cover
		p.cover = -1
		p.holder = &Statement{From: p.tok.From}
		p.assignment(noIn)
		p.refuseCover()
		p.holder.To = p.last.To
		b.Statements = append(b.Statements, p.holder)
		p.holder, p.cover = holder, cover
		p.close()
	}
	p.close()
	p.function = outer
	return true
}

func (p *parser) parameters() {
	p.want("(")
	if p.skipType("this") {
		p.annotation()
		p.skip(",")
	}
	for !p.is(")") {
		if p.take("...") {
			p.pattern("parameter")
			p.annotation()
			break
		}
		p.pattern("parameter")
		p.skipType("?")
		p.annotation()
		p.defaultValue()
		if !p.is(")") {
			p.want(",")
		}
	}
	p.want(")")
}

func (p *parser) functionHead() *function {
	f := &function{target: true, async: p.take("async")}
	p.want("function")
	f.generator = p.take("*")
	return f
}

func (p *parser) functionExpression() {
	f := p.functionHead()
	outer := p.function
	p.function = f
	if !p.is("(") {
		if p.is("await", "yield") {
			p.unexpected()
		}
		name := p.identifier()
		if name.among("eval", "arguments") {
			p.unexpected()
		}
	}
	if !p.rest(f) {
		p.unexpected()
	}
	p.function = outer
}

// rest reads parameters and the body of a function. Without a body it is only a signature.
func (p *parser) rest(f *function) (body bool) {
	outer, from := p.function, len(p.holder.Tokens)
	p.function = f
	f.parameters = true
	p.open(nil, true)
	p.typeParameters()
	p.parameters()
	p.returnType()
	f.parameters = false
	if body = !p.typed || p.is("{"); body {
		if !f.accepts(p.holder.Tokens[from:]) {
			fail(p.last.From, "a wrong number of parameters")
		}
		p.list("function", true)
	}
	p.close()
	p.function = outer
	return body
}

func (p *parser) functionDeclaration(unnamed bool) {
	f := p.functionHead()
	name := Token{Text: "default"}
	if !unnamed || !p.is("(") {
		name = p.identifier()
	}
	if !p.rest(f) { // only a signature
		p.holder.Tokens = nil
		p.ends()
		return
	}
	p.holder.Function = name.Text
	if name.Kind == Name {
		p.declare("function", name)
	}
	p.holder.To = p.last.To
}

// method is like rest, without the tokens of a signature.
func (p *parser) method(f *function) (body bool) {
	from := len(p.holder.Tokens)
	if body = p.rest(f); !body {
		p.holder.Tokens = p.holder.Tokens[:from]
	}
	return body
}

// accepts reports whether a function can have the parameters in a list of tokens with its parentheses: a
// getter has none, a setter one.
func (f *function) accepts(list []Token) bool {
	switch f.accessor {
	case "get":
		return len(list) == 2
	case "set":
		return len(list) > 2 && list[1].Text != "..." && !severalParameters(list)
	}
	return true
}

// severalParameters reports whether a list in parentheses has more than one element.
func severalParameters(list []Token) bool {
	depth := 0
	for i, t := range list {
		if t.Kind != Punctuator {
			continue
		}
		depth += nesting(t.Text)
		if t.Text == "," && depth == 1 && i < len(list)-2 {
			return true
		}
	}
	return false
}
