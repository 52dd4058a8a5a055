package python

import (
	"strconv"

	"hookwatch/suites/depend/script"
)

// beginsMatch reports whether a statement that begins with the name match is a match statement.
func (p *parser) beginsMatch() bool {
	i := p.i + 1
	for !p.tokens[i].endsLine() {
		i++
	}
	if i < p.i+3 || i+2 >= len(p.tokens) || p.tokens[i-1].Text != ":" {
		return false
	}
	return p.tokens[i+1].Kind == Indent && p.tokens[i+2].Text == "case"
}

func (p *parser) match(b *script.Block) {
	st := p.open(b)
	from := p.i
	p.i++
	p.newer = true
	if e := p.starNamedExpression(); p.is(",") {
		for p.accept(",") && !p.is(":") {
			p.starNamedExpression()
		}
	} else if e.kind == starExpr {
		p.fail("a star outside a list")
	}
	p.expect(":")
	p.header(st, from)
	p.i += 2 // a newline and an indent
	always := false
	for p.peek().Kind != Dedent {
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
				p.namedExpression()
				always = false
			}
		})
		p.suite(p.Nest(st, "case "+strconv.FormatUint(p.tokensHash(at, p.i), 36)))
	}
	p.i++
	p.close(st)
}

// patterns parses the patterns of a case, and reports whether they always match.
func (p *parser) patterns(captured map[string]bool) (always bool) {
	always = p.pattern(captured)
	for p.accept(",") {
		always = false
		if p.is(":", "if") {
			break
		}
		p.pattern(captured)
	}
	return always
}

func (p *parser) capture(captured map[string]bool) {
	name := p.ident()
	if captured[name] {
		p.fail("a pattern binds %s twice", name)
	}
	if name != "_" {
		captured[name] = true
	}
}

func (p *parser) pattern(captured map[string]bool) (always bool) {
	if p.accept("*") {
		p.capture(captured)
		return false
	}
	before := len(captured)
	always = p.closedPattern(captured)
	for p.is("|") {
		if always || len(captured) > before {
			p.fail("a pattern with alternatives that bind names")
		}
		p.i++
		always = p.closedPattern(captured)
		if len(captured) > before {
			p.fail("a pattern with alternatives that bind names")
		}
	}
	if p.accept("as") {
		p.capture(captured)
	}
	return always
}

func (p *parser) closedPattern(captured map[string]bool) (always bool) {
	switch t := p.peek(); {
	case t.Kind == String:
		if s := p.strings(); !s.constant {
			p.fail("a pattern is an f-string")
		}
	case t.Kind == Number, p.is("-"):
		p.accept("-")
		if n := p.peek(); n.Kind != Number {
			p.fail("%q instead of a number", n.Text)
		}
		p.i++
		if p.is("+", "-") {
			p.fail("a complex number in a pattern")
		}
	case p.is("None"), p.is("True"), p.is("False"):
		p.i++
	case p.is("("), p.is("["):
		end := map[string]string{"(": ")", "[": "]"}[t.Text]
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
			if k := p.peek(); k.Kind != String {
				p.fail("a key of a pattern that is no string")
			}
			p.closedPattern(captured)
			p.expect(":")
			p.pattern(captured)
		})
		p.i++
	case p.nextIs(".", "("):
		p.valuePattern(captured)
	default:
		p.capture(captured)
		return true
	}
	return false
}

// valuePattern reads a constant or a class with the patterns of its attributes.
func (p *parser) valuePattern(captured map[string]bool) {
	p.use(p.ident())
	for p.accept(".") {
		p.word(p.ident())
	}
	if !p.accept("(") {
		return
	}
	keyword := false
	p.each(")", func() {
		if p.peek().Kind == Name && p.nextIs("=") {
			p.i += 2
			keyword = true
		} else if keyword {
			p.fail("a positional pattern after keyword patterns")
		}
		p.pattern(captured)
	})
	p.i++
}
