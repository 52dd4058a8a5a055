package scripts

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// Read analyses a script's content.
func Read(p string, content []byte) *Script {
	s := analysed(p, content)
	s.Open = s.open()
	if len(s.Names) > mostNames || len(s.Opened) > mostNames {
		s.Names, s.Opened = s.Names[:min(len(s.Names), mostNames)], s.Opened[:min(len(s.Opened), mostNames)]
		s.Computed = fmt.Sprintf("it has more than %d words that may be names of files", mostNames)
		s.Opaque = s.Computed
	}
	return s
}

func analysed(p string, content []byte) *Script {
	s := &Script{Text: string(content)}
	if IsBinary(content) {
		return &Script{Language: "binary", Opaque: "it is no text"}
	}
	interpreter, _ := shell.Interpreter(s.Text)
	s.Language = LanguageOf(p, interpreter)
	s.Names = NamesIn(s.Text)
	if len(interpreter) > 0 {
		s.Tools = append(s.Tools, path.Base(interpreter[0]))
	}
	if s.Language == shell.Shell {
		readShell(s)
		return s
	}
	s.Opaque = "it is no shell script"
	for _, name := range s.Names {
		if KnownTools[path.Base(name)] {
			s.Words = append(s.Words, path.Base(name))
		}
	}
	return s
}

func readShell(s *Script) {
	s.Assigned, s.Listed, s.Run = map[string][]Operand{}, map[string]bool{}, map[string]int{}
	file, err := shell.Parse(s.Text, syntax.KeepComments(true))
	if err != nil {
		s.Opaque = "it cannot be parsed: " + err.Error()
		s.Computed = s.Opaque
		for _, name := range s.Names {
			if KnownTools[path.Base(name)] {
				s.Words = append(s.Words, path.Base(name))
			}
		}
		return
	}
	r := &shellReader{
		Script: s, functions: map[string]bool{}, commands: map[string]bool{},
		quiet: map[*syntax.Word]bool{}, patterns: map[*syntax.Word]bool{}, inline: map[*syntax.CallExpr]bool{},
		texts: map[*syntax.Word]bool{},
	}
	syntax.Walk(file, r.visit)
	s.Text = codeOf(s.Text, file, r.quiet)
	s.Names = NamesIn(s.Text)
	slices.Sort(s.Words)
	s.Words = slices.Compact(s.Words)
	for name := range r.functions {
		s.Functions = append(s.Functions, name)
	}
	for name := range r.commands {
		if !builtins[name] && !strings.ContainsAny(name, " \t\n") && !scriptExtensions[path.Ext(name)] {
			s.Tools = append(s.Tools, name)
		}
	}
}

func (r *shellReader) visit(n syntax.Node) bool {
	r.opens(n)
	switch n := n.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			r.functions[n.Name.Value] = true
		}
	case *syntax.Stmt:
		r.statement(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			r.texts[n.Hdoc] = true
		}
	case *syntax.CallExpr:
		r.call(n.Args, r.inline[n])
	case *syntax.Assign:
		r.assign(n)
	case *syntax.WordIter:
		r.iterate(n)
	case *syntax.CaseItem:
		for _, p := range n.Patterns {
			r.patterns[p] = true
		}
	case *syntax.ParamExp:
		r.trims(n)
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok && (n.Op == syntax.TsMatch || n.Op == syntax.TsMatchShort || n.Op == syntax.TsNoMatch || n.Op == syntax.TsReMatch) {
			r.patterns[w] = true
		}
	case *syntax.Word:
		r.word(n)
	}
	return true
}
