// Package javascript parses JavaScript into blocks of statements with their places.
//
// It accepts no text that Node refuses, because a script that does not compile fails as a whole: it
// is an error to accept one. It refuses some that Node accepts in scripts that are not strict.
package javascript

import (
	"slices"
	"strings"
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
	p.exported()
	if p.program.Sloppy && slices.ContainsFunc(p.program.Strict, func(d string) bool { return strings.Contains(d, "strict") }) {
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
	top              bool // the file itself
	super, construct bool // may use super.name, super()
	field            bool // the initializer of a field or a static block
	noArguments      bool // "arguments" is not allowed, as in a field
	target           bool // new.target is allowed
	labels           []label
	loops, breaks    int
	parameters       bool // the code is in the parameters
}

type label struct {
	name string
	loop bool
}

func (f *function) label(name string) *label {
	for i := range f.labels {
		if f.labels[i].name == name {
			return &f.labels[i]
		}
	}
	return nil
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
	if p.holder != nil && kind != "parameter" && kind != "catch" {
		p.holder.Names = append(p.holder.Names, name)
	}
	if name == "arguments" || name == "eval" || name == "let" || name == "undefined" {
		fail(t.From, "a binding of "+name)
	}
	if kind != "var" {
		if p.scope.names[name] != "" || p.scope.function && p.scope.outer != nil && p.scope.outer.block == nil && p.scope.outer.names[name] == "parameter" && kind != "function" {
			fail(t.From, name+" is declared twice")
		}
		p.scope.names[name] = kind
		return
	}
	for s := p.scope; ; s = s.outer {
		if was := s.names[name]; was != "" && was != "var" && was != "hoisted" && !(s.function && (was == "parameter" || was == "function")) {
			fail(t.From, name+" is declared twice")
		}
		if s.function {
			if s.names[name] == "" || s.names[name] == "hoisted" {
				s.names[name] = "var"
			}
			return
		}
		s.names[name] = "hoisted"
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

func (p *parser) is(text string) bool {
	return p.tok.Text == text && (p.tok.Kind == Punctuator || p.tok.Kind == Name)
}

func (p *parser) take(text string) bool {
	if p.is(text) {
		p.advance()
		return true
	}
	return false
}

// skip drops a token if it is the given one.
func (p *parser) skip(text string) bool {
	if p.is(text) {
		p.drop()
		return true
	}
	return false
}

// covered refuses an initializer that is valid in a pattern only, after what turned out to be none.
func (p *parser) covered() {
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
	if !p.is(text) {
		p.unexpected()
	}
	p.advance()
}

func (p *parser) wantDropped(text string) {
	if !p.is(text) {
		p.unexpected()
	}
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

var reserved = words("break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return super switch this throw true try typeof var void while with" +
	" let static yield await")

// strictly are the names that strict code cannot use for variables.
var strictly = words("implements interface package private protected public")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func (p *parser) identifier() Token {
	if p.tok.Kind != Name || reserved[p.tok.Text] {
		p.unexpected()
	}
	if strictly[p.tok.Text] {
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
		if t.Kind != End && t.Text != ";" && t.Text != "}" && (!t.Newline || t.Kind == Punctuator && !slices.Contains([]string{"{", "!", "~", "++", "--"}, t.Text)) {
			return
		}
		p.program.Strict = append(p.program.Strict, text)
		if t.Text == ";" {
			t = l.next()
		}
	}
}

// statement reads a statement into a block. single reports whether it is the body of another
// statement, where declarations are not allowed.
func (p *parser) statement(b *Block, single bool) {
	if p.skip(";") {
		if single && b.At < 0 {
			b.At = p.last.From
		}
		return
	}
	p.enter()
	outer := p.holder
	s := &Statement{From: p.tok.From}
	p.holder = s
	p.labelled(single)
	p.covered()
	if s.To == 0 {
		s.To = p.last.To
	}
	p.holder = outer
	b.Statements = append(b.Statements, s)
	p.depth--
}

// labelled reads labels and the statement after them.
func (p *parser) labelled(single bool) {
	if p.tok.Kind != Name || reserved[p.tok.Text] || p.peek().Text != ":" {
		p.unlabelled(single)
		return
	}
	name := p.advance()
	p.advance()
	if p.function.label(name.Text) != nil {
		fail(name.From, "a label is used twice")
	}
	p.function.labels = append(p.function.labels, label{name.Text, p.is("for") || p.is("while") || p.is("do")})
	if p.is("function") || p.is("async") && p.peek().Text == "function" || p.is("class") {
		p.unexpected()
	}
	p.labelled(true)
	p.function.labels = p.function.labels[:len(p.function.labels)-1]
}

func (p *parser) unlabelled(single bool) {
	if p.tok.Kind == Punctuator && p.tok.Text == "{" {
		p.list("group", false)
		return
	}
	if p.tok.Kind != Name {
		p.expressionStatement()
		return
	}
	if p.typeStatement() {
		return
	}
	switch p.tok.Text {
	case "var":
		p.variables("var", false)
		p.ends()
	case "let", "const":
		if single {
			p.unexpected()
		}
		p.variables(p.tok.Text, false)
		p.ends()
	case "function":
		if single {
			p.unexpected()
		}
		p.functionDeclaration(false)
	case "async":
		if next := p.peek(); next.Text == "function" && !next.Newline {
			if single {
				p.unexpected()
			}
			p.functionDeclaration(false)
			return
		}
		p.expressionStatement()
	case "class":
		if single {
			p.unexpected()
		}
		p.classBody(true, false)
	case "import":
		if next := p.peek(); next.Text == "(" || next.Text == "." {
			p.expressionStatement()
			return
		}
		p.top(single)
		p.importDeclaration()
	case "export":
		p.top(single)
		p.exportDeclaration()
	default:
		p.control()
	}
}

func (p *parser) top(single bool) {
	if single || !p.program.Module || p.scope.block != p.program.Body || !p.function.top {
		p.unexpected()
	}
}

func (p *parser) control() {
	switch p.tok.Text {
	case "if":
		p.advance()
		p.condition()
		p.body("then")
		if p.take("else") {
			p.body("else")
		} else {
			p.mark(&Block{Slot: "else", At: -1})
			p.holder.Tokens = append(p.holder.Tokens[:len(p.holder.Tokens)-1], Token{Kind: Name, Text: "else"}, p.holder.Tokens[len(p.holder.Tokens)-1])
		}
	case "for":
		p.forStatement()
	case "while":
		p.advance()
		p.condition()
		p.loop()
	case "do":
		p.advance()
		p.loop()
		p.want("while")
		p.condition()
		p.skip(";")
	case "switch":
		p.switchStatement()
	case "try":
		p.tryStatement()
	case "return":
		p.advance()
		if p.function.top {
			if p.program.Module {
				fail(p.last.From, "a return outside functions")
			}
			p.program.Returns = true
		}
		if p.function.field {
			fail(p.last.From, "a return outside functions")
		}
		if !p.tok.Newline && !p.is(";") && !p.is("}") && p.tok.Kind != End {
			p.expression(false)
		}
		p.ends()
	case "throw":
		p.advance()
		if p.tok.Newline {
			p.unexpected()
		}
		p.expression(false)
		p.ends()
	case "break", "continue":
		p.jump()
	case "debugger":
		p.advance()
		p.ends()
	default:
		p.expressionStatement()
	}
}

func (p *parser) expressionStatement() {
	p.expression(false)
	p.ends()
}

func (p *parser) condition() {
	p.want("(")
	p.expression(false)
	p.want(")")
}

func (p *parser) jump() {
	at := p.advance()
	f := p.function
	switch {
	case p.tok.Kind == Name && !p.tok.Newline && !reserved[p.tok.Text]:
		if l := f.label(p.tok.Text); l == nil || at.Text == "continue" && !l.loop {
			fail(p.tok.From, "an unknown label")
		}
		p.advance()
	case at.Text == "continue" && f.loops == 0, at.Text == "break" && f.breaks == 0:
		fail(at.From, "a "+at.Text+" outside a loop")
	}
	p.ends()
}

// mark adds a block to the current statement.
func (p *parser) mark(b *Block) {
	p.holder.Tokens = append(p.holder.Tokens, Token{Kind: Mark, From: p.tok.From, To: p.tok.From, Text: b.Slot})
	p.holder.Blocks = append(p.holder.Blocks, b)
}

// list reads statements in braces.
func (p *parser) list(slot string, isFunction bool) {
	b := &Block{Slot: slot, At: p.tok.From}
	p.mark(b)
	p.open(b, isFunction)
	p.wantDropped("{")
	if slot == "function" {
		p.directives()
	}
	p.statements(b)
	p.wantDropped("}")
	p.close()
}

func (p *parser) statements(b *Block) {
	cover := p.cover
	p.cover = -1
	for !p.is("}") {
		if p.tok.Kind == End {
			p.unexpected()
		}
		p.statement(b, false)
	}
	p.cover = cover
}

// body reads the statement of an if or a loop, which may be in braces.
func (p *parser) body(slot string) {
	if p.is("{") && p.tok.Kind == Punctuator {
		p.list(slot, false)
		return
	}
	b := &Block{Slot: slot, At: p.tok.From}
	p.mark(b)
	p.statement(b, true)
}

func (p *parser) loop() {
	p.function.loops++
	p.function.breaks++
	p.body("loop")
	p.function.loops--
	p.function.breaks--
}

func (p *parser) forStatement() {
	p.advance()
	if p.is("await") {
		if !p.function.async {
			p.unexpected()
		}
		p.awaits()
		p.advance()
	}
	p.open(nil, false)
	p.want("(")
	switch {
	case p.is(";"):
	case p.is("var"), p.is("let"), p.is("const"):
		if p.variables(p.tok.Text, true) {
			p.forIn()
			return
		}
	default:
		from := p.tok
		s := p.save()
		kind := p.expression(true)
		if p.is("of") || p.is("in") {
			if from.Text == "async" && p.is("of") && kind == identifierKind || from.Text == "let" {
				p.unexpected()
			}
			p.target(kind, s)
			p.forIn()
			return
		}
		p.covered()
	}
	p.want(";")
	if !p.is(";") {
		p.expression(false)
	}
	p.want(";")
	if !p.is(")") {
		p.expression(false)
	}
	p.want(")")
	p.loop()
	p.close()
}

func (p *parser) forIn() {
	if p.take("of") {
		p.assignment(false)
	} else {
		p.want("in")
		p.expression(false)
	}
	p.want(")")
	p.loop()
	p.close()
}

// target checks that an expression can be assigned to. One that looks like a literal is read again
// as a pattern.
func (p *parser) target(kind kind, s snapshot) {
	switch kind {
	case identifierKind, memberKind:
	case literalKind:
		p.restore(s)
		p.pattern("")
	default:
		p.unexpected()
	}
}

// variables reads a declaration. In the head of a for statement it reports whether "of" or "in"
// follows.
func (p *parser) variables(kind string, head bool) (of bool) {
	p.advance()
	for first := true; ; first = false {
		simple := p.tok.Kind == Name
		p.pattern(kind)
		p.annotation()
		switch {
		case p.is("="):
			p.advance()
			p.assignment(head)
			if head && (p.is("of") || p.is("in")) {
				p.unexpected()
			}
		case head && first && (p.is("of") || p.is("in")):
			return true
		case !simple, kind == "const":
			p.unexpected()
		}
		if !p.take(",") {
			return false
		}
	}
}

// pattern reads a binding of the given kind, or the target of an assignment if kind is "".
func (p *parser) pattern(kind string) {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.is("[") && p.tok.Kind == Punctuator:
		p.advance()
		for !p.is("]") {
			if p.take(",") {
				continue
			}
			if p.take("...") {
				p.pattern(kind)
				break
			}
			p.patternDefault(kind)
			if !p.is("]") {
				p.want(",")
			}
		}
		p.want("]")
	case p.is("{") && p.tok.Kind == Punctuator:
		p.objectPattern(kind)
	case kind == "":
		k := p.leftHandSide()
		if k != identifierKind && k != memberKind {
			p.unexpected()
		}
	default:
		p.declare(kind, p.identifier())
	}
}

func (p *parser) patternDefault(kind string) {
	p.pattern(kind)
	if p.take("=") {
		p.assignment(false)
	}
}

func (p *parser) objectPattern(kind string) {
	p.advance()
	for !p.is("}") {
		if p.take("...") {
			if p.tok.Kind == Punctuator && kind != "" || p.is("{") || p.is("[") {
				p.unexpected()
			}
			p.pattern(kind)
			break
		}
		next := Token{}
		if p.tok.Kind == Name {
			next = p.peek()
		}
		if p.tok.Kind == Name && next.Text != ":" {
			t := p.identifier()
			if kind != "" {
				p.declare(kind, t)
			} else if t.Text == "eval" || t.Text == "arguments" {
				fail(t.From, "an assignment to "+t.Text)
			}
			if p.take("=") {
				p.assignment(false)
			}
		} else {
			p.propertyName()
			p.want(":")
			p.patternDefault(kind)
		}
		if !p.is("}") {
			p.want(",")
		}
	}
	p.want("}")
}

func (p *parser) switchStatement() {
	p.advance()
	p.condition()
	b := &Block{}
	p.open(b, false)
	p.want("{")
	p.function.breaks++
	defaults := 0
	for !p.is("}") {
		if p.take("default") {
			if defaults++; defaults > 1 {
				p.unexpected()
			}
		} else {
			p.want("case")
			p.expression(false)
		}
		one := &Block{Slot: "case", At: p.tok.From}
		p.want(":")
		p.mark(one)
		for !p.is("case") && !p.is("default") && !p.is("}") {
			if p.tok.Kind == End {
				p.unexpected()
			}
			p.statement(one, false)
		}
	}
	p.function.breaks--
	p.want("}")
	p.close()
	for _, name := range b.Declared { // the clauses share a scope
		p.holder.Tokens = append(p.holder.Tokens, Token{Kind: Name, From: p.last.To, To: p.last.To, Text: name[strings.IndexByte(name, ' ')+1:]})
	}
}

func (p *parser) tryStatement() {
	p.advance()
	p.list("try", false)
	caught := p.take("catch")
	if caught {
		p.open(nil, false)
		if p.take("(") {
			p.pattern("catch")
			p.annotation()
			p.want(")")
		}
		names := p.scope.names
		b := &Block{Slot: "catch", At: p.tok.From}
		p.mark(b)
		p.open(b, false)
		for name := range names {
			p.scope.names[name] = "catch"
		}
		p.wantDropped("{")
		p.statements(b)
		p.wantDropped("}")
		for name := range names {
			delete(p.scope.names, name)
		}
		p.close()
		p.close()
	}
	if p.take("finally") {
		p.list("finally", false)
	} else if !caught {
		p.unexpected()
	}
}
