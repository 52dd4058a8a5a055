package scripts

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// runsFile reports whether a program runs the file that is its first argument.
func runsFile(program string) bool {
	return program == "source" || program == "." || shell.IsShell(program) || shell.IsInterpreter(program)
}

// number matches arguments of options, such as durations.
var number = pattern.Lazy(`^[0-9.]+[smhd]?$`)

// call notes the program that a simple command runs, and whether it is one
// whose name is computed. inline tells that its input stands in the script.
func (r *shellReader) call(args []*syntax.Word, inline bool) {
	if len(args) == 0 {
		return
	}
	first := flatten(args[0])
	name := path.Base(first.text)
	switch {
	case strings.Contains(name, expanded) || name == "":
		r.callComputed(args[0], first)
		return
	case name != "[" && strings.ContainsAny(name, "*?["):
		r.computes(args[0], "runs a command whose name is computed")
		return
	}
	r.commands[name] = true
	rest := args[1:]
	skip, wraps := shell.Wraps(name)
	behind, launches := shell.Launches(name)
	switch {
	case wraps && name == "command" && len(rest) > 0 && strings.HasPrefix(rest[0].Lit(), "-"),
		name == "type", name == "which", name == "hash":
		r.asked(rest)
	case wraps:
		r.call(operands(rest, skip), inline)
	case launches && behind == "":
		r.call(operands(rest, 0), false)
	case launches && len(rest) > 0 && rest[0].Lit() == behind:
		r.call(operands(rest[1:], 0), false)
	case runsFile(name):
		r.interpret(args[0], rest, inline)
	case name == "eval":
		r.evaluate(rest)
	case name == "cd", name == "pushd":
		r.move(rest)
	case name == "read", name == "mapfile", name == "readarray", name == "printf", name == "getopts", name == "unset":
		r.fill(name, rest)
	}
}

// callComputed notes "$cmd", which is judged when all assignments are known,
// and "$dir/$name", which may be any file.
func (r *shellReader) callComputed(w *syntax.Word, f flat) {
	if f.text == expanded && f.vars[0] != "" {
		r.Run[f.vars[0]] = int(w.Pos().Line())
		return
	}
	if f.text == expanded && !f.lists {
		return // the output of a command whose text is searched for names
	}
	r.computes(w, "runs a command whose name is computed")
}

// asked notes the names that "command -v" looks for.
func (r *shellReader) asked(args []*syntax.Word) {
	for _, a := range args {
		if f := flatten(a); f.text != "" && !strings.Contains(f.text, expanded) && !strings.HasPrefix(f.text, "-") {
			r.commands[path.Base(f.text)] = true
		}
	}
}

// operands drops options, their numbers, assignments and the first skip of
// what is left.
func operands(args []*syntax.Word, skip int) []*syntax.Word {
	for i, a := range args {
		text := flatten(a).text
		switch {
		case strings.HasPrefix(text, "-"), strings.Contains(text, "=") && !strings.HasPrefix(text, expanded):
		case skip > 0:
			skip--
		case number().MatchString(text):
		default:
			return args[i:]
		}
	}
	return nil
}

// interpret looks at the file that an interpreter or source is given.
func (r *shellReader) interpret(command *syntax.Word, args []*syntax.Word, inline bool) {
	for i, a := range args {
		f := flatten(a)
		switch {
		case f.text == "-c" && i+1 < len(args):
			r.evaluate(args[i+1:])
			return
		case f.text == "-m":
			r.computes(a, "runs a module")
			return
		case strings.HasPrefix(f.text, "-"):
		case strings.ContainsAny(path.Base(f.text), expanded+"*?["):
			r.computes(a, "sources a file whose name is computed")
			return
		default:
			return
		}
	}
	if !inline && !isQuestion(args) {
		r.computes(command, "runs code from its input")
	}
}

// isQuestion: "bash --version" runs nothing.
func isQuestion(args []*syntax.Word) bool {
	return len(args) == 1 && (args[0].Lit() == "--version" || args[0].Lit() == "--help" || args[0].Lit() == "-V")
}

// evaluate looks at code in a string: its words are in the text, and what it
// takes from variables is judged as "$cmd" is.
func (r *shellReader) evaluate(args []*syntax.Word) {
	r.Evals = true
	for _, a := range args {
		for _, v := range flatten(a).vars {
			if v != "" {
				r.Run[v] = int(a.Pos().Line())
			}
		}
	}
}

// move notes where the script goes: names without a directory count from there.
func (r *shellReader) move(args []*syntax.Word) {
	for _, a := range args {
		f := flatten(a)
		switch {
		case strings.HasPrefix(f.text, "-"):
			continue
		case strings.HasPrefix(f.text, "/"):
			r.Moves = append(r.Moves, Operand{})
		default:
			r.Moves = append(r.Moves, f.operandOf(f.text))
		}
		return
	}
	r.Moves = append(r.Moves, Operand{})
}

// fill notes variables that a builtin sets.
func (r *shellReader) fill(name string, args []*syntax.Word) {
	for i, a := range args {
		v := a.Lit()
		if v == "" || strings.HasPrefix(v, "-") || name == "printf" && (i == 0 || args[i-1].Lit() != "-v") {
			continue
		}
		r.Assigned[v] = append(r.Assigned[v], Operand{})
		if name != "printf" && name != "unset" {
			r.Listed[v] = true
		}
	}
}
