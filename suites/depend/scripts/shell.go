package scripts

import (
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A shellReader collects what a shell script says from its syntax tree.
type shellReader struct {
	*Script
	functions map[string]bool
	commands  map[string]bool
	quiet     map[*syntax.Word]bool     // words of messages, which name no file to open
	patterns  map[*syntax.Word]bool     // words that are matched, not expanded to names
	texts     map[*syntax.Word]bool     // here-documents, where braces do not expand
	inline    map[*syntax.CallExpr]bool // commands whose input stands in the script
}

// trims notes the patterns of "${x%pattern}" and "${x/pattern/text}".
func (r *shellReader) trims(p *syntax.ParamExp) {
	if p.Repl != nil && p.Repl.Orig != nil {
		r.patterns[p.Repl.Orig] = true
	}
	if p.Exp != nil && p.Exp.Word != nil && variableOf(p) == "" {
		r.patterns[p.Exp.Word] = true
	}
}

// statement notes messages, for what echo and printf write to stderr is read
// by people, and commands whose input is a here-document.
func (r *shellReader) statement(s *syntax.Stmt) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	prints := call.Args[0].Lit() == "echo" || call.Args[0].Lit() == "printf"
	for _, redirect := range s.Redirs {
		if redirect.Hdoc != nil || redirect.Op == syntax.WordHdoc {
			r.inline[call] = true
		}
		if prints && redirect.Op == syntax.DplOut && redirect.Word.Lit() == "2" && (redirect.N == nil || redirect.N.Value == "1") {
			for _, w := range call.Args {
				r.quiet[w] = true
			}
		}
	}
}

// word notes the file names in a word, and names that are put together.
func (r *shellReader) word(w *syntax.Word) {
	if r.quiet[w] || r.patterns[w] {
		return
	}
	f := flatten(w)
	for _, token := range tokensOf(f.text) {
		base := path.Base(token)
		ext := strings.ToLower(path.Ext(base))
		partial := strings.ContainsAny(base, expanded+"*?[{}") || f.braces && strings.Contains(f.text, ",") && !r.texts[w]
		switch {
		case strings.HasPrefix(token, "/") || strings.HasPrefix(token, "-") || strings.HasSuffix(token, "/"):
		case partial && (scriptExtensions[ext] || dataExtensions[ext]):
			r.Tails = append(r.Tails, ext)
		case strings.ContainsAny(token, "./"):
			name := strings.TrimLeft(token, expanded+"/")
			r.Mentions = append(r.Mentions, Mention{name, f.operandOf(token)})
		}
	}
	for _, name := range NamesIn(f.text) {
		if KnownTools[path.Base(name)] {
			r.Words = append(r.Words, path.Base(name))
		}
	}
}

// tokensOf cuts a flattened word at what no path holds.
func tokensOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>=:,`", c) })
}

func (r *shellReader) computes(at syntax.Node, what string) {
	if r.Computed == "" {
		r.Computed = fmt.Sprintf("it %s on line %d", what, at.Pos().Line())
	}
}

// assembles notes that a word gives names of files that no text spells out.
func (r *shellReader) assembles(at syntax.Node) {
	if r.Assembled == 0 {
		r.Assembled = int(at.Pos().Line())
	}
}

// assign notes what a variable is made of.
func (r *shellReader) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	var words []*syntax.Word
	if a.Value != nil {
		words = append(words, a.Value)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				words = append(words, e.Value)
			}
		}
	}
	for _, w := range words {
		r.give(name, w)
	}
}

func (r *shellReader) give(name string, w *syntax.Word) {
	f := flatten(w)
	if f.glob || f.names {
		r.assembles(w)
	}
	r.Assigned[name] = append(r.Assigned[name], f.operandOf(f.text))
	if f.glob || f.lists {
		r.Listed[name] = true
	}
}

// iterate notes the variable of a for or select loop.
func (r *shellReader) iterate(n *syntax.WordIter) {
	for _, w := range n.Items {
		r.give(n.Name.Value, w)
	}
	if len(n.Items) == 0 { // over the arguments
		r.Assigned[n.Name.Value] = append(r.Assigned[n.Name.Value], Operand{})
	}
}
