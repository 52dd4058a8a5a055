// Package javascript parses JavaScript into blocks of statements with their places.
//
// It accepts no text that Node refuses, because a script that does not compile fails as a whole: it
// is an error to accept one. It refuses some that Node accepts in scripts that are not strict.
package javascript

import (
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
)

// A Program is a parsed file.
type Program struct {
	Body    *Block
	Module  bool     // it imports or exports
	Returns bool     // it returns at the top level, which a module cannot
	Awaits  bool     // it awaits at the top level, which only a module can
	Exports []string // names, sorted
	Imports []string // names with the modules they come from
	Regexps []string // regular expressions that are not known to be valid
	Strict  []string // directives, in order
	Sloppy  bool     // it uses a name that strict code cannot use
	imports bool     // uses import or export, other than import()
}

// A Block is a list of statements that run in sequence.
type Block struct {
	Slot       string // its part of the statement, such as "then"
	At         int    // a place that is executed whenever the block is entered; -1 if there is none
	Statements []*Statement
	Declared   []string // bindings of its scope, each with its kind, sorted
}

// A Statement is one element of a block. Tokens are those outside its own blocks, each of which is
// a Mark among them.
type Statement struct {
	From, To int // bytes, without a semicolon
	Tokens   []Token
	Blocks   []*Block
	Function string   // the function that it declares; "" if it does something else
	Names    []string // that it declares
}

// Parse parses a file of JavaScript, or one of TypeScript as the JavaScript that remains without types.
// A file that imports or exports is a module.
func Parse(src string, typed bool) (*Program, error) {
	if strings.HasPrefix(src, "\ufeff") {
		return nil, &Problem{0, "a byte order mark"} // offsets of the coverage would differ
	}
	p, err := parse(src, false, typed)
	if err != nil {
		m, asModule := parse(src, true, typed)
		if asModule == nil && m.imports {
			return m, nil
		}
		if asModule != nil && asModule.(*Problem).At > err.(*Problem).At {
			err = asModule // the more of the text was understood
		}
	}
	return p, err
}

func parse(src string, module, typed bool) (program *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			problem, ok := r.(*Problem)
			if !ok {
				panic(r)
			}
			program, err = nil, problem
		}
	}()
	p := &parser{lexer: lexer{src: src}, program: &Program{Module: module}, arrows: map[int]bool{}, cover: -1, steps: new(int), typed: typed}
	p.function = &function{async: module, top: true}
	p.holder = &Statement{}
	p.program.Body = &Block{Slot: "file"}
	p.scope = &scope{function: true, block: p.program.Body, names: map[string]string{}}
	if !module {
		for _, name := range []string{"exports", "require", "module", "__filename", "__dirname"} {
			p.scope.names[name] = "parameter"
		}
	}
	p.tok = p.next()
	p.directives()
	for p.tok.Kind != End {
		p.statement(p.program.Body, false)
	}
	p.close()
	p.checkExports()
	if p.program.Sloppy && strings.Contains(strings.Join(p.program.Strict, " "), "strict") {
		fail(0, "a name that strict code cannot use")
	}
	return p.program, nil
}

type parser struct {
	lexer
	tok      Token // not consumed yet
	last     Token // consumed
	program  *Program
	holder   *Statement // that tokens belong to
	function *function
	scope    *scope
	class    *class
	arrows   map[int]bool // parentheses that are known not to begin the parameters of an arrow function
	exports  []Token      // local names that are exported
	cover    int          // place of an initializer that is valid in a pattern only; -1 if there is none
	depth    int
	steps    *int // tokens read so far, repeated attempts included
	typed    bool // TypeScript
	// noConditional reports whether "extends" does not begin a conditional type here.
	noConditional bool
}

// A function is the context of the code in a function.
type function struct {
	async, generator bool
	top              bool   // the file itself
	super, construct bool   // may use super.name, super()
	field            bool   // the initializer of a field or a static block
	noArguments      bool   // "arguments" is not allowed, as in a field
	target           bool   // new.target is allowed
	accessor         string // "get", "set" or ""
	labels           []label
	loops, breaks    int
	parameters       bool // the code is in the parameters
}

type label struct {
	name string
	loop bool
}

// isModified reports whether words or a star precede the name of a method.
func (f *function) isModified() bool { return f.async || f.generator || f.accessor != "" }

func (f *function) label(name string) (l label, known bool) {
	i := slices.IndexFunc(f.labels, func(l label) bool { return l.name == name })
	if i < 0 {
		return label{}, false
	}
	return f.labels[i], true
}

// A class is the context of the code in a class.
type class struct {
	outer    *class
	declared map[string]string
	used     []string
	at       int
}

// A scope holds the bindings of a block.
type scope struct {
	outer    *scope
	function bool
	block    *Block            // nil for parameters
	names    map[string]string // kind of each binding; "hoisted" for a var of an inner scope that passes through
}

// hasParameter reports whether a name is a parameter of the function whose body has the scope.
func (s *scope) hasParameter(name string) bool {
	return s.function && s.outer != nil && s.outer.block == nil && s.outer.names[name] == "parameter"
}

func (p *parser) open(b *Block, isFunction bool) {
	p.scope = &scope{outer: p.scope, function: isFunction, block: b, names: map[string]string{}}
}

// close ends a scope and lists its bindings.
func (p *parser) close() {
	s := p.scope
	if s.block != nil {
		for name, kind := range s.names {
			if kind != "hoisted" && kind != "parameter" {
				s.block.Declared = append(s.block.Declared, kind+" "+name)
			}
		}
		slices.Sort(s.block.Declared)
	}
	p.scope = s.outer
}

// declare adds a binding. kind is "var", "let", "const", "class", "function", "import",
// "parameter" or "catch".
func (p *parser) declare(kind string, t Token) {
	name := t.Text
	if kind != "parameter" && kind != "catch" {
		p.holder.Names = append(p.holder.Names, name)
	}
	if t.among("arguments", "eval", "let", "undefined") {
		fail(t.From, "a binding of "+name)
	}
	if kind != "var" {
		if p.scope.names[name] != "" || kind != "function" && p.scope.hasParameter(name) {
			fail(t.From, name+" is declared twice")
		}
		p.scope.names[name] = kind
		return
	}
	for s := p.scope; ; s = s.outer {
		switch was := s.names[name]; {
		case slices.Contains([]string{"", "var", "hoisted"}, was):
			if s.function {
				s.names[name] = "var"
				return
			}
			s.names[name] = "hoisted"
		case s.function && (was == "parameter" || was == "function"):
			return
		default:
			fail(t.From, name+" is declared twice")
		}
	}
}

// A snapshot is the state to return to if an attempt fails.
type snapshot struct {
	p             parser
	holder        Statement
	regexps, used int
	directives    int
	function      function
}

func (p *parser) save() snapshot {
	s := snapshot{p: *p, holder: *p.holder, regexps: len(p.program.Regexps), directives: len(p.program.Strict), function: *p.function}
	if p.class != nil {
		s.used = len(p.class.used)
	}
	return s
}

func (p *parser) restore(s snapshot) {
	arrows := p.arrows
	*p = s.p
	p.arrows = arrows
	*p.holder, *p.function = s.holder, s.function
	p.program.Regexps, p.program.Strict = p.program.Regexps[:s.regexps], p.program.Strict[:s.directives]
	if p.class != nil {
		p.class.used = p.class.used[:s.used]
	}
}

// attempt reports whether do parses; if not, nothing of it remains.
func (p *parser) attempt(do func()) (ok bool) {
	s := p.save()
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(*Problem); !is {
				panic(r)
			}
			p.restore(s)
		}
	}()
	do()
	return true
}

// Limits on what is nested, and on the attempts to parse a token, whose number could grow with a
// power of the depth otherwise.
const (
	maxDepth = 400
	maxSteps = 10
)

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		fail(p.tok.From, "it is nested too deeply")
	}
}

// advance consumes a token, as part of the statement unless it is dropped.
func (p *parser) advance() Token {
	t := p.drop()
	p.holder.Tokens = append(p.holder.Tokens, t)
	return t
}

func (p *parser) drop() Token {
	t := p.tok
	if t.Kind == End {
		fail(t.From, "an unexpected end")
	}
	if *p.steps++; *p.steps > maxSteps*(len(p.src)+100) {
		fail(t.From, "it takes too many attempts to parse")
	}
	p.last = t
	p.tok = p.next()
	return t
}

// is reports whether the token is one of the given punctuators or names: no other kind has such a text.
func (p *parser) is(texts ...string) bool { return p.tok.among(texts...) }

// continues reports whether the token is one of the given ones, in the same line as the one before.
func (p *parser) continues(texts ...string) bool { return p.tok.continues(texts...) }

// expect refuses other tokens than the given one, without consuming it.
func (p *parser) expect(text string) {
	if !p.is(text) {
		p.unexpected()
	}
}

// expectKind refuses tokens of other kinds.
func (p *parser) expectKind(kinds ...Kind) {
	if !slices.Contains(kinds, p.tok.Kind) {
		p.unexpected()
	}
}

func (p *parser) take(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

// skip drops a token if it is one of the given ones.
func (p *parser) skip(texts ...string) bool {
	if p.is(texts...) {
		p.drop()
		return true
	}
	return false
}

// skipType is like skip for a token that only TypeScript has here.
func (p *parser) skipType(text string) bool { return p.typed && p.skip(text) }

// refuseCover refuses an initializer that is valid in a pattern only, after what turned out to be none.
func (p *parser) refuseCover() {
	if p.cover >= 0 {
		fail(p.cover, "an unexpected =")
	}
}

// each reads elements separated by commas, and the token after them. A comma may follow the last.
func (p *parser) each(end string, element func()) {
	for !p.is(end) {
		element()
		if !p.is(end) {
			p.want(",")
		}
	}
	p.want(end)
}

func (p *parser) want(text string) {
	p.expect(text)
	p.advance()
}

func (p *parser) dropExpected(text string) {
	p.expect(text)
	p.drop()
}

// wantKind drops a token of one of the given kinds.
func (p *parser) wantKind(kinds ...Kind) {
	p.expectKind(kinds...)
	p.drop()
}

func (p *parser) unexpected() {
	if p.tok.Kind == End {
		fail(p.tok.From, "an unexpected end")
	}
	fail(p.tok.From, "an unexpected "+p.tok.Text)
}

// peek returns the token after the current one, which must not be a slash or the end of a
// substitution.
func (p *parser) peek() Token {
	l := p.lexer
	return l.next()
}

// ends ends a statement with a semicolon or where one is inserted.
func (p *parser) ends() {
	p.holder.To = p.last.To
	switch {
	case p.skip(";"):
	case p.is("}"), p.tok.Kind == End, p.tok.Newline:
	default:
		p.unexpected()
	}
}

var reserved = script.Words("break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with" +
	" let static yield await")

// strictWords are the names that strict code cannot use for variables.
var strictWords = script.Words("implements interface package private protected public")

func (p *parser) identifier() Token {
	if !p.tok.isVariable() {
		p.unexpected()
	}
	if strictWords[p.tok.Text] {
		if p.class != nil || p.program.Module {
			p.unexpected()
		}
		p.program.Sloppy = true
	}
	return p.advance()
}

// directives reads the directives at the beginning of a function or the file. They remain
// statements.
func (p *parser) directives() {
	l, t := p.lexer, p.tok
	for t.Kind == String {
		text := t.Text
		t = l.next()
		begins := t.Newline && (t.Kind != Punctuator || t.among("{", "!", "~", "++", "--"))
		if !begins && t.Kind != End && !t.among(";", "}") {
			return
		}
		p.program.Strict = append(p.program.Strict, text)
		if t.Text == ";" {
			t = l.next()
		}
	}
}
