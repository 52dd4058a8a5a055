package python

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/javascript"
)

func (p *parser) call(callee *expr) *expr {
	p.expect("(")
	e := &expr{kind: callExpr, text: callee.text}
	if !callee.isReference() {
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
		case t.Kind == Name && p.nextIs("="):
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
			arg := p.elements(p.namedExpression, func() {
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
	p.classify(e)
	return e
}

// classify makes a call constant if it only builds a value, and records calls that use names which
// are not in the text.
func (p *parser) classify(e *expr) {
	switch e.text {
	case "getattr", "setattr", "delattr", "hasattr":
		if !e.argument(1).isLiteral() {
			p.facts.Dynamic = true
		}
	case "re.compile":
		if text := e.argument(0); text.isLiteral() {
			e.constant, e.hashable = true, true
			e.risky = p.imports["re"] != "re" || !safePattern(text.text)
			for i := 1; i < len(e.parts); i++ {
				flag := e.argument(i).text
				e.constant = e.constant && strings.HasPrefix(flag, "re.")
				e.risky = e.risky || !slices.Contains(safeFlags, flag)
			}
		}
	case "set", "frozenset", "tuple", "list":
		if list := e.argument(0); len(e.parts) == 1 && list.constant && list.isSequence() {
			e.constant, e.hashable = true, slices.Contains([]string{"frozenset", "tuple"}, e.text)
			e.risky = list.risky || slices.ContainsFunc(list.parts, func(x *expr) bool { return !x.hashable })
			p.builtins = append(p.builtins, e.text)
		}
	}
}

// safeFlags are the flags of regular expressions under which a safe pattern remains one.
var safeFlags = []string{"re.IGNORECASE", "re.I", "re.MULTILINE", "re.M", "re.DOTALL", "re.S"}

// safePattern reports whether Python certainly compiles a string as a regular expression, without
// a warning. text is the literal with its quotes and prefix.
func safePattern(text string) bool {
	quote := strings.IndexAny(text, `'"`)
	raw := quote > 0 && strings.EqualFold(text[:quote], "r")
	if quote != 0 && !raw { // a number, or another prefix
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
