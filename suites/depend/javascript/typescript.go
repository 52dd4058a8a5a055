package javascript

import (
	"strings"

	"hookwatch/suites/depend/script"
)

// The types of TypeScript, as far as Node can strip them: they are read and dropped. What would have
// to be translated, such as an enum or a parameter that is a property, is refused.

// annotation reads a type after a colon, if there is one.
func (p *parser) annotation() {
	if p.skipType(":") {
		p.anyType()
	}
}

// returnType reads the type of a result, which may be a predicate.
func (p *parser) returnType() {
	if p.skipType(":") {
		p.predicate()
	}
}

// angle reports whether parameters or arguments that are types follow.
func (p *parser) angle() bool { return p.typed && p.is("<") }

// isCallable reports whether parameters follow, perhaps after those that are types.
func (p *parser) isCallable() bool { return p.is("(") || p.angle() }

func (p *parser) predicate() {
	if p.is("asserts") {
		if next := p.peek(); !next.Newline && next.Kind == Name && !next.among("is", "extends") {
			p.drop()
			p.drop()
			if p.skip("is") {
				p.anyType()
			}
			return
		}
	}
	if p.tok.Kind == Name && p.peek().continues("is") {
		p.drop()
		p.drop()
	}
	p.anyType()
}

func (p *parser) anyType() {
	p.enter()
	defer func() { p.depth-- }()
	if p.functionType() {
		return
	}
	p.unionType()
	if p.continues("extends") && !p.noConditional {
		p.drop()
		p.noConditional = true
		p.anyType()
		p.noConditional = false
		p.dropExpected("?")
		p.anyType()
		p.dropExpected(":")
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
	p.dropExpected("=>")
	p.predicate()
	return true
}

// attemptType reports whether a parenthesis begins the parameters of a function type.
func (p *parser) attemptType() bool {
	s := p.save()
	ok := p.attempt(func() {
		p.typeList()
		p.expect("=>")
	})
	if ok {
		p.restore(s)
	}
	return ok
}

func (p *parser) typeList() {
	p.dropExpected("(")
	p.eachOfType(")", func() {
		p.skip("...")
		p.typeBinding()
		p.skip("?")
		p.annotation()
	})
}

// eachOfType is like each for elements of types, which have no effect.
func (p *parser) eachOfType(end string, element func()) {
	for !p.is(end) {
		element()
		if !p.is(end) {
			p.dropExpected(",")
		}
	}
	p.dropExpected(end)
}

func (p *parser) typeBinding() {
	if !p.skip("this") {
		p.typeName() // patterns are rare here
	}
}

func (p *parser) typeParameters() {
	if !p.angle() {
		return
	}
	p.drop()
	for {
		for p.is("const", "in", "out") && p.peek().Kind == Name {
			p.drop()
		}
		p.typeName()
		if p.skip("extends") {
			p.anyType()
		}
		if p.skip("=") {
			p.anyType()
		}
		if !p.skip(",") || p.is(">") {
			break
		}
	}
	p.closeAngle()
}

func (p *parser) typeName() {
	if !p.tok.isVariable() {
		p.unexpected()
	}
	p.drop()
}

// closeAngle reads one >, also as the beginning of a longer operator.
func (p *parser) closeAngle() {
	if !strings.HasPrefix(p.tok.Text, ">") {
		p.unexpected()
	}
	p.last = p.tok
	p.last.To = p.tok.From + 1
	p.at = p.tok.From + 1
	p.tok = p.next()
}

func (p *parser) typeArguments() {
	if !p.angle() {
		return
	}
	p.drop()
	p.anyType()
	for p.skip(",") {
		p.anyType()
	}
	p.closeAngle()
}

func (p *parser) unionType() {
	p.skip("|", "&")
	p.operatorType()
	for p.skip("|", "&") {
		p.operatorType()
	}
}

func (p *parser) operatorType() {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.is("keyof", "readonly", "unique"):
		if after := p.peek(); after.Kind == Name || after.among("{", "(", "[") {
			p.drop()
			p.operatorType()
			return
		}
	case p.skip("infer"):
		p.typeName()
		return
	}
	p.primaryType()
	for p.continues("[") {
		p.drop()
		if !p.is("]") {
			p.anyType()
		}
		p.dropExpected("]")
	}
}

var plainTypes = script.Words("void null true false this undefined")

func (p *parser) primaryType() {
	switch {
	case p.tok.Kind == String, p.tok.Kind == Number, plainTypes[p.tok.Text]:
		p.drop()
	case p.skip("-"):
		p.wantKind(Number)
	case p.skip("typeof"):
		p.typeReference()
	case p.skip("("):
		outer := p.noConditional
		p.noConditional = false
		p.anyType()
		p.noConditional = outer
		p.dropExpected(")")
	case p.is("["):
		p.tupleType()
	case p.is("{"):
		p.objectType()
	default:
		p.typeReference()
	}
}

func (p *parser) typeReference() {
	p.typeName()
	for p.skip(".") {
		p.wantKind(Name)
	}
	if !p.tok.Newline {
		p.typeArguments()
	}
}

// typeReferences reads a list of types such as those that a class implements.
func (p *parser) typeReferences() {
	p.typeReference()
	for p.skip(",") {
		p.typeReference()
	}
}

func (p *parser) tupleType() {
	p.dropExpected("[")
	p.eachOfType("]", func() {
		p.skip("...")
		if p.tok.Kind == Name {
			p.attempt(func() {
				p.drop()
				p.skip("?")
				p.dropExpected(":")
			})
		}
		p.anyType()
		p.skip("?")
	})
}

// objectType reads the members of an interface or an object type.
func (p *parser) objectType() {
	p.dropExpected("{")
	for !p.is("}") {
		if p.is("readonly") && !p.peek().among(":", "?", "(", ";", ",", "}", "<") {
			p.drop()
		}
		switch {
		case p.isCallable():
			p.signature()
		case p.skip("["):
			p.typeName()
			if p.is("in") {
				p.unexpected() // a mapped type
			}
			p.dropExpected(":")
			p.anyType()
			p.dropExpected("]")
			p.annotation()
		default:
			p.wantKind(Name, String, Number)
			p.skip("?")
			if p.isCallable() {
				p.signature()
			} else {
				p.annotation()
			}
		}
		if !p.skip(";", ",") && !p.is("}") && !p.tok.Newline {
			p.unexpected()
		}
	}
	p.dropExpected("}")
}

// signature reads the parameters and the result of a function without a body.
func (p *parser) signature() {
	p.typeParameters()
	p.typeList()
	p.returnType()
}

// typeStatement reads a statement that has no effect, and reports whether there is one.
func (p *parser) typeStatement() bool {
	if !p.typed {
		return false
	}
	if next := p.peek(); next.Kind != Name || next.Newline {
		return false
	}
	switch {
	case p.skip("interface"):
		p.typeName()
		p.typeParameters()
		if p.skip("extends") {
			p.typeReferences()
		}
		p.objectType()
	case p.skip("type"):
		p.typeName()
		p.typeParameters()
		p.dropExpected("=")
		p.anyType()
		p.ends()
	default:
		return false
	}
	return true
}

// typeCast reads "as" or "satisfies" with its type.
func (p *parser) typeCast() bool {
	if !p.typed || !p.continues("as", "satisfies") {
		return false
	}
	p.drop()
	if !p.skip("const") {
		p.anyType()
	}
	return true
}

// callArguments reports whether type arguments of a call follow, and reads them.
func (p *parser) callArguments() bool {
	return p.angle() && p.attempt(func() {
		p.typeArguments()
		p.expect("(")
	})
}
