package shell

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Script lists what a shell script consists of. The lists are in the order of the
// text, and include what is in functions, substitutions and here-documents.
type Script struct {
	Commands     []*Command
	Words        []*Word // outer words before those in them
	Assigns      []*Assign
	Declarations []*Declaration
	Loops        []*Loop
	Parameters   []*Parameter
	Tests        []*Test
	Functions    []*Function
	Cases        []*Case
	Comments     []Span
	Arithmetic   []string // names and numbers that operators of arithmetic are applied to
	BashOnly     string   // the last construct that only bash understands; "" without one
}

// A Span is a part of the text, in bytes, and the line on which it begins.
type Span struct{ Start, End, Line int }

// A Command is a simple command. It has no arguments if it only assigns.
type Command struct {
	Span
	Args      []*Word
	Assigns   []*Assign
	Redirects []*Redirect
}

// Name returns the text of the command's first word, "" if it is not bare.
func (c *Command) Name() string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0].Bare()
}

// An Assign gives a variable a value. It is one of a command, or an argument of
// declare and its like.
type Assign struct {
	Span
	Name     string
	Value    *Word   // nil for an array, and without a value
	Elements []*Word // of an array
	Array    bool
	Whole    bool // it sets all of the variable, and does not append to it or set one element
}

// A Declaration is a command such as declare, export or local.
type Declaration struct {
	Span
	Name    string
	Assigns []*Assign // a flag is one without a name, whose value is the flag
}

// HasFlag reports whether a declaration has an option of that letter.
func (d *Declaration) HasFlag(letter rune) bool {
	return slices.ContainsFunc(d.Assigns, func(a *Assign) bool {
		if a.Name != "" || a.Value == nil {
			return false
		}
		flag := a.Value.Bare()
		return strings.HasPrefix(flag, "-") && strings.ContainsRune(flag, letter)
	})
}

// A Loop sets a variable to each of its items. Without items these are the
// script's arguments.
type Loop struct {
	Name  string
	Items []*Word
}

// A Word is one word of the text. A pattern and a here-document are words, too.
type Word struct {
	Span
	Parts []Part
	In    *Word // that holds this one in an expansion; nil at the top
}

// A PartKind is what a part of a word is.
type PartKind int

// The kinds of parts.
const (
	Literal      PartKind = iota
	Expansion             // of a parameter
	Substitution          // of a command
	Other                 // arithmetic, the substitution of a process or an extended pattern
)

// A Part of a word.
type Part struct {
	Kind      PartKind
	Text      string     // of a literal, as it is written within its quotes
	Quote     byte       // ' or ", or 0 outside of quotes
	Parameter *Parameter // of an Expansion
	Command   *Command   // of a Substitution that consists of one simple command
}

// A Parameter is an expansion such as $name or ${name:-word}.
type Parameter struct {
	Span
	Name     string
	Indirect bool   // ${!name}
	Partial  bool   // it gives another value than the variable's, whatever Op is
	Indexed  bool   // ${name[...]}
	Op       string // such as ":-" or "%"; "" without one
	Word     *Word  // behind Op
	In       *Word  // the word that the expansion is in; nil in arithmetic outside of words
}

// A Redirect of a simple command.
type Redirect struct {
	Op   string // such as "<" or ">>"
	Word *Word
}

// A Test is an operator of [[ ]] with one operand that is a word.
type Test struct {
	Op   string
	Word *Word
}

// A Function is one definition.
type Function struct {
	Span
	Name string
	node syntax.Node
}

// Text returns the definition as a formatter writes it, without comments.
func (f *Function) Text() []byte {
	var b bytes.Buffer
	if err := syntax.NewPrinter().Print(&b, f.node); err != nil {
		return nil
	}
	return b.Bytes()
}

// A Case is a pattern of a case statement, with the end of what it selects.
type Case struct {
	Pattern Span
	End     int
}

// Bare returns the text of a word without quotes and expansions, "" for any other.
func (w *Word) Bare() string {
	text := ""
	for _, p := range w.Parts {
		if p.Kind != Literal || p.Quote != 0 {
			return ""
		}
		text += p.Text
	}
	return text
}

// Tail returns the literal text at the end of a word, behind its last expansion.
func (w *Word) Tail() string {
	text := ""
	for _, p := range w.Parts {
		if p.Kind == Literal {
			text += p.Text
		} else {
			text = ""
		}
	}
	return text
}

// Variable returns the name of the variable whose value a word is and nothing else,
// "" for any other word.
func (w *Word) Variable() string {
	if len(w.Parts) != 1 || w.Parts[0].Kind != Expansion {
		return ""
	}
	if p := w.Parts[0].Parameter; !p.Partial && !p.Indexed && p.Op == "" {
		return p.Name
	}
	return ""
}

// Read lists the parts of a script. The error is that of Parse.
func Read(text string) (*Script, error) {
	file, err := Parse(text, syntax.KeepComments(true))
	if err != nil {
		return nil, err
	}
	r := reader{script: &Script{}, words: map[*syntax.Word]*Word{}, assigns: map[*syntax.Assign]*Assign{},
		parameters: map[*syntax.ParamExp]*Parameter{}, commands: map[*syntax.CallExpr]*Command{}}
	syntax.Walk(file, r.visit)
	return r.script, nil
}

// A reader makes a Script of a syntax tree. It makes one value for each node, by
// whichever way it comes to that node first.
type reader struct {
	script     *Script
	stack      []syntax.Node
	words      map[*syntax.Word]*Word
	assigns    map[*syntax.Assign]*Assign
	parameters map[*syntax.ParamExp]*Parameter
	commands   map[*syntax.CallExpr]*Command
}

func (r *reader) visit(n syntax.Node) bool {
	if n == nil {
		dropComments(r.stack[len(r.stack)-1])
		r.stack = r.stack[:len(r.stack)-1]
		return true
	}
	in := r.inner()
	s := r.script
	switch n := n.(type) {
	case *syntax.Comment:
		s.Comments = append(s.Comments, spanOf(n))
	case *syntax.Stmt:
		r.statement(n, in)
	case *syntax.CallExpr:
		s.Commands = append(s.Commands, r.command(n, in))
	case *syntax.DeclClause:
		d := &Declaration{Span: spanOf(n), Name: n.Variant.Value}
		for _, a := range n.Args {
			d.Assigns = append(d.Assigns, r.assign(a, in))
		}
		s.Declarations = append(s.Declarations, d)
	case *syntax.Assign:
		a := r.assign(n, in)
		s.Assigns = append(s.Assigns, a)
		if a.Array {
			s.BashOnly = "an array"
		}
	case *syntax.WordIter:
		s.Loops = append(s.Loops, &Loop{n.Name.Value, r.list(n.Items, in)})
	case *syntax.FuncDecl:
		if n.Name != nil {
			s.Functions = append(s.Functions, &Function{spanOf(n), n.Name.Value, n})
		}
	case *syntax.CaseItem:
		for _, p := range n.Patterns {
			s.Cases = append(s.Cases, &Case{spanOf(p), int(n.End().Offset())})
		}
	case *syntax.TestClause:
		s.BashOnly = "[[ ... ]]"
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok {
			s.Tests = append(s.Tests, &Test{n.Op.String(), r.word(w, in)})
		}
	case *syntax.BinaryArithm, *syntax.UnaryArithm:
		syntax.Walk(n, func(n syntax.Node) bool {
			if lit, ok := n.(*syntax.Lit); ok {
				s.Arithmetic = append(s.Arithmetic, lit.Value)
			}
			return true
		})
	case *syntax.ProcSubst:
		s.BashOnly = "<( ... )"
	case *syntax.ParamExp:
		s.Parameters = append(s.Parameters, r.parameter(n, in))
	case *syntax.Word:
		s.Words = append(s.Words, r.word(n, in))
	}
	r.stack = append(r.stack, n)
	return true
}

// inner returns the innermost word around the present node.
func (r *reader) inner() *Word {
	for _, n := range slices.Backward(r.stack) {
		if w, ok := n.(*syntax.Word); ok {
			return r.words[w]
		}
	}
	return nil
}

// statement adds the redirections of a simple command to it.
func (r *reader) statement(n *syntax.Stmt, in *Word) {
	call, ok := n.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	c := r.command(call, in)
	for _, redirect := range n.Redirs {
		c.Redirects = append(c.Redirects, &Redirect{redirect.Op.String(), r.word(redirect.Word, in)})
	}
}

func (r *reader) command(n *syntax.CallExpr, in *Word) *Command {
	if c := r.commands[n]; c != nil {
		return c
	}
	c := &Command{Span: spanOf(n)}
	r.commands[n] = c
	for _, a := range n.Assigns {
		c.Assigns = append(c.Assigns, r.assign(a, in))
	}
	c.Args = r.list(n.Args, in)
	return c
}

func (r *reader) assign(n *syntax.Assign, in *Word) *Assign {
	if a := r.assigns[n]; a != nil {
		return a
	}
	a := &Assign{Span: spanOf(n), Array: n.Array != nil, Whole: !n.Append && n.Index == nil}
	r.assigns[n] = a
	if n.Name != nil {
		a.Name = n.Name.Value
	}
	if n.Value != nil {
		a.Value = r.word(n.Value, in)
	}
	return a
}

func (r *reader) list(words []*syntax.Word, in *Word) (list []*Word) {
	for _, w := range words {
		list = append(list, r.word(w, in))
	}
	return list
}

func (r *reader) word(n *syntax.Word, in *Word) *Word {
	if w := r.words[n]; w != nil {
		return w
	}
	w := &Word{Span: spanOf(n), In: in}
	r.words[n] = w
	w.Parts = r.parts(nil, n.Parts, 0, w)
	return w
}

func (r *reader) parts(list []Part, parts []syntax.WordPart, quote byte, in *Word) []Part {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			list = append(list, Part{Text: p.Value, Quote: quote})
		case *syntax.SglQuoted:
			list = append(list, Part{Text: p.Value, Quote: '\''})
		case *syntax.DblQuoted:
			if len(p.Parts) == 0 {
				list = append(list, Part{Quote: '"'})
			}
			list = r.parts(list, p.Parts, '"', in)
		case *syntax.ParamExp:
			list = append(list, Part{Kind: Expansion, Quote: quote, Parameter: r.parameter(p, in)})
		case *syntax.CmdSubst:
			part := Part{Kind: Substitution, Quote: quote}
			if len(p.Stmts) == 1 {
				if call, ok := p.Stmts[0].Cmd.(*syntax.CallExpr); ok {
					part.Command = r.command(call, in)
				}
			}
			list = append(list, part)
		default:
			list = append(list, Part{Kind: Other, Quote: quote})
		}
	}
	return list
}

func (r *reader) parameter(n *syntax.ParamExp, in *Word) *Parameter {
	if p := r.parameters[n]; p != nil {
		return p
	}
	p := &Parameter{Span: spanOf(n), Indirect: n.Excl, Indexed: n.Index != nil, In: in,
		Partial: n.Excl || n.Length || n.Width || n.Slice != nil || n.Repl != nil || n.Names != 0}
	r.parameters[n] = p
	if n.Param != nil {
		p.Name = n.Param.Value
	}
	if n.Exp != nil {
		p.Op = n.Exp.Op.String()
		if n.Exp.Word != nil {
			p.Word = r.word(n.Exp.Word, in)
		}
	}
	return p
}

func spanOf(n syntax.Node) Span {
	return Span{int(n.Pos().Offset()), int(n.End().Offset()), int(n.Pos().Line())}
}

// dropComments removes the comments of a node, for the text of functions. They are
// on record when the node has been visited.
func dropComments(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		n.Comments = nil
	case *syntax.CaseItem:
		n.Comments, n.Last = nil, nil
	case *syntax.ArrayElem:
		n.Comments = nil
	case *syntax.ArrayExpr:
		n.Last = nil
	case *syntax.Block:
		n.Last = nil
	case *syntax.Subshell:
		n.Last = nil
	case *syntax.IfClause:
		n.CondLast, n.ThenLast, n.Last = nil, nil, nil
	case *syntax.WhileClause:
		n.CondLast, n.DoLast = nil, nil
	case *syntax.ForClause:
		n.DoLast = nil
	case *syntax.CaseClause:
		n.Last = nil
	case *syntax.CmdSubst:
		n.Last = nil
	case *syntax.ProcSubst:
		n.Last = nil
	}
}
