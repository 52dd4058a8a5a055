package javascript

func (p *parser) classBody(declaration, unnamed bool) {
	p.advance()
	switch {
	case declaration && !(unnamed && p.is("{", "extends")):
		p.declare("class", p.identifier())
	case p.tok.Kind == Name && p.tok.Text != "extends":
		if name := p.identifier(); name.among("eval", "arguments") {
			fail(name.From, "a class named "+name.Text)
		}
	}
	p.typeParameters()
	derived := p.take("extends")
	if derived {
		if k := p.leftHandSide(); k == arrowKind {
			p.unexpected()
		}
		p.typeArguments()
	}
	if p.skipType("implements") {
		p.typeReferences()
	}
	p.class = &class{outer: p.class, declared: map[string]string{}, at: p.tok.From}
	p.want("{")
	constructors := 0
	for !p.is("}") {
		if p.take(";") {
			continue
		}
		p.element(derived, &constructors)
	}
	p.want("}")
	c := p.class
	p.class = c.outer
	for _, name := range c.used {
		switch {
		case c.declared[name] != "":
		case c.outer == nil:
			fail(c.at, name+" is not declared in the class")
		default:
			c.outer.used = append(c.outer.used, name)
		}
	}
}

var modifiers = []string{"readonly", "override", "implements", "interface", "package", "private", "protected", "public"}

// dropModifiers reads modifiers of TypeScript, which have no effect.
func (p *parser) dropModifiers() (readonly bool) {
	for p.typed && p.isModifier(modifiers...) && !p.peek().among("?", "!", "<") {
		readonly = p.drop().Text == "readonly" || readonly
	}
	return readonly
}

// element reads a method, a field or a static block.
func (p *parser) element(derived bool, constructors *int) {
	begin := len(p.holder.Tokens)
	readonly := p.dropModifiers()
	static := p.isModifier("static")
	if static {
		p.advance()
		if p.is("{") {
			p.initializer(func() { p.list("static", true) })
			return
		}
		readonly = p.dropModifiers() || readonly
	}
	f := p.methodHead()
	name := p.tok
	if name.Kind == Private {
		p.declarePrivate(static, f.accessor)
	} else {
		p.propertyName()
	}
	if p.is("?") || p.is("!") && p.peek().Text == ":" {
		p.skipType(p.tok.Text)
	}
	if readonly && (f.accessor != "" || p.is("(", "<")) {
		fail(name.From, "a readonly method")
	}
	text := name.value()
	construct := !static && text == "constructor"
	if static && text == "prototype" {
		fail(name.From, "a static member named "+text)
	}
	if p.isCallable() {
		if construct {
			if *constructors++; *constructors > 1 && !p.typed || f.isModified() {
				fail(name.From, "a second or odd constructor")
			}
			f.construct = derived
		}
		if !p.method(f) { // only a signature
			p.holder.Tokens = p.holder.Tokens[:begin]
			if !p.is("}") && !p.tok.Newline {
				p.dropExpected(";")
			}
			if construct {
				*constructors--
			}
		} else if *constructors > 1 {
			fail(name.From, "a second constructor")
		}
		return
	}
	p.annotation()
	if f.isModified() || text == "constructor" {
		p.unexpected()
	}
	if p.take("=") {
		p.initializer(func() {
			p.assignment(false)
			p.refuseCover()
		})
	}
	if !p.take(";") && !p.is("}") && !p.tok.Newline {
		p.unexpected()
	}
}

// initializer reads code that runs when the class or an instance of it is made.
func (p *parser) initializer(code func()) {
	outer := p.function
	p.function = &function{super: true, field: true, noArguments: true, target: true}
	code()
	p.function = outer
}

// declarePrivate reads the name of a private member. Only a getter and a setter can share one.
func (p *parser) declarePrivate(static bool, accessor string) {
	name := p.tok
	kind := accessor
	if kind == "" {
		kind = "one"
	}
	if static {
		kind += " static"
	}
	other := map[string]string{"get": "set", "set": "get", "get static": "set static", "set static": "get static"}[kind]
	was := p.class.declared[name.Text]
	if name.Text == "#constructor" || was != "" && was != other {
		fail(name.From, name.Text+" is declared twice")
	}
	if was != "" {
		kind = "both"
	}
	p.class.declared[name.Text] = kind
	p.advance()
}
