package mutate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Source is a script of bash.
type Source struct {
	tree
	file *syntax.File
}

// NewSource parses a script. What is drawn at random depends on the seed.
func NewSource(file string, text []byte, seed uint64) (*Source, error) {
	parsed, err := syntax.NewParser(syntax.KeepComments(true)).Parse(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	t, err := newTree(file, text, seed)
	if err != nil {
		return nil, err
	}
	s := &Source{t, parsed}
	syntax.Walk(parsed, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.File:
			s.add(n.Stmts)
		case *syntax.Block:
			s.add(n.Stmts)
		case *syntax.Subshell:
			s.add(n.Stmts)
		case *syntax.IfClause:
			s.add(n.Then)
		case *syntax.WhileClause:
			s.add(n.Do)
		case *syntax.ForClause:
			s.add(n.Do)
		case *syntax.CaseItem:
			s.add(n.Stmts)
		case *syntax.CmdSubst:
			s.add(n.Stmts)
		}
		return true
	})
	return s, nil
}

func (s *Source) add(stmts []*syntax.Stmt) {
	var list []statement
	for _, st := range stmts {
		list = append(list, statement{start(st), end(st), hasDocument(st)})
	}
	s.list(list)
}

// Changes implements Script.
func (s *Source) Changes(operator string) []Change { return changesBy(bashOperators, operator, s) }

func (s *Source) node(n syntax.Node) string { return s.at(start(n), end(n)) }

func start(n syntax.Node) int { return int(n.Pos().Offset()) }
func end(n syntax.Node) int   { return int(n.End().Offset()) }

// hasDocument reports whether a node has a here-document, whose text is elsewhere.
func hasDocument(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if r, ok := n.(*syntax.Redirect); ok && r.Hdoc != nil {
			found = true
		}
		return !found
	})
	return found
}

// commandOf returns the literal name of a command, "" if it has none.
func commandOf(c *syntax.CallExpr) string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0].Lit()
}

// Function implements Script.
func (s *Source) Function(offset int) (name string) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && start(f) < offset && offset < end(f) {
			name = f.Name.Value
		}
		return true
	})
	return name
}

// bashOperators are the operators of bash by name. Those that are not in Operators test the
// selection of cases.
var bashOperators = map[string]func(*Source) []Change{
	"delete":   func(s *Source) []Change { return s.deletions("", ":") },
	"negate":   negations,
	"constant": constants,
	"swap":     swaps,
	"exit":     exits,
	"insert":   func(s *Source) []Change { return s.insertions("false;", "echo inserted >&2;", "echo inserted >&2;") },
	"lines": func(s *Source) []Change {
		return s.insertions("if [[ -n \"${HOME:-}\" ]]; then\n  echo added >&2\nfi\n", "for added in 1 2; do\n  echo \"added $added\" >&2\ndone\n",
			"added() {\n  echo added >&2\n}\nadded\n", "[[ -z \"${ADDED:-}\" ]] || exit 3\nADDED=yes\n[[ -z \"${ADDED:-}\" ]] || exit 4\n")
	},
	"reorder": reorders,
	"global":  globals,
	"rename":  renames,
	"comment": comments,
	"blank":   func(s *Source) []Change { return s.insertBefore("\n\n\t  ", "add blank lines") },
	"indent":  indents,
	"print":   func(s *Source) []Change { return s.prints("echo printed;", "echo printed >&2;") },
	"arm":     arms,
}

func negations(s *Source) (list []Change) {
	add := func(cond []*syntax.Stmt) {
		if len(cond) != 1 || hasDocument(cond[0]) {
			return
		}
		st := cond[0]
		text := strings.TrimSuffix(s.node(st), ";")
		list = append(list, Change{start(st), start(st) + len(text), "! { " + text + "; }", "negate " + short(text)})
	}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IfClause:
			add(n.Cond)
		case *syntax.WhileClause:
			add(n.Cond)
		case *syntax.TestClause:
			if _, already := n.X.(*syntax.UnaryTest); !already {
				list = append(list, Change{start(n.X), end(n.X), "! (" + s.node(n.X) + ")", "negate " + short(s.node(n))})
			}
		}
		return true
	})
	return list
}

// constants change a number or a piece of text.
func constants(s *Source) (list []Change) {
	words := func(words []*syntax.Word) {
		for _, w := range words {
			syntax.Walk(w, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp:
					return false
				case *syntax.Lit:
					list = append(list, constant(n))
				case *syntax.SglQuoted:
					if len(n.Value) > 0 && !n.Dollar {
						list = append(list, Change{start(n) + 1, end(n) - 1, n.Value + "x", "change " + short(n.Value)})
					}
				}
				return true
			})
		}
	}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			words(n.Args[min(1, len(n.Args)):])
			for _, a := range n.Assigns {
				if a.Value != nil {
					words([]*syntax.Word{a.Value})
				}
			}
		case *syntax.BinaryTest:
			if w, ok := n.Y.(*syntax.Word); ok {
				words([]*syntax.Word{w})
			}
		case *syntax.CaseItem:
			words(n.Patterns)
		}
		return true
	})
	return list
}

func constant(l *syntax.Lit) Change {
	with := l.Value + "x"
	if n, err := strconv.Atoi(l.Value); err == nil {
		with = strconv.Itoa(n + 1)
	}
	return Change{start(l), end(l), with, "change " + short(l.Value)}
}

func swaps(s *Source) (list []Change) {
	add := func(at syntax.Pos, operator string) {
		if with, ok := opposites[operator]; ok {
			from := int(at.Offset())
			list = append(list, Change{from, from + 2, with, operator + " to " + with})
		}
	}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			add(n.OpPos, n.Op.String())
		case *syntax.BinaryTest:
			add(n.OpPos, n.Op.String())
		}
		return true
	})
	return list
}

// opposites are the operators that swaps exchange, in bash and JavaScript.
var opposites = map[string]string{"&&": "||", "||": "&&"}

// exits change the status that a script or a function ends with.
func exits(s *Source) (list []Change) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || !slices.Contains([]string{"exit", "return"}, commandOf(c)) {
			return true
		}
		with := c.Args[0].Lit() + " 3"
		if len(c.Args) > 1 {
			if code, err := strconv.Atoi(c.Args[1].Lit()); err == nil {
				with = fmt.Sprintf("%s %d", c.Args[0].Lit(), (code+1)%3)
			}
		}
		list = append(list, Change{start(c), end(c), with, "make it " + with})
		return true
	})
	return list
}

func arms(s *Source) (list []Change) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if n, ok := n.(*syntax.CaseItem); ok && !hasDocument(n) {
			list = append(list, Change{start(n), end(n), "", "drop the arm " + short(s.node(n))})
		}
		return true
	})
	return list
}

func reorders(s *Source) (list []Change) {
	for _, block := range s.lists {
		for i := 1; i < len(block); i++ {
			a, b := block[i-1], block[i]
			first, second := strings.TrimSuffix(s.textOf(a), ";"), strings.TrimSuffix(s.textOf(b), ";")
			endsItem := strings.HasSuffix(first, ";") || strings.HasSuffix(second, ";") // of a case
			if a.apart || b.apart || endsItem {
				continue
			}
			list = append(list, Change{a.From, b.To, second + "\n" + first + "\n", "exchange " + short(first) + " and " + short(second)})
		}
	}
	return list
}

// globals change what holds for the whole script: an assignment, a set, a trap
// or a shopt at top level, and add one.
func globals(s *Source) (list []Change) {
	added := []string{"set +e\n", "set +u\n", "shopt -s nocasematch\n", "IFS=:\n", "TMPDIR=/nowhere\n", "cmd=changed\n", "trap 'echo ended >&2' EXIT\n"}
	for _, st := range s.file.Stmts {
		piece := added[s.random.IntN(len(added))]
		list = append(list, Change{start(st), start(st), piece, "add " + short(piece)})
		c, ok := st.Cmd.(*syntax.CallExpr)
		switch {
		case !ok, hasDocument(st):
		case len(c.Args) == 0 && len(c.Assigns) > 0 && c.Assigns[0].Name != nil:
			list = append(list, Change{start(c), end(c), c.Assigns[0].Name.Value + "=changed", "change " + short(s.node(st))})
		case slices.Contains([]string{"set", "trap", "shopt", "source"}, commandOf(c)):
			list = append(list, Change{start(st), end(st), ":", "take away " + short(s.node(st))})
		}
	}
	return list
}

// renames give a function another name: everywhere, or only where it is defined,
// or add one that hides it or a command that the script calls.
func renames(s *Source) (list []Change) {
	calls := map[string]bool{}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			name := n.Name.Value
			list = append(list, s.rename(start(n.Name), end(n.Name), "_renamed")...)
			list = append(list, Change{end(n), end(n), "\n" + name + "() { echo hidden; }\n", "define " + name + " again"})
		case *syntax.CallExpr:
			calls[commandOf(n)] = true
		}
		return true
	})
	for _, name := range []string{"jq", "grep", "sed", "cat", "command", "git", "printf", "echo", "unheard_of"} {
		if calls[name] || name == "unheard_of" {
			at := len(s.text)
			if len(s.file.Stmts) > 0 {
				at = start(s.file.Stmts[0])
			}
			list = append(list, Change{at, at, name + "() { builtin echo hidden; }\n", "define " + name})
		}
	}
	return list
}

// comments add a comment, behind a statement or on a line of its own.
func comments(s *Source) []Change {
	list := s.insertBefore("# a comment\n", "add a comment")
	for _, c := range s.file.Last {
		list = append(list, Change{start(&c), end(&c), "# another comment", "change a comment"})
	}
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && start(c) > 2 {
			list = append(list, Change{start(c), end(c), "# another comment", "change " + short(s.node(c))})
			if lineStart(s.text, start(c)) {
				list = append(list, Change{start(c), end(c), "", "take away " + short(s.node(c))})
			}
		}
		return true
	})
	return list
}

// indents format the whole script with other indentation and line breaks.
func indents(s *Source) (list []Change) {
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
		if err := syntax.NewPrinter(style.options...).Print(&b, s.file); err != nil {
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
