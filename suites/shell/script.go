package shell

import (
	"bytes"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Script lists the parts of a shell script. The lists are in source order, and include parts
// of functions, substitutions and here-documents.
type Script struct {
	Commands     []*Command
	Words        []*Word // outer words before those in them
	Assigns      []*Assign
	Declarations []*Declaration
	Loops        []*Loop
	Parameters   []*Parameter
	Redirects    []*Redirect
	Tests        []*Test
	Functions    []*Function
	Cases        []*Case
	Comments     []Comment
	BashOnly     string // the last construct that only bash supports; "" if there is none
}

// A Span is a part of the text, in bytes, and the line where it begins.
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

// HasInput reports whether the command's input is in the script as a here-document or a
// here-string.
func (c *Command) HasInput() bool {
	return slices.ContainsFunc(c.Redirects, func(to *Redirect) bool { return to.Here != nil || to.Op == "<<<" })
}

// An Assign sets a variable. It belongs to a command, or is an argument of declare and similar
// builtins.
type Assign struct {
	Span
	Name  string
	Value *Word // nil for an array, and if there is no value
	Array bool
	Whole bool // it sets the whole variable, and does not append to it or set one element
}

// A Declaration is a command such as declare, export or local.
type Declaration struct {
	Span
	Name    string
	Assigns []*Assign // a flag has no name, and the flag is its value
}

// HasFlag reports whether a declaration has an option with this letter.
func (d *Declaration) HasFlag(letter rune) bool {
	return slices.ContainsFunc(d.Assigns, func(a *Assign) bool {
		if a.Name != "" || a.Value == nil {
			return false
		}
		flag := a.Value.Bare()
		return strings.HasPrefix(flag, "-") && strings.ContainsRune(flag, letter)
	})
}

// A Loop sets a variable to each of its items, or, if it has none, to each of the script's
// arguments.
type Loop struct {
	Name  string
	Items []*Word
}

// A Word is one word of the text. A pattern and a here-document are words, too.
type Word struct {
	Span
	Parts   []Part
	In      *Word // the word that contains this one in an expansion; nil at the top
	Pattern bool  // it is matched, and not expanded to file names
}

// A PartKind classifies a part of a word.
type PartKind int

// The kinds of parts.
const (
	Literal PartKind = iota
	Expansion
	Substitution // of a command
	Extended     // an extended pattern, such as @(a|b)
	Other        // arithmetic, or the substitution of a process
)

// A Part is one part of a word.
type Part struct {
	Span
	Kind      PartKind
	Text      string     // of a literal, as written within its quotes; of an extended pattern, the text in its parentheses
	Quote     byte       // ' or ", or 0 outside of quotes
	Parameter *Parameter // of an Expansion
	Command   *Command   // of a Substitution that consists of one simple command
	Runs      []string   // the bare names of all commands in a Substitution
}

// A Parameter is an expansion such as $name or ${name:-word}.
type Parameter struct {
	Span
	Name     string
	Indirect bool   // ${!name}
	Partial  bool   // its value differs from the variable's, whatever Op is
	Indexed  bool   // ${name[...]}
	Op       string // such as ":-" or "%"; "" if there is none
	Word     *Word  // after Op
	In       *Word  // the word that contains the expansion; nil in arithmetic outside of words
}

// Variable returns the name of the variable to whose value, or a default for it, the expansion
// evaluates, and "" for any other expansion.
func (p *Parameter) Variable() string {
	if p.Partial || p.Op != "" && !slices.Contains(defaults, p.Op) {
		return ""
	}
	return p.Name
}

var defaults = []string{"-", ":-", "=", ":=", "?", ":?"}

// A Redirect is one redirection of a command, simple or not.
type Redirect struct {
	Op   string // such as "<" or ">>"
	Word *Word
	Here *Word // the here-document
}

// A Test is an operator of [[ ]] with its operands that are words.
type Test struct {
	Op    string
	Words []*Word
}

// A Comment is one line of a comment; Text is the part after the #.
type Comment struct {
	Span
	Text string
}

// A Function is one definition.
type Function struct {
	Span
	Name string
	node syntax.Node
}

// Text returns the formatted definition without comments, nil if it cannot be printed.
func (f *Function) Text() []byte {
	var b bytes.Buffer
	if err := syntax.NewPrinter().Print(&b, f.node); err != nil {
		return nil
	}
	return b.Bytes()
}

// A Case is a pattern of a case statement, with the end of the commands it selects.
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

// Tail returns the literal text at the end of a word, after its last expansion.
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

// Literals returns all literal text of a word: its value if each expansion is empty.
func (w *Word) Literals() string {
	text := ""
	for _, p := range w.Parts {
		if p.Kind == Literal {
			text += p.Text
		}
	}
	return text
}

// Variable returns the name of the variable if a word consists only of its value, and "" for any
// other word.
func (w *Word) Variable() string {
	if len(w.Parts) != 1 || w.Parts[0].Kind != Expansion {
		return ""
	}
	if p := w.Parts[0].Parameter; !p.Partial && !p.Indexed && p.Op == "" {
		return p.Name
	}
	return ""
}

// Read returns the parts of a script. Its errors are those of Parse.
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

// A reader builds a Script from a syntax tree. It creates one value for each node, when it first
// reaches the node.
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
		s.Comments = append(s.Comments, Comment{spanOf(n), n.Text})
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
			r.word(p, in).Pattern = true
			s.Cases = append(s.Cases, &Case{spanOf(p), int(n.End().Offset())})
		}
	case *syntax.TestClause:
		s.BashOnly = "[[ ... ]]"
	case *syntax.UnaryTest:
		r.test(n.Op.String(), in, n.X)
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok {
			switch n.Op {
			case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch:
				r.word(w, in).Pattern = true
			}
		}
		r.test(n.Op.String(), in, n.X, n.Y)
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

func (r *reader) inner() *Word {
	for _, n := range slices.Backward(r.stack) {
		if w, ok := n.(*syntax.Word); ok {
			return r.words[w]
		}
	}
	return nil
}

func (r *reader) test(op string, in *Word, operands ...syntax.TestExpr) {
	t := &Test{Op: op}
	for _, x := range operands {
		if w, ok := x.(*syntax.Word); ok {
			t.Words = append(t.Words, r.word(w, in))
		}
	}
	if len(t.Words) > 0 {
		r.script.Tests = append(r.script.Tests, t)
	}
}

// statement records redirections, also as those of a simple command.
func (r *reader) statement(n *syntax.Stmt, in *Word) {
	var redirects []*Redirect
	for _, redirect := range n.Redirs {
		to := &Redirect{Op: redirect.Op.String(), Word: r.word(redirect.Word, in)}
		if redirect.Hdoc != nil {
			to.Here = r.word(redirect.Hdoc, in)
		}
		redirects = append(redirects, to)
	}
	r.script.Redirects = append(r.script.Redirects, redirects...)
	if call, ok := n.Cmd.(*syntax.CallExpr); ok {
		r.command(call, in).Redirects = redirects
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
	for _, n := range parts {
		p := Part{Span: spanOf(n), Kind: Other, Quote: quote}
		switch n := n.(type) {
		case *syntax.Lit:
			p.Kind, p.Text = Literal, n.Value
		case *syntax.SglQuoted:
			p.Kind, p.Text, p.Quote = Literal, n.Value, '\''
		case *syntax.DblQuoted:
			if len(n.Parts) > 0 {
				list = r.parts(list, n.Parts, '"', in)
				continue
			}
			p.Kind, p.Quote = Literal, '"'
		case *syntax.ParamExp:
			p.Kind, p.Parameter = Expansion, r.parameter(n, in)
		case *syntax.CmdSubst:
			p.Kind = Substitution
			if len(n.Stmts) == 1 {
				if call, ok := n.Stmts[0].Cmd.(*syntax.CallExpr); ok {
					p.Command = r.command(call, in)
				}
			}
			p.Runs = commandsIn(n)
		case *syntax.ExtGlob:
			p.Kind, p.Text = Extended, n.Pattern.Value
		}
		list = append(list, p)
	}
	return list
}

func commandsIn(n syntax.Node) (names []string) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			names = append(names, c.Args[0].Lit())
		}
		return true
	})
	return names
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
			p.Word.Pattern = p.Variable() == ""
		}
	}
	if n.Repl != nil && n.Repl.Orig != nil {
		r.word(n.Repl.Orig, in).Pattern = true
	}
	return p
}

func spanOf(n syntax.Node) Span {
	return Span{int(n.Pos().Offset()), int(n.End().Offset()), int(n.Pos().Line())}
}

// dropComments removes the comments of a node after its visit, when they are recorded already,
// for the text of functions.
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
