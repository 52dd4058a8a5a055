package mutate

import (
	"bytes"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// prints add a command that prints, on either stream.
func prints(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for _, st := range stmts {
			before := " before " + short(s.at(st))
			list = append(list,
				Change{start(st), start(st), "echo printed; ", "print on stdout" + before},
				Change{start(st), start(st), "echo printed >&2; ", "print on stderr" + before})
		}
	})
	return list
}

// arms drop one arm of a case.
func arms(s *Source) []Change {
	var list []Change
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		if n, ok := n.(*syntax.CaseItem); ok && !hasDocument(n) {
			list = append(list, Change{start(n), end(n), "", "drop the arm " + short(s.at(n))})
		}
		return true
	})
	return list
}

// addedLines add several lines at once: a branch, a loop, a function with its
// call.
func addedLines(s *Source) []Change {
	pieces := []string{
		"if [[ -n \"${HOME:-}\" ]]; then\n  echo added >&2\nfi\n",
		"for added in 1 2; do\n  echo \"added $added\" >&2\ndone\n",
		"added() {\n  echo added >&2\n}\nadded\n",
		"[[ -z \"${ADDED:-}\" ]] || exit 3\nADDED=yes\n[[ -z \"${ADDED:-}\" ]] || exit 4\n",
	}
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for i, st := range stmts {
			piece := pieces[s.random.IntN(len(pieces))]
			list = append(list, Change{start(st), start(st), piece, "add lines " + short(piece)})
			if i == len(stmts)-1 && !hasDocument(st) {
				list = append(list, Change{end(st), end(st), "\n" + piece, "append lines " + short(piece)})
			}
		}
	})
	return list
}

// reorders exchange two statements that follow one another.
func reorders(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for i := 1; i < len(stmts); i++ {
			a, b := stmts[i-1], stmts[i]
			if hasDocument(a) || hasDocument(b) {
				continue
			}
			first, second := strings.TrimSuffix(s.at(a), ";"), strings.TrimSuffix(s.at(b), ";")
			if strings.HasSuffix(first, ";") || strings.HasSuffix(second, ";") { // ends an item of a case
				continue
			}
			list = append(list, Change{start(a), end(b), second + "\n" + first + "\n", "exchange " + short(first) + " and " + short(second)})
		}
	})
	return list
}

// globals change what holds for the whole script: an assignment, a set, a trap
// or a shopt at top level, and add one.
func globals(s *Source) []Change {
	added := []string{"set +e\n", "set +u\n", "shopt -s nocasematch\n", "IFS=:\n", "TMPDIR=/nowhere\n", "cmd=changed\n", "trap 'echo ended >&2' EXIT\n"}
	var list []Change
	for _, st := range s.tree.Stmts {
		piece := added[s.random.IntN(len(added))]
		list = append(list, Change{start(st), start(st), piece, "add " + short(piece)})
		c, ok := st.Cmd.(*syntax.CallExpr)
		switch {
		case !ok || hasDocument(st):
		case len(c.Args) == 0 && len(c.Assigns) > 0 && c.Assigns[0].Name != nil:
			list = append(list, Change{start(c), end(c), c.Assigns[0].Name.Value + "=changed", "change " + short(s.at(st))})
		case len(c.Args) > 0 && (c.Args[0].Lit() == "set" || c.Args[0].Lit() == "trap" || c.Args[0].Lit() == "shopt" || c.Args[0].Lit() == "source"):
			list = append(list, Change{start(st), end(st), ":", "take away " + short(s.at(st))})
		}
	}
	return list
}

// renames give a function another name: everywhere, or only where it is defined,
// or add one that hides it or a command that the script calls.
func renames(s *Source) []Change {
	var list []Change
	calls := map[string]bool{}
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			name := n.Name.Value
			list = append(list, Change{start(n.Name), end(n.Name), name + "_renamed", "rename the definition of " + name})
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
			list = append(list, Change{0, len(s.text), string(word.ReplaceAll(s.text, []byte(name+"_renamed"))), "rename " + name})
			list = append(list, Change{end(n), end(n), "\n" + name + "() { echo hidden; }\n", "define " + name + " again"})
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				calls[n.Args[0].Lit()] = true
			}
		}
		return true
	})
	for _, name := range []string{"jq", "grep", "sed", "cat", "command", "git", "printf", "echo", "unheard_of"} {
		if calls[name] || name == "unheard_of" {
			at := len(s.text)
			if len(s.tree.Stmts) > 0 {
				at = start(s.tree.Stmts[0])
			}
			list = append(list, Change{at, at, name + "() { builtin echo hidden; }\n", "define " + name})
		}
	}
	return list
}

// comments add a comment, behind a statement or on a line of its own.
func comments(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for _, st := range stmts {
			if lineStart(s.text, start(st)) {
				list = append(list, Change{start(st), start(st), "# a comment\n", "add a comment"})
			}
		}
	})
	for _, c := range s.tree.Last {
		list = append(list, Change{start(&c), end(&c), "# another comment", "change a comment"})
	}
	syntax.Walk(s.tree, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && start(c) > 2 {
			list = append(list, Change{start(c), end(c), "# another comment", "change " + short(s.at(c))})
			if lineStart(s.text, start(c)) {
				list = append(list, Change{start(c), end(c), "", "take away " + short(s.at(c))})
			}
		}
		return true
	})
	return list
}

// blanks add empty lines and white space between statements.
func blanks(s *Source) []Change {
	var list []Change
	s.lists(func(stmts []*syntax.Stmt) {
		for _, st := range stmts {
			if lineStart(s.text, start(st)) {
				list = append(list, Change{start(st), start(st), "\n\n\t  ", "add blank lines"})
			}
		}
	})
	return list
}

// indents format the whole script with other indentation and line breaks.
func indents(s *Source) []Change {
	var list []Change
	for _, style := range []struct {
		what    string
		options []syntax.PrinterOption
	}{
		{"indent by tabs", []syntax.PrinterOption{syntax.Indent(0)}},
		{"indent by 7", []syntax.PrinterOption{syntax.Indent(7)}},
		{"operators in front", []syntax.PrinterOption{syntax.BinaryNextLine(true), syntax.SwitchCaseIndent(true)}},
		{"minify", []syntax.PrinterOption{syntax.Minify(true)}},
	} {
		var b bytes.Buffer
		if err := syntax.NewPrinter(style.options...).Print(&b, s.tree); err != nil {
			continue
		}
		text := b.Bytes()
		if head, _, _ := bytes.Cut(s.text, []byte("\n")); bytes.HasPrefix(head, []byte("#!")) && !bytes.HasPrefix(text, head) {
			text = append(append(bytes.Clone(head), '\n'), text...)
		}
		list = append(list, Change{0, len(s.text), string(text), style.what})
	}
	return list
}
