package python

import (
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/depend/script"
)

func (p *parser) definition(b *script.Block) {
	st := p.open(b)
	from := p.i
	pure, risky := true, false
	for p.accept("@") {
		e := p.primary()
		if e.text == "" {
			p.fail("a decorator that is an expression")
		}
		pure = pure && p.plainDecorator(e)
		risky = true
		if p.peek().Kind != Newline {
			p.fail("unexpected %q after a decorator", p.peek().Text)
		}
		p.i++
	}
	async := p.accept("async")
	if p.accept("class") {
		if async {
			p.fail("unexpected async")
		}
		p.class(st, from)
		return
	}
	p.expect("def")
	name := p.ident()
	p.bind(name)
	inner := newScope(functionScope, p.scope)
	inner.async = async
	p.expect("(")
	total := p.parameters(inner, ")", true)
	p.expect(")")
	if p.accept("->") {
		total.include(p.annotation())
	}
	p.expect(":")
	delete(p.words, name)
	p.header(st, from)
	if b.Class == "" && pure {
		p.binds(st, total.constant, risky || total.risky, []string{name})
	}
	f := &script.Function{Name: name, Start: st.Start, Outer: p.Function, Recorded: true}
	if b.Of != nil && b.Slot == "class" {
		f.Name = b.Class + "." + name
	}
	p.Script.Functions = append(p.Script.Functions, f)
	f.Body = &script.Block{Slot: "function", ID: script.Mix(st.ID(), "function"), Function: f}
	st.Blocks = append(st.Blocks, f.Body)
	p.body(st, f.Body, inner, f)
	if inner.yields { // a call does not enter it
		st.Shell = script.Mix(st.Shell, "generator")
	}
	if inner.yields && inner.async && inner.value {
		p.fail("return with a value in an async generator")
	}
	f.Key = script.KeyOf(f.Body.ID)
	f.Scope = inner.hash()
	p.close(st)
	f.End = st.End
}

// body parses the body of a function or class. Its documentation is a part of the definition, because
// it is set there.
func (p *parser) body(st *script.Statement, body *script.Block, inner *scope, f *script.Function) {
	outer, function, facts, words := p.scope, p.Function, p.facts, p.words
	p.scope, p.Function = inner, f
	p.suite(body)
	if doc := p.docstring(body); doc != nil {
		st.Shell = script.Mix(st.Shell, strconv.FormatUint(doc.Shell, 36))
	}
	p.scope, p.Function, p.facts, p.words = outer, function, facts, words
}

// plainDecorator reports whether a decorator is one of those of the standard library that only
// wrap a function.
func (p *parser) plainDecorator(e *expr) bool {
	head, rest, _ := strings.Cut(e.text, ".")
	full := p.imports[head]
	if rest != "" {
		full += "." + rest
	}
	effect := slices.ContainsFunc(e.parts, func(a *expr) bool { return a != nil && !a.constant })
	return !effect && plainDecorators[full]
}

// plainDecorators only wrap a function.
var plainDecorators = script.Words("functools.lru_cache functools.cache contextlib.contextmanager")

// parameters parses the parameters of a function with this scope up to a token. It returns the
// properties of defaults and annotations, which are evaluated outside it.
func (p *parser) parameters(scope *scope, end string, annotated bool) *expr {
	total := &expr{constant: true}
	star, double, slash, bare, defaults := false, false, false, false, false
	param := func() {
		name := p.ident()
		if scope.params[name] || name == "__debug__" {
			p.fail("duplicate argument %s", name)
		}
		scope.params[name], scope.bound[name] = true, true
		bare = false
		if annotated && p.accept(":") {
			total.include(p.annotation())
		}
	}
	p.each(end, func() {
		if double {
			p.fail("a parameter after **")
		}
		switch {
		case p.accept("**"):
			if bare {
				p.fail("named arguments must follow a bare star")
			}
			double = true
			param()
		case p.accept("*"):
			if star {
				p.fail("two stars")
			}
			star = true
			if bare = p.is(","); !bare {
				param()
			}
		case p.accept("/"):
			if slash || star || len(scope.params) == 0 {
				p.fail("unexpected /")
			}
			slash = true
		default:
			param()
			if p.accept("=") {
				outer := p.scope
				if scope == outer && scope.lambda {
					p.scope = outer.outer
				}
				total.include(p.expression())
				p.scope = outer
				defaults = true
			} else if defaults && !star {
				p.fail("a parameter without a default after one with a default")
			}
		}
	})
	if bare {
		p.fail("named arguments must follow a bare star")
	}
	return total
}

// annotation parses an annotation. Those of names and subscripts count as constant, because
// typing has no effects; new ones may fail.
func (p *parser) annotation() *expr {
	from := p.i
	e := p.expression()
	plain := true
	simple := p.i == from+1 && slices.Contains([]string{"str", "int", "bool", "float", "bytes", "object", "None"}, p.tokens[from].Text)
	for _, t := range p.tokens[from:p.i] {
		if t.Kind == String {
			for _, w := range strings.FieldsFunc(t.Text, func(c rune) bool { return !isWord(c) }) {
				p.word(w)
			}
		}
		plain = plain && (slices.Contains([]Kind{Name, String, Number}, t.Kind) || strings.Contains("[ ] , . | ...", t.Text))
	}
	return &expr{kind: e.kind, constant: plain, risky: !simple}
}

func (p *parser) class(st *script.Statement, from int) {
	name := p.ident()
	p.bind(name)
	if p.is("(") {
		p.call(&expr{})
	}
	p.expect(":")
	p.header(st, from)
	body := p.Nest(st, "class")
	body.Class = name
	p.body(st, body, newScope(classScope, p.scope), p.Function)
	p.close(st)
}
