package javascript

import (
	"strings"

	"hookwatch/suites/depend/script"
)

// A kind is what later tokens must know about an expression.
type kind int

const (
	otherKind      kind = iota
	identifierKind      // can be assigned to
	memberKind          // can be assigned to
	literalKind         // an array or object, which may turn out to be a pattern
	callKind
	optionalKind // a?.b
	unaryKind    // not allowed before **
	logicalKind  // && or ||, not allowed next to ??
	nullishKind  // ??
	arrowKind    // an arrow function or another expression that no operator may follow
	privateKind  // #a, which only "in" may follow
)

// isAssignable reports whether an expression can be assigned to as it is.
func (k kind) isAssignable() bool { return k == identifierKind || k == memberKind }

func (p *parser) expression(noIn bool) kind {
	k := p.assignment(noIn)
	for p.take(",") {
		p.assignment(noIn)
		k = otherKind
	}
	return k
}

var assignments = script.Words("= += -= *= /= %= **= <<= >>= >>>= &= |= ^= &&= ||= ??=")

func (p *parser) assignment(noIn bool) kind {
	p.enter()
	defer func() { p.depth-- }()
	if p.is("yield") && p.function.generator {
		if p.function.parameters {
			p.unexpected()
		}
		p.advance()
		switch {
		case p.tok.Newline, p.tok.Kind == End, p.is(")", "]", "}", ",", ";", ":", "in"):
		default:
			p.take("*")
			p.assignment(noIn)
		}
		return arrowKind
	}
	if p.arrow(noIn) {
		return arrowKind
	}
	s := p.save()
	k := p.conditional(noIn)
	if !assignments[p.tok.Text] || k == arrowKind {
		return k
	}
	if p.tok.Text != "=" && k == literalKind {
		p.unexpected()
	}
	p.target(k, s)
	p.advance()
	p.assignment(noIn)
	return otherKind
}

func (p *parser) conditional(noIn bool) kind {
	k := p.binary(1, noIn)
	if k == privateKind {
		p.unexpected()
	}
	if k == arrowKind || !p.take("?") {
		return k
	}
	p.assignment(false)
	p.want(":")
	p.assignment(noIn)
	return otherKind
}

var precedence = map[string]int{
	"??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7,
	"<": 8, ">": 8, "<=": 8, ">=": 8, "instanceof": 8, "in": 8, "<<": 9, ">>": 9, ">>>": 9,
	"+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}

// refuses reports whether an operator cannot follow an operand of the kind.
func (k kind) refuses(operator string) bool {
	switch k {
	case privateKind:
		return operator != "in"
	case unaryKind:
		return operator == "**"
	case logicalKind:
		return operator == "??"
	case nullishKind:
		return operator == "||" || operator == "&&"
	}
	return false
}

func (p *parser) binary(least int, noIn bool) kind {
	left := p.unary()
	last := ""
	for {
		if least <= precedence["<"] && left != arrowKind && p.typeCast() {
			left = otherKind
			continue
		}
		op := p.tok.Text
		prec := precedence[op]
		if prec < least || op == "in" && noIn || left == arrowKind {
			return left
		}
		typeArguments := p.typed && last == "<" && op == ">" // for some parsers
		if typeArguments || left.refuses(op) {
			p.unexpected()
		}
		p.advance()
		last = op
		next := prec + 1
		if op == "**" {
			next = prec
		}
		right := p.binary(next, noIn)
		if right == arrowKind || right == privateKind || op == "??" && right == logicalKind {
			p.unexpected()
		}
		switch op {
		case "??":
			left = nullishKind
		case "||", "&&":
			left = logicalKind
		default:
			left = otherKind
		}
	}
}

func (p *parser) unary() kind {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.tok.Kind == Private:
		p.private()
		p.expect("in")
		return privateKind
	case p.is("delete"):
		p.advance()
		if k := p.unary(); k == identifierKind || k == arrowKind || p.last.Kind == Private {
			fail(p.last.From, "a variable cannot be deleted")
		}
		return unaryKind
	case p.is("++", "--"):
		p.advance()
		if !p.unary().isAssignable() {
			p.unexpected()
		}
		return otherKind
	case p.is("await") && p.function.async:
		if p.function.parameters || p.function.field {
			p.unexpected()
		}
		p.noteAwait()
		fallthrough
	case p.is("void", "typeof", "+", "-", "~", "!"):
		p.advance()
		if k := p.unary(); k == privateKind || k == arrowKind {
			p.unexpected()
		}
		return unaryKind
	}
	k := p.leftHandSide()
	if p.continues("++", "--") {
		if !k.isAssignable() {
			p.unexpected()
		}
		p.advance()
		return otherKind
	}
	return k
}

func (p *parser) noteAwait() {
	if p.function.top {
		p.program.Awaits = true
	}
}

func (p *parser) private() {
	if p.class == nil {
		p.unexpected()
	}
	p.class.used = append(p.class.used, p.tok.Text)
	p.advance()
}

// leftHandSide reads an expression with its members and calls.
func (p *parser) leftHandSide() kind {
	k := p.primary()
	if k == arrowKind {
		return k
	}
	for optional := false; ; {
		switch {
		case p.tok.Kind == Template:
			if optional {
				p.unexpected()
			}
			p.templateLiteral()
			k = otherKind
		case p.typed && p.continues("!"):
			p.drop()
		case p.callArguments():
		case p.take("?."):
			optional = true
			switch {
			case p.is("("):
				p.arguments()
			case p.is("["):
				p.index()
			case p.tok.Kind == Template:
				p.unexpected()
			default:
				p.member()
			}
		case p.take("."):
			p.member()
			k = memberKind
		case p.is("["):
			p.index()
			k = memberKind
		case p.is("("):
			p.arguments()
			k = callKind
		case optional:
			return optionalKind
		default:
			return k
		}
	}
}

func (p *parser) member() {
	switch p.tok.Kind {
	case Private:
		p.private()
	case Name:
		p.advance()
	default:
		p.unexpected()
	}
}

func (p *parser) index() {
	p.want("[")
	p.expression(false)
	p.want("]")
}

func (p *parser) arguments() {
	p.want("(")
	p.each(")", func() {
		p.take("...")
		p.assignment(false)
	})
}

func (p *parser) templateLiteral() {
	for {
		if strings.HasSuffix(p.advance().Text, "`") {
			return
		}
		p.expression(false)
		p.expect("}")
		p.at = p.tok.From + 1
		p.template()
		p.tok = Token{Kind: Template, From: p.tok.From, To: p.at, Text: p.src[p.tok.From:p.at]}
	}
}

func (p *parser) primary() kind {
	switch p.tok.Kind {
	case String, Number:
		p.advance()
		return otherKind
	case Template:
		p.templateLiteral()
		return otherKind
	case Punctuator:
		switch p.tok.Text {
		case "(":
			p.advance()
			k := p.expression(false)
			p.want(")")
			if k.isAssignable() {
				return k
			}
			return otherKind
		case "[":
			p.array()
			return literalKind
		case "{":
			p.object()
			return literalKind
		case "/", "/=":
			p.at = p.tok.From
			p.regexp()
			p.tok.Kind, p.tok.To, p.tok.Text = Regexp, p.at, p.src[p.tok.From:p.at]
			if !validRegexp(p.tok.Text) {
				p.program.Regexps = append(p.program.Regexps, p.tok.Text)
			}
			p.advance()
			return otherKind
		}
	case Name:
		return p.word()
	}
	p.unexpected()
	return otherKind
}

func (p *parser) word() kind {
	switch p.tok.Text {
	case "this", "null", "true", "false":
		p.advance()
		return otherKind
	case "function":
		p.functionExpression()
		return otherKind
	case "class":
		p.classBody(false, false)
		return otherKind
	case "new":
		return p.newExpression()
	case "super":
		p.advance()
		f := p.function
		if allowed := p.is("(") && f.construct || p.is(".", "[") && f.super; !allowed {
			fail(p.last.From, "super outside a method")
		}
		if p.is(".") && p.peek().Kind == Private {
			p.unexpected()
		}
		return otherKind
	case "import":
		p.advance()
		if p.take(".") {
			if !p.is("meta") || !p.program.Module {
				p.unexpected()
			}
			p.program.imports = true
			p.advance()
			return otherKind
		}
		p.want("(")
		p.assignment(false)
		if p.take(",") && !p.is(")") {
			p.assignment(false)
			p.take(",")
		}
		p.want(")")
		return otherKind
	case "async":
		if p.asyncFunction() {
			p.functionExpression()
			return otherKind
		}
	case "arguments":
		if p.function.noArguments {
			p.unexpected()
		}
		fallthrough
	case "eval":
		p.identifier()
		return otherKind
	}
	p.identifier()
	return identifierKind
}

func (p *parser) newExpression() kind {
	p.enter()
	defer func() { p.depth-- }()
	p.advance()
	if p.take(".") {
		if !p.is("target") || !p.function.target {
			p.unexpected()
		}
		p.advance()
		return otherKind
	}
	if p.is("import") {
		p.unexpected()
	}
	var k kind
	if p.is("new") {
		k = p.newExpression()
	} else {
		k = p.primary()
	}
	if k == arrowKind {
		p.unexpected()
	}
	for {
		switch {
		case p.tok.Kind == Template:
			p.templateLiteral()
		case p.callArguments():
		case p.is("?."):
			p.unexpected()
		case p.take("."):
			p.member()
		case p.is("["):
			p.index()
		case p.is("("):
			p.arguments()
			return otherKind
		default:
			return otherKind
		}
	}
}

func (p *parser) array() {
	p.want("[")
	p.each("]", func() {
		if !p.is(",") {
			p.take("...")
			p.assignment(false)
		}
	})
}

func (p *parser) propertyName() (name Token) {
	if p.is("[") {
		name = p.advance()
		p.assignment(false)
		p.want("]")
		return name
	}
	p.expectKind(Name, String, Number)
	return p.advance()
}

// isModifier reports whether the token is one of the given words and modifies the name that follows.
func (p *parser) isModifier(words ...string) bool { return p.is(words...) && !endsName(p.peek()) }

// endsName reports whether the name before was a property itself and no modifier.
func endsName(t Token) bool { return t.Kind == End || t.among("(", ",", ":", "}", "=", ";") }

func (p *parser) object() {
	p.want("{")
	protos := 0
	p.each("}", func() {
		if p.take("...") {
			p.assignment(false)
		} else {
			p.property(&protos)
		}
	})
}

// methodHead reads what may precede the name of a method: async, a star, get or set.
func (p *parser) methodHead() *function {
	f := &function{super: true, target: true}
	if p.isModifier("async") && !p.peek().Newline {
		p.advance()
		f.async = true
	}
	f.generator = p.take("*")
	if !f.isModified() && p.isModifier("get", "set") && p.peek().Text != "*" {
		f.accessor = p.advance().Text
	}
	return f
}

func (p *parser) property(protos *int) {
	f := p.methodHead()
	from := p.tok
	name := p.propertyName()
	switch {
	case p.isCallable():
		p.method(f)
		if p.last.Text != "}" {
			p.unexpected()
		}
	case f.isModified():
		p.unexpected()
	case p.take(":"):
		if name.value() == "__proto__" {
			if *protos++; *protos > 1 {
				fail(name.From, "__proto__ is given twice")
			}
		}
		p.assignment(false)
	case !from.isVariable():
		p.unexpected()
	case p.is("="):
		if from.among("eval", "arguments") {
			p.unexpected()
		}
		if p.cover < 0 {
			p.cover = p.tok.From
		}
		p.advance()
		p.assignment(false)
	}
}
