package javascript

import (
	"slices"
	"strings"
)

func (p *parser) importDeclaration() {
	p.program.imports = true
	p.advance()
	if p.typed && p.is("type") {
		if next := p.peek(); next.among("{", "*") || next.Kind == Name && next.Text != "from" {
			p.typeImport()
			return
		}
	}
	var names []string
	if p.tok.Kind != String {
		if p.tok.Kind == Name {
			p.declare("import", p.identifier())
			names = append(names, "default")
			if !p.is("from") {
				p.want(",")
				p.expectKind(Punctuator)
			}
		}
		if p.take("*") {
			p.want("as")
			p.declare("import", p.identifier())
		} else if p.is("{") {
			names = append(names, p.importNames()...)
		}
		p.want("from")
	}
	from := p.module()
	for _, n := range names {
		p.program.Imports = append(p.program.Imports, from+" "+n)
	}
	p.ends()
}

// importNames reads the names in braces. Types among them have no effect.
func (p *parser) importNames() (names []string) {
	p.want("{")
	for !p.is("}") {
		comma := p.want
		if next := p.peek(); p.typed && p.is("type") && next.Kind == Name && next.Text != "as" {
			comma = p.dropExpected
			p.drop()
			p.typeWithAlias()
		} else {
			name := p.moduleName()
			names = append(names, name.Text)
			switch {
			case p.take("as"):
				p.declare("import", p.identifier())
			case !name.isVariable(), strictWords[name.Text]:
				fail(name.From, "an unexpected "+name.Text)
			default:
				p.declare("import", name)
			}
		}
		if !p.is("}") {
			comma(",")
		}
	}
	p.want("}")
	return names
}

// typeImport reads an import of types, which has no effect.
func (p *parser) typeImport() {
	p.holder.Tokens = nil
	p.drop()
	for p.tok.Kind != String {
		if p.tok.Kind != Name && !p.is("{", "}", ",", "*") {
			p.unexpected()
		}
		if p.is("}") && p.peek().Text != "from" || p.is(",") && p.peek().Text == "," {
			p.unexpected()
		}
		p.drop()
	}
	p.drop()
	p.ends()
}

// typeExport reads an export of types, which has no effect.
func (p *parser) typeExport() {
	p.drop()
	p.dropExpected("{")
	p.eachOfType("}", p.typeWithAlias)
	if p.skip("from") {
		p.wantKind(String)
	}
	p.ends()
}

// typeWithAlias reads the name of a type, and the one under which it is imported or exported.
func (p *parser) typeWithAlias() {
	p.typeName()
	if p.skip("as") {
		p.typeName()
	}
}

func (p *parser) moduleName() Token {
	p.expectKind(Name, String)
	return p.advance()
}

// module reads the name of a module with its attributes.
func (p *parser) module() string {
	p.expectKind(String)
	name := p.advance().Text
	if p.continues("with") {
		p.advance()
		p.want("{")
		p.each("}", func() {
			p.moduleName()
			p.want(":")
			p.expectKind(String)
			name += p.advance().Text
		})
	}
	return name
}

func (p *parser) export(name Token) {
	text := name.value()
	if slices.Contains(p.program.Exports, text) {
		fail(name.From, text+" is exported twice")
	}
	p.program.Exports = append(p.program.Exports, text)
}

func (p *parser) exportDeclaration() {
	p.program.imports = true
	at := p.advance()
	if p.typed && p.is("type", "interface") {
		tokens := p.holder.Tokens
		if p.holder.Tokens = nil; p.typeStatement() {
			return
		}
		if p.is("type") && p.peek().Text == "{" {
			p.typeExport()
			return
		}
		p.holder.Tokens = tokens
	}
	switch {
	case p.is("default"):
		p.export(p.advance())
		switch {
		case p.is("function"), p.asyncFunction():
			p.functionDeclaration(true)
		case p.is("class"):
			p.classBody(true, true)
		default:
			p.assignment(false)
			p.ends()
		}
	case p.take("*"):
		if p.take("as") {
			p.export(p.moduleName())
		}
		p.want("from")
		p.program.Imports = append(p.program.Imports, p.module()+" *")
		p.ends()
	case p.is("{"):
		p.exportList()
	case p.is("var", "let", "const"):
		p.variables(p.tok.Text, false)
		for _, n := range p.holder.Names {
			p.export(Token{Kind: Name, From: at.From, Text: n})
		}
		p.ends()
	case p.is("function"), p.is("async"):
		p.functionDeclaration(false)
		if p.holder.Function == "" {
			return
		}
		p.export(Token{Kind: Name, From: at.From, Text: p.holder.Function})
	case p.is("class"):
		p.classBody(true, false)
		p.export(Token{Kind: Name, From: at.From, Text: p.holder.Names[0]})
	default:
		p.unexpected()
	}
}

func (p *parser) exportList() {
	p.want("{")
	var locals []Token
	p.each("}", func() {
		local := p.moduleName()
		locals = append(locals, local)
		if p.take("as") {
			p.export(p.moduleName())
		} else {
			p.export(local)
		}
	})
	if p.take("from") {
		from := p.module()
		for _, l := range locals {
			p.program.Imports = append(p.program.Imports, from+" "+l.Text)
		}
	} else {
		for _, l := range locals {
			if !l.isVariable() {
				fail(l.From, "an unexpected "+l.Text)
			}
		}
		p.exports = append(p.exports, locals...)
	}
	p.ends()
}

// checkExports checks that what a module exports is declared in it.
func (p *parser) checkExports() {
	for _, local := range p.exports {
		if !slices.ContainsFunc(p.program.Body.Declared, func(d string) bool { return strings.HasSuffix(d, " "+local.Text) }) {
			fail(local.From, local.Text+" is exported and not declared")
		}
	}
	slices.Sort(p.program.Exports)
	slices.Sort(p.program.Imports)
}
