package keys

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// A Reading is what a script reads of one JSON file.
type Reading struct {
	Paths   []Path
	Unknown string // why it may read anything of it; "" when Paths tell
	Text    string // why more than its values may matter, such as white space; "" when these are all
}

// filters are the programs whose first argument is a jq filter.
var filters = map[string]bool{"jq": true, "jaq": true, "gojq": true}

// takesArgument are the options of these programs with what follows them.
var takesArgument = map[string]int{"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "--tab": 0}

// readsMore are options that make other input of a file than its document.
var readsMore = map[string]bool{"-f": true, "--from-file": true, "--slurpfile": true, "-L": true, "--stream": true}

// Scripts tells what shell scripts that run as one, such as a hook and what it
// sources, read of the JSON file of that name. Every place that names it must be
// an argument of a filter that is spelled out, or a variable that is used in no
// other way; anything else is unknown.
func Scripts(sources [][]byte, name string) Reading {
	src := bytes.Join(sources, []byte("\n")) // they share their variables
	file, err := shell.Parse(string(src), syntax.Variant(syntax.LangBash))
	if err != nil {
		return Reading{Unknown: "the script cannot be parsed: " + err.Error()}
	}
	s := &scriptReader{name: name, known: map[*syntax.Word]bool{}, filtered: map[*syntax.Word]bool{}, variables: map[string]bool{}, filters: map[string]bool{}, exported: map[string]*syntax.DeclClause{}}
	s.collect(file)
	for name, at := range s.exported {
		if s.variables[name] || hasOption(at, 'n') {
			s.unknown(at, "it exports $"+name+", or uses it by another name")
		}
	}
	syntax.Walk(file, s.calls)
	syntax.Walk(file, s.others)
	slices.SortFunc(s.reading.Paths, func(a, b Path) int { return strings.Compare(a.String(), b.String()) })
	s.reading.Paths = slices.CompactFunc(s.reading.Paths, slices.Equal[Path])
	return s.reading
}

type scriptReader struct {
	name      string
	variables map[string]bool // hold the file's path, and nothing but its own
	filters   map[string]bool // hold the name of a filter program
	exported  map[string]*syntax.DeclClause
	known     map[*syntax.Word]bool
	filtered  map[*syntax.Word]bool // given to a filter that is not spelled out
	reading   Reading
}

func (s *scriptReader) unknown(n syntax.Node, why string) {
	s.unspelled(n, why)
	if s.reading.Text == "" {
		s.reading.Text = fmt.Sprintf("%s on line %d", why, n.Pos().Line())
	}
}

// unspelled notes a use of nobody knows which values.
func (s *scriptReader) unspelled(n syntax.Node, why string) {
	if s.reading.Unknown == "" {
		s.reading.Unknown = fmt.Sprintf("%s on line %d", why, n.Pos().Line())
	}
}

// collect finds the variables that stand for the file or for a program. One
// that goes into the environment of another program is used unseen.
func (s *scriptReader) collect(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			s.given(n)
		case *syntax.DeclClause:
			s.declared(n)
		case *syntax.FuncDecl:
			if n.Name != nil && filters[n.Name.Value] {
				s.unknown(n, "it defines "+n.Name.Value)
			}
		case *syntax.Assign:
			if n.Name == nil || n.Value == nil {
				return true
			}
			if s.names(n.Value) {
				s.variables[n.Name.Value] = true
				s.known[n.Value] = true
			}
			if filters[path.Base(n.Value.Lit())] {
				s.filters[n.Name.Value] = true
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				if filters[path.Base(w.Lit())] {
					s.filters[n.Name.Value] = true
				}
			}
		}
		return true
	})
}

// given looks for the file among the variables that a command is given.
func (s *scriptReader) given(call *syntax.CallExpr) {
	if len(call.Args) > 0 && call.Args[0].Lit() == "set" && exportsAll(call.Args[1:]) {
		s.unknown(call, "it may export all variables")
	}
	for _, a := range call.Assigns {
		if len(call.Args) > 0 && a.Value != nil && s.names(a.Value) {
			s.unknown(call, "it passes "+s.name+" on in a variable")
		}
	}
}

// exportsAll reports whether options of set may make every variable one of the
// environment.
func exportsAll(options []*syntax.Word) bool {
	for _, w := range options {
		option := w.Lit()
		switch {
		case option == "--":
			return false
		case option == "" || option == "allexport", strings.HasPrefix(option, "-") && strings.Contains(option, "a"):
			return true
		}
	}
	return false
}

// declared looks for variables that are exported, or are other names for some.
func (s *scriptReader) declared(d *syntax.DeclClause) {
	if v := d.Variant.Value; v != "export" && !hasOption(d, 'x') && !hasOption(d, 'n') && v != "nameref" {
		return
	}
	for _, a := range d.Args {
		if a.Name != nil {
			s.exported[a.Name.Value] = d
		}
	}
}

func hasOption(d *syntax.DeclClause, letter rune) bool {
	return slices.ContainsFunc(d.Args, func(a *syntax.Assign) bool {
		if a.Name != nil || a.Value == nil {
			return false
		}
		flag := a.Value.Lit()
		return strings.HasPrefix(flag, "-") && strings.ContainsRune(flag, letter)
	})
}

// names reports whether a word spells out a path that ends in the file's name.
func (s *scriptReader) names(w *syntax.Word) bool {
	text := tail(w.Parts)
	return text == s.name || strings.HasSuffix(text, "/"+s.name)
}

// tail is the literal text at the end of a word.
func tail(parts []syntax.WordPart) string {
	text := ""
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text += p.Value
		case *syntax.SglQuoted:
			text += p.Value
		case *syntax.DblQuoted:
			text += tail(p.Parts)
		default:
			text = ""
		}
	}
	return text
}

// means reports whether a word is the file, by name or by a variable.
func (s *scriptReader) means(w *syntax.Word) bool {
	return s.names(w) || s.variables[variable(w)]
}

// variable is the name of the variable that a word is and nothing else.
func variable(w *syntax.Word) string {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return ""
	}
	p, ok := parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Index != nil || p.Excl || p.Length {
		return ""
	}
	return p.Param.Value
}

// calls reads the filters of commands that are given the file.
func (s *scriptReader) calls(n syntax.Node) bool {
	st, ok := n.(*syntax.Stmt)
	if !ok {
		return true
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return true
	}
	if !filters[path.Base(call.Args[0].Lit())] && !s.filters[variable(call.Args[0])] {
		s.tests(call)
		return true
	}
	var given []*syntax.Word
	for _, w := range call.Args[1:] {
		if s.means(w) {
			given = append(given, w)
		}
	}
	for _, r := range st.Redirs {
		if r.Op == syntax.RdrIn && s.means(r.Word) {
			given = append(given, r.Word)
		}
	}
	if len(given) > 0 {
		s.filter(call, given)
	}
	return true
}

func (s *scriptReader) filter(call *syntax.CallExpr, given []*syntax.Word) {
	if slices.ContainsFunc(call.Args, readsText) {
		return // the words stay unknown
	}
	for _, w := range given {
		s.filtered[w] = true
	}
	words := call.Args[1:]
	for len(words) > 0 {
		option := words[0].Lit()
		if !strings.HasPrefix(option, "-") {
			break
		}
		if readsMore[option] {
			return
		}
		words = words[min(len(words), 1+takesArgument[option]):]
	}
	if len(words) == 0 {
		return
	}
	text, ok := literal(words[0].Parts)
	if !ok {
		return
	}
	paths, err := Reads(text)
	if err != nil {
		return
	}
	s.reading.Paths = append(s.reading.Paths, paths...)
	for _, w := range given {
		s.known[w] = true
	}
}

// readsText reports whether a word of a filter's command line makes lines of its
// input count, or may.
func readsText(w *syntax.Word) bool {
	text := tail(w.Parts)
	return strings.HasPrefix(text, "--raw-input") || strings.HasPrefix(text, "--rawfile") || strings.Contains(text, "input_line_number") ||
		strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "R")
}

func literal(parts []syntax.WordPart) (string, bool) {
	text := ""
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text += p.Value
		case *syntax.SglQuoted:
			text += p.Value
		case *syntax.DblQuoted:
			inner, ok := literal(p.Parts)
			if !ok {
				return "", false
			}
			text += strings.ReplaceAll(inner, `\"`, `"`)
		default:
			return "", false
		}
	}
	return text, true
}

// tests: whether the file is there says nothing of its keys.
func (s *scriptReader) tests(call *syntax.CallExpr) {
	if name := call.Args[0].Lit(); name != "[" && name != "test" {
		return
	}
	for i, w := range call.Args {
		if flag := call.Args[max(i-1, 0)].Lit(); flag == "-f" || flag == "-e" || flag == "-r" {
			s.known[w] = true
		}
	}
}

// others finds what uses the file in a way that nothing accounts for.
func (s *scriptReader) others(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.TsExists || n.Op == syntax.TsRegFile || n.Op == syntax.TsRead) {
			s.known[w] = true
		}
	case *syntax.Word:
		if s.known[n] {
			return false
		}
		if s.filtered[n] {
			s.unspelled(n, "it uses "+s.name+" by a filter that is not spelled out")
			return false
		}
		if strings.Contains(tail(n.Parts), s.name) {
			s.unknown(n, "it uses "+s.name+" otherwise than by a filter that is spelled out")
		}
	case *syntax.ParamExp:
		if n.Excl {
			s.unknown(n, "it uses a variable that another one names")
		}
		if n.Param != nil && s.variables[n.Param.Value] {
			s.unknown(n, "it uses $"+n.Param.Value+" otherwise than by a filter that is spelled out")
		}
	}
	return true
}
