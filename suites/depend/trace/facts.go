package trace

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Facts are what a statement says outside its own blocks. Those of all
// statements that a case met say what its trace can be trusted for.
type Facts struct {
	Words   []string // in commands, arguments and strings
	Names   []string // of files that it uses otherwise than by sourcing or running them
	Dynamic bool     // runs commands whose names stand in no file
	Opaque  string   // why it may run a script that is not traced
	Ends    string   // why events may be missing once it ran
	Shows   bool     // prints or passes on the text of functions, which may be any
	Shown   []string // functions whose text it prints
	// Exported are functions whose text is in the environment from then on, and
	// Environment tells that it may look at all of that, or start a shell unseen
	// that does.
	Exported    []string
	Environment bool
	Starts      bool // runs a program that may start shells of its own
	Interprets  bool // runs a program in another language
	Status      bool // looks at the status of the command before it
}

// facts looks at the nodes of a statement that belong to no other.
func (b *builder) facts(st *Statement) Facts {
	if st.Function != nil {
		return Facts{Words: []string{st.Function.Name}}
	}
	r := &factReader{words: map[string]bool{}, names: map[string]bool{}, told: map[*syntax.Word]bool{}, taken: map[syntax.Node]bool{}, shown: map[string]bool{}, sent: map[string]bool{}}
	b.own(st, func(n syntax.Node) {
		r.visit(n)
		if sig, ok := signatureOf(n); ok {
			st.signatures = append(st.signatures, sig)
		}
	})
	r.facts.Words = slices.Sorted(maps.Keys(r.words))
	r.facts.Names = slices.Sorted(maps.Keys(r.names))
	r.facts.Shown = slices.Sorted(maps.Keys(r.shown))
	r.facts.Exported = slices.Sorted(maps.Keys(r.sent))
	return r.facts
}

// own walks the nodes of a statement that belong to no other, outer ones first.
func (b *builder) own(st *Statement, visit func(syntax.Node)) {
	syntax.Walk(st.node, func(n syntax.Node) bool {
		if n == nil || n != st.node && b.hosts[n] {
			return false
		}
		visit(n)
		return true
	})
}

type factReader struct {
	facts Facts
	words map[string]bool
	names map[string]bool
	told  map[*syntax.Word]bool // words that name no file to be read
	taken map[syntax.Node]bool  // commands whose output another one takes
	shown map[string]bool
	sent  map[string]bool // functions that are exported
}

func (r *factReader) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Lit:
		r.text(n.Value)
	case *syntax.SglQuoted:
		r.text(n.Value)
	case *syntax.CallExpr:
		r.assigns(n.Assigns)
		if len(n.Args) > 0 {
			r.call(commandOf(n.Args), r.taken[n])
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			r.take(n.X)
		}
	case *syntax.CmdSubst:
		for _, st := range n.Stmts {
			r.take(st)
		}
	case *syntax.DeclClause:
		r.declare(n)
	case *syntax.UnaryTest:
		if w, ok := n.X.(*syntax.Word); ok && !readsContent[n.Op] {
			r.told[w] = true
		}
	case *syntax.BinaryTest:
		if w, ok := n.Y.(*syntax.Word); ok && matchOps[n.Op] {
			r.told[w] = true // a pattern, not names
		}
	case *syntax.CaseItem:
		for _, w := range n.Patterns {
			r.told[w] = true
		}
	case *syntax.ParamExp:
		r.parameter(n)
	case *syntax.Redirect:
		if n.Hdoc != nil {
			r.told[n.Hdoc] = true
		}
	case *syntax.Word:
		r.name(n)
	}
}

// text looks at what stands in a word.
func (r *factReader) text(s string) {
	r.addWords(s)
	r.facts.Environment = r.facts.Environment || strings.Contains(strings.ToLower(s), "env") || strings.Contains(s, "system(")
	if slices.ContainsFunc(listers, func(l string) bool { return strings.Contains(s, l) }) {
		r.names[anyFile] = true
	}
}

// listers are how programs of other languages find the files of a directory.
var listers = []string{"glob(", "listdir", "os.walk", "scandir", "iterdir", "readdir", "Dir["}

// take marks the commands below a node as ones whose output another one takes.
func (r *factReader) take(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			r.taken[c] = true
		}
		return true
	})
}

// readsContent are the file tests that say something of what is in the file.
var readsContent = map[syntax.UnTestOperator]bool{syntax.TsNoEmpty: true, syntax.TsModif: true}

var matchOps = map[syntax.BinTestOperator]bool{
	syntax.TsMatch: true, syntax.TsMatchShort: true, syntax.TsNoMatch: true, syntax.TsReMatch: true,
}

// parameter notes $?, the patterns of "${x%pattern}", and subscripts, such as
// the "*" of "${x[*]}", which are no files.
func (r *factReader) parameter(p *syntax.ParamExp) {
	if p.Param != nil && (p.Param.Value == "?" || p.Param.Value == "PIPESTATUS") {
		r.facts.Status = true
	}
	if w, ok := p.Index.(*syntax.Word); ok {
		r.told[w] = true
	}
	if p.Repl != nil && p.Repl.Orig != nil {
		r.told[p.Repl.Orig] = true
	}
	if p.Exp != nil && p.Exp.Word != nil && (p.Exp.Op == syntax.RemSmallSuffix || p.Exp.Op == syntax.RemLargeSuffix ||
		p.Exp.Op == syntax.RemSmallPrefix || p.Exp.Op == syntax.RemLargePrefix) {
		r.told[p.Exp.Word] = true
	}
}

func (r *factReader) assigns(list []*syntax.Assign) {
	for _, a := range list {
		if a.Name != nil && untraces[a.Name.Value] {
			r.facts.Opaque = "it sets " + a.Name.Value
		}
		if a.Name != nil && a.Name.Value == "LINENO" {
			r.facts.Ends = "it sets LINENO"
		}
		if a.Array != nil { // which may be run as a command
			for _, e := range a.Array.Elems {
				if e.Value != nil {
					r.untraced([]string{literal(e.Value)})
				}
			}
		}
	}
}

// untraces are the variables that keep bash from reading BASH_ENV.
var untraces = map[string]bool{"BASH_ENV": true, "POSIXLY_CORRECT": true, "SHELLOPTS": true}

func (r *factReader) declare(n *syntax.DeclClause) {
	r.assigns(n.Args)
	var args []string
	for _, a := range n.Args {
		switch {
		case a.Name != nil:
			args = append(args, a.Name.Value)
		case a.Value != nil:
			args = append(args, literal(a.Value))
		}
	}
	r.shows(n.Variant.Value, args)
}

// shows notes the functions that a declaration names by -f or -F: export passes
// them on, others print them. Without a name, or with one that is not spelled
// out, these may be all.
func (r *factReader) shows(command string, args []string) {
	functions, all, to := false, true, r.shown
	if command == "export" {
		to = r.sent
	}
	isFlag := func(a string) bool { return len(a) > 1 && (a[0] == '-' || a[0] == '+') }
	for _, a := range args {
		functions = functions || isFlag(a) && containsAny(a[1:], "fF")
	}
	if !functions {
		return
	}
	for _, a := range args {
		if isFlag(a) {
			continue
		}
		all = a == ""
		if all {
			break
		}
		to[a] = true
	}
	r.facts.Shows = r.facts.Shows || all
}
