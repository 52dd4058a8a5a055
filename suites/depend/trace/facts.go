package trace

import (
	"mvdan.cc/sh/v3/syntax"
)

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
