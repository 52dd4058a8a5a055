package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Plain is what a text says about the commands that it runs, as far as that is certain without
// running it. It follows the reading by which Claude Code compares commands with rules, observed on
// client 2.1.332: a construct that it does not look into makes the whole text unclear.
type Plain struct {
	// Commands are the commands with the values of their words.
	Commands [][]string
	// Unclear reports that the text may run other commands.
	Unclear bool
	// Heads are the names of all commands of a text that is unclear in arguments only; nil if they
	// are not known.
	Heads []string
}

// ReadPlain reads a text. Text that does not parse is unclear.
func ReadPlain(text string) Plain {
	file, err := Parse(text)
	if err != nil {
		return Plain{Unclear: true}
	}
	r := plainReader{text: text, values: map[string]string{}}
	if r.statements(file.Stmts) {
		return Plain{Commands: r.commands}
	}
	var heads []string
	if len(file.Stmts) != 1 || !r.heads(file.Stmts[0], &heads) {
		heads = nil
	}
	return Plain{Unclear: true, Heads: heads}
}

// A plainReader reads one text. Its methods return false for what is unclear.
type plainReader struct {
	text     string
	commands [][]string
	values   map[string]string // of variables that were assigned once, as far as they are certain
}

func (r *plainReader) statements(all []*syntax.Stmt) bool {
	for _, s := range all {
		if !r.statement(s) {
			return false
		}
	}
	return true
}

func (r *plainReader) statement(s *syntax.Stmt) bool {
	call, simple := s.Cmd.(*syntax.CallExpr)
	for _, to := range s.Redirs {
		compound := !simple && s.Cmd != nil
		if compound || !r.redirect(to) || simple && precedesArgument(call, to) {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
		return true
	case *syntax.CallExpr:
		return r.call(c)
	case *syntax.BinaryCmd:
		return r.statement(c.X) && r.statement(c.Y)
	case *syntax.Subshell:
		return r.statements(c.Stmts)
	case *syntax.IfClause:
		return r.branches(c)
	case *syntax.WhileClause:
		return r.statements(c.Cond) && r.statements(c.Do)
	case *syntax.ForClause:
		return r.loop(c)
	case *syntax.DeclClause:
		return r.declaration(c)
	case *syntax.LetClause:
		r.commands = append(r.commands, strings.Fields(r.source(c)))
		return true
	case *syntax.TestClause:
		return r.test(c)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			r.commands = append(r.commands, []string{"time"})
			return true
		}
		return r.prefix(c.Stmt, "time", c.PosixFormat)
	case *syntax.CoprocClause:
		return r.prefix(c.Stmt, "coproc", false)
	default: // a group, a function, a case, a select and arithmetic
		return false
	}
}

func (r *plainReader) source(n syntax.Node) string { return r.text[n.Pos().Offset():n.End().Offset()] }

func precedesArgument(call *syntax.CallExpr, to *syntax.Redirect) bool {
	return len(call.Args) > 0 && to.Pos().After(call.Pos()) && call.End().After(to.Pos())
}

func (r *plainReader) branches(c *syntax.IfClause) bool {
	for ; c != nil; c = c.Else {
		if !r.statements(c.Cond) || !r.statements(c.Then) {
			return false
		}
	}
	return true
}

func (r *plainReader) loop(c *syntax.ForClause) bool {
	over, isWords := c.Loop.(*syntax.WordIter)
	if !isWords || c.Select {
		return false
	}
	for _, item := range over.Items {
		if inner, whole := substitution(item); whole {
			if !r.statements(inner.Stmts) {
				return false
			}
		} else if _, ok := r.word(item); !ok {
			return false
		}
	}
	r.values[over.Name.Value] = unknownValue
	return r.statements(c.Do)
}

// unknownValue marks a variable whose value is not certain, and is none that a text can assign.
const unknownValue = "\x00"

// prefix reads a simple command with a word before it that a shell takes for its own.
func (r *plainReader) prefix(s *syntax.Stmt, word string, posix bool) bool {
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) == 0 || !r.statement(s) {
		return false
	}
	words := []string{word}
	if posix {
		words = append(words, "-p")
	}
	last := len(r.commands) - 1
	r.commands[last] = append(words, r.commands[last]...)
	return true
}

func (r *plainReader) call(c *syntax.CallExpr) bool {
	for _, a := range c.Assigns {
		if !r.assign(a, len(c.Args) == 0) {
			return false
		}
	}
	var words []string
	for _, arg := range c.Args {
		text, ok := r.word(arg)
		if !ok {
			return false
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return true
	}
	r.commands = append(r.commands, words)
	// xargs without options is looked through, other programs that run their arguments are not.
	if words[0] == "xargs" && len(words) > 1 && !strings.HasPrefix(words[1], "-") {
		r.commands = append(r.commands, words[1:])
	}
	return true
}

func (r *plainReader) declaration(c *syntax.DeclClause) bool {
	words := []string{c.Variant.Value}
	for _, a := range c.Args {
		if a.Name != nil && !r.assign(a, c.Variant.Value != "local") {
			return false
		}
		words = append(words, r.source(a))
	}
	r.commands = append(r.commands, words)
	return true
}

// assign reads an assignment; kept reports that later commands see the variable.
func (r *plainReader) assign(a *syntax.Assign, kept bool) bool {
	name := a.Name.Value
	if a.Array != nil || a.Index != nil || name == "IFS" {
		return false
	}
	value, certain := "", true
	if inner, whole := substitution(a.Value); whole {
		if !r.statements(inner.Stmts) {
			return false
		}
		certain = false
	} else if a.Value != nil {
		var ok bool
		if value, ok = r.word(a.Value); !ok {
			return false
		}
		certain = !strings.Contains(value, uncertain)
	}
	if _, again := r.values[name]; !certain || again || a.Append {
		value = unknownValue
	}
	if kept {
		r.values[name] = value
	}
	return true
}

// substitution returns the substitution of a command if a word consists of it alone, without quotes.
func substitution(w *syntax.Word) (*syntax.CmdSubst, bool) {
	if w == nil || len(w.Parts) != 1 {
		return nil, false
	}
	inner, ok := w.Parts[0].(*syntax.CmdSubst)
	return inner, ok
}

// test reads a test of [[ ]], which is no command.
func (r *plainReader) test(c *syntax.TestClause) bool {
	clear := true
	syntax.Walk(c.X, func(n syntax.Node) bool {
		if word, isWord := n.(*syntax.Word); isWord {
			text, ok := r.word(word)
			clear = clear && ok && !strings.Contains(text, uncertain)
			return false
		}
		return true
	})
	return clear
}

func (r *plainReader) redirect(to *syntax.Redirect) bool {
	switch to.Op {
	case syntax.DashHdoc, syntax.RdrInOut:
		return false
	case syntax.Hdoc: // the delimiter is quoted and ends its line
		line, _, _ := strings.Cut(r.text[to.Word.End().Offset():], "\n")
		return isQuoted(to.Word) && strings.TrimSpace(line) == ""
	}
	switch {
	case to.N != nil && strings.Trim(to.N.Value, "0123456789") != "", to.Word.Lit() == "-":
		return false
	case to.Op != syntax.WordHdoc && !isFile(to.Word):
		return false
	}
	text, ok := r.word(to.Word)
	return ok && !strings.Contains(text, uncertain)
}

// isFile reports whether a word is quoted at its beginning, or plain as a whole.
func isFile(w *syntax.Word) bool {
	switch w.Parts[0].(type) {
	case *syntax.SglQuoted, *syntax.DblQuoted:
		return true
	case *syntax.Lit:
		return len(w.Parts) == 1 && !strings.Contains(w.Lit(), `\`)
	}
	return false
}

func isQuoted(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, single := w.Parts[0].(*syntax.SglQuoted)
	_, double := w.Parts[0].(*syntax.DblQuoted)
	return single || double
}

// uncertain stands in a word for the output of a command.
const uncertain = "\x01"

// notExpanded matches unquoted text that only a shell can expand: braces with a list or a range, an
// escaped blank, and an old form of arithmetic.
var notExpanded = regexp.MustCompile(`\{[^}]*(?:,|\.\.)|\\\s`)

func (r *plainReader) word(w *syntax.Word) (text string, ok bool) {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if notExpanded.MatchString(strings.ReplaceAll(p.Value, "\\\n", "")) {
				return "", false
			}
			text += Unescape(p.Value, false)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			text += p.Value
		case *syntax.DblQuoted:
			inner, ok := r.textInQuotes(p)
			if !ok {
				return "", false
			}
			text += inner
		case *syntax.ParamExp:
			value, known := r.value(p)
			if !known || value == "" || strings.ContainsAny(value, " \t\n*?[~") {
				return "", false
			}
			text += value
		case *syntax.ArithmExp:
			source := r.source(p)
			if len(w.Parts) > 1 || p.Bracket || strings.Trim(source, "$()0123456789+-*/% ") != "" {
				return "", false
			}
			text += source
		default:
			return "", false
		}
	}
	return text, true
}

// textInQuotes returns the value of a text in double quotes. A substitution in it is uncertain, and clear
// next to other text only.
func (r *plainReader) textInQuotes(q *syntax.DblQuoted) (text string, ok bool) {
	if q.Dollar {
		return "", false
	}
	for _, part := range q.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text += Unescape(p.Value, true)
		case *syntax.ParamExp:
			value, known := r.value(p)
			if !known {
				return "", false
			}
			text += value
		case *syntax.CmdSubst:
			if document, literal := catDocument(p); literal {
				text += document
				continue
			}
			if !slices.ContainsFunc(q.Parts, isLiteral) || !r.statements(p.Stmts) {
				return "", false
			}
			text += uncertain
		default:
			return "", false
		}
	}
	return text, true
}

func isLiteral(p syntax.WordPart) bool {
	_, literal := p.(*syntax.Lit)
	return literal
}

// catDocument returns the text of $(cat <<'EOF' ...), which the client takes for a literal.
func catDocument(c *syntax.CmdSubst) (text string, ok bool) {
	if len(c.Stmts) != 1 || len(c.Stmts[0].Redirs) != 1 {
		return "", false
	}
	call, simple := c.Stmts[0].Cmd.(*syntax.CallExpr)
	to := c.Stmts[0].Redirs[0]
	isCat := simple && len(call.Args) == 1 && call.Args[0].Lit() == "cat"
	isDocument := to.Op == syntax.Hdoc && to.Hdoc != nil && isQuoted(to.Word)
	if !isCat || !isDocument {
		return "", false
	}
	return strings.TrimRight(to.Hdoc.Lit(), "\n"), true
}

// value returns the value of a variable. HOME is the only one of the environment that the client
// looks through.
func (r *plainReader) value(p *syntax.ParamExp) (value string, known bool) {
	if !p.Short || p.Param == nil {
		return "", false
	}
	if p.Param.Value == "HOME" {
		return "$HOME", true
	}
	value, known = r.values[p.Param.Value]
	return value, known && value != unknownValue
}

// These match a backslash with what it makes literal, or with the end of a line, which is dropped.
var (
	escape         = lazy(`\\(?:\n|(.))`)
	escapeInQuotes = lazy("\\\\(?:\n|([$`\"\\\\]))")
)

// Unescape returns literal text of a word, in double quotes or outside of quotes, without the backslashes that escape.
func Unescape(text string, quoted bool) string {
	if quoted {
		return escapeInQuotes().ReplaceAllString(text, "$1")
	}
	return escape().ReplaceAllString(text, "$1")
}

// heads adds the name of a simple command and those of simple commands whose output it has as an
// argument. Other arguments are literals and variables without quotes.
func (r *plainReader) heads(s *syntax.Stmt, names *[]string) bool {
	call, simple := s.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) == 0 || len(call.Assigns)+len(s.Redirs) > 0 {
		return false
	}
	name, ok := (&plainReader{text: r.text}).word(call.Args[0])
	if !ok || name == "[" {
		return false
	}
	*names = append(*names, name)
	for _, arg := range call.Args[1:] {
		if !r.headsIn(arg, names) {
			return false
		}
	}
	return true
}

func (r *plainReader) headsIn(arg *syntax.Word, names *[]string) bool {
	if _, clear := (&plainReader{text: r.text}).word(arg); clear {
		return true
	}
	parts := arg.Parts
	if len(parts) == 1 {
		switch p := parts[0].(type) {
		case *syntax.ParamExp:
			return p.Short
		case *syntax.DblQuoted:
			parts = p.Parts
		}
	}
	found := 0
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.CmdSubst:
			if found++; found > 1 || len(p.Stmts) != 1 || !r.heads(p.Stmts[0], names) {
				return false
			}
		default:
			return false
		}
	}
	return found == 1
}
