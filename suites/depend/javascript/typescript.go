package javascript

import "hookwatch/suites/depend/script"

// The types of TypeScript, as far as Node can strip them: they are read and dropped. What would have
// to be translated, such as an enum or a parameter that is a property, is refused.

// annotation reads a type after a colon, if there is one.
func (p *parser) annotation() {
	if p.typed && p.skip(":") {
		p.anyType()
	}
}

// returnType reads the type of a result, which may be a predicate.
func (p *parser) returnType() {
	if !p.typed || !p.is(":") {
		return
	}
	p.drop()
	p.predicate()
}

func (p *parser) predicate() {
	if p.is("asserts") {
		if next := p.peek(); !next.Newline && (next.Kind == Name && next.Text != "is" && next.Text != "extends") {
			p.drop()
			p.drop()
			if p.skip("is") {
				p.anyType()
			}
			return
		}
	}
	if p.tok.Kind == Name {
		if next := p.peek(); next.Text == "is" && next.Kind == Name && !next.Newline {
			p.drop()
			p.drop()
		}
	}
	p.anyType()
}

// anyType reads a type.
func (p *parser) anyType() {
	p.enter()
	defer func() { p.depth-- }()
	if p.functionType() {
		return
	}
	p.unionType()
	if p.is("extends") && !p.tok.Newline && !p.noConditional {
		p.drop()
		p.noConditional = true
		p.anyType()
		p.noConditional = false
		p.wantDropped("?")
		p.anyType()
		p.wantDropped(":")
		p.anyType()
	}
}

func (p *parser) functionType() bool {
	if p.is("abstract") && p.peek().Text == "new" {
		p.drop()
	}
	switch {
	case p.skip("new"):
	case p.is("<") || p.is("(") && p.attemptType():
	default:
		return false
	}
	p.typeParameters()
	p.typeList()
	p.wantDropped("=>")
	p.predicate()
	return true
}

// attemptType reports whether a parenthesis begins the parameters of a function type.
func (p *parser) attemptType() bool {
	s := p.save()
	ok := p.attempt(func() {
		p.typeList()
		if !p.is("=>") {
			p.unexpected()
		}
	})
	if ok {
		p.restore(s)
	}
	return ok
}

// typeList reads parameters in a type.
func (p *parser) typeList() {
	p.wantDropped("(")
	for !p.is(")") {
		p.skip("...")
		p.typeBinding()
		p.skip("?")
		p.annotation()
		if !p.is(")") {
			p.wantDropped(",")
		}
	}
	p.wantDropped(")")
}

// typeBinding reads the name of a parameter in a type.
func (p *parser) typeBinding() {
	if p.tok.Kind != Name || reserved[p.tok.Text] && !p.is("this") {
		p.unexpected() // patterns are rare here
	}
	p.drop()
}

func (p *parser) typeParameters() {
	if !p.typed || !p.is("<") {
		return
	}
	p.drop()
	for {
		for (p.is("const") || p.is("in") || p.is("out")) && p.peek().Kind == Name {
			p.drop()
		}
		p.typeName()
		if p.skip("extends") {
			p.anyType()
		}
		if p.skip("=") {
			p.anyType()
		}
		if p.skip(",") {
			if p.is(">") {
				break
			}
			continue
		}
		break
	}
	p.closeAngle()
}

func (p *parser) typeName() {
	if p.tok.Kind != Name || reserved[p.tok.Text] {
		p.unexpected()
	}
	p.drop()
}

// closeAngle reads one >, also as the beginning of a longer operator.
func (p *parser) closeAngle() {
	if p.tok.Kind != Punctuator || p.tok.Text == "" || p.tok.Text[0] != '>' {
		p.unexpected()
	}
	p.last = p.tok
	p.last.To = p.tok.From + 1
	p.at = p.tok.From + 1
	p.tok = p.next()
}

func (p *parser) typeArguments() {
	if !p.typed || !p.is("<") {
		return
	}
	p.drop()
	for {
		p.anyType()
		if !p.is(",") {
			break
		}
		p.drop()
	}
	p.closeAngle()
}

func (p *parser) unionType() {
	for p.is("|") || p.is("&") {
		p.drop()
		break
	}
	for {
		p.operatorType()
		if !p.is("|") && !p.is("&") {
			return
		}
		p.drop()
	}
}

func (p *parser) operatorType() {
	p.enter()
	defer func() { p.depth-- }()
	switch next := p.tok; {
	case (p.is("keyof") || p.is("readonly") || p.is("unique")) && next.Kind == Name:
		if after := p.peek(); after.Kind == Name || after.Text == "{" || after.Text == "(" || after.Text == "[" {
			p.drop()
			p.operatorType()
			return
		}
	case p.skip("infer"):
		p.typeName()
		return
	}
	p.primaryType()
	for !p.tok.Newline && p.is("[") {
		p.drop()
		if !p.is("]") {
			p.anyType()
		}
		p.wantDropped("]")
	}
}

var plainTypes = script.Words("void null true false this undefined")

func (p *parser) primaryType() {
	switch {
	case p.tok.Kind == String || p.tok.Kind == Number:
		p.drop()
	case p.skip("-"):
		if p.tok.Kind != Number {
			p.unexpected()
		}
		p.drop()
	case p.skip("typeof"):
		p.typeReference()
	case p.skip("("):
		outer := p.noConditional
		p.noConditional = false
		p.anyType()
		p.noConditional = outer
		p.wantDropped(")")
	case p.is("["):
		p.tupleType()
	case p.is("{"):
		p.objectType()
	case p.tok.Kind == Name && plainTypes[p.tok.Text]:
		p.drop()
	default:
		p.typeReference()
	}
}

func (p *parser) typeReference() {
	p.typeName()
	for p.skip(".") {
		if p.tok.Kind != Name {
			p.unexpected()
		}
		p.drop()
	}
	if !p.tok.Newline {
		p.typeArguments()
	}
}

func (p *parser) tupleType() {
	p.wantDropped("[")
	for !p.is("]") {
		p.skip("...")
		if p.tok.Kind == Name {
			p.attempt(func() {
				p.drop()
				p.skip("?")
				p.wantDropped(":")
			})
		}
		p.anyType()
		p.skip("?")
		if !p.is("]") {
			p.wantDropped(",")
		}
	}
	p.wantDropped("]")
}

// objectType reads the members of an interface or an object type.
func (p *parser) objectType() {
	p.wantDropped("{")
	for !p.is("}") {
		if p.is("readonly") && !typeEnds(p.peek()) {
			p.drop()
		}
		switch {
		case p.is("(") || p.is("<"):
			p.typeParameters()
			p.typeList()
			p.returnType()
		case p.skip("["):
			p.typeName()
			if p.is("in") {
				p.unexpected() // a mapped type
			}
			p.wantDropped(":")
			p.anyType()
			p.wantDropped("]")
			p.annotation()
		default:
			if p.tok.Kind != Name && p.tok.Kind != String && p.tok.Kind != Number {
				p.unexpected()
			}
			p.drop()
			p.skip("?")
			if p.is("(") || p.is("<") {
				p.typeParameters()
				p.typeList()
				p.returnType()
			} else {
				p.annotation()
			}
		}
		switch {
		case p.is(";"), p.is(","):
			p.drop()
		case p.is("}"), p.tok.Newline:
		default:
			p.unexpected()
		}
	}
	p.wantDropped("}")
}

func typeEnds(t Token) bool {
	return t.Text == ":" || t.Text == "?" || t.Text == "(" || t.Text == ";" || t.Text == "," || t.Text == "}" || t.Text == "<"
}

// typeStatement reads a statement that has no effect, and reports whether there is one.
func (p *parser) typeStatement() bool {
	if !p.typed {
		return false
	}
	next := p.peek()
	switch {
	case p.is("interface") && next.Kind == Name && !next.Newline:
		p.drop()
		p.typeName()
		p.typeParameters()
		if p.skip("extends") {
			p.typeReference()
			for p.skip(",") {
				p.typeReference()
			}
		}
		p.objectType()
	case p.is("type") && next.Kind == Name && !next.Newline:
		p.drop()
		p.typeName()
		p.typeParameters()
		p.wantDropped("=")
		p.anyType()
		p.ends()
	default:
		return false
	}
	return true
}

// typeCast reads "as" or "satisfies" with its type.
func (p *parser) typeCast() bool {
	if !p.typed || p.tok.Newline || p.tok.Kind != Name || p.tok.Text != "as" && p.tok.Text != "satisfies" {
		return false
	}
	p.drop()
	if p.skip("const") {
		return true
	}
	p.anyType()
	return true
}

// callArguments reports whether type arguments of a call follow, and reads them.
func (p *parser) callArguments() bool {
	if !p.typed || !p.is("<") {
		return false
	}
	return p.attempt(func() {
		p.typeArguments()
		if !p.is("(") {
			p.unexpected()
		}
	})
}
