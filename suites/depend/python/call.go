package python

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/javascript"
)

// call reads arguments.
func (p *parser) call(callee *expr) *expr {
	p.expect("(")
	e := &expr{kind: callExpr, text: callee.text}
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
		case t.Kind == Name && p.tokens[p.i+1].Text == "=" && p.tokens[p.i+1].Kind == Operator:
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
			arg := p.elements(func() *expr { return p.named() }, func() {
				if len(e.parts) > 0 {
					p.fail("a generator without parentheses among arguments")
				}
			})
			if arg == nil {
				if p.is(",") {
					p.fail("a generator without parentheses among arguments")
				}
				arg = &expr{}
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
func (p *parser) called(e *expr) {
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
	raw := quote > 0 && strings.EqualFold(text[:quote], "r")
	if quote < 0 || !raw && quote > 0 { // a number, or another prefix
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
