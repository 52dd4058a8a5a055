package mutate

import (
	"bytes"
	"slices"
	"strconv"

	"hookwatch/suites/depend/javascript"
)

// javaScript is a script of Node.
type javaScript struct {
	tree
	program *javascript.Program
}

func newJavaScript(file string, text []byte, seed uint64) (Script, error) {
	t, err := newTree(file, text, seed)
	if err != nil {
		return nil, err
	}
	t.end = ";"
	t.add(t.script.Body)
	program, err := javascript.Parse(string(text), false)
	return &javaScript{t, program}, err
}

var javaScriptOperators = map[string]func(*javaScript) []Change{
	"delete":   func(s *javaScript) []Change { return s.deletions(";", ";") },
	"negate":   (*javaScript).negations,
	"constant": (*javaScript).constants,
	"swap":     (*javaScript).swaps,
	"exit":     (*javaScript).exits,
	"insert": func(s *javaScript) []Change {
		return s.insertions("console.error('inserted');", "throw new Error('inserted');")
	},
	"print": func(s *javaScript) []Change {
		return s.prints("console.log('printed');", "console.error('printed');")
	},
	"lines": func(s *javaScript) []Change {
		return s.insertions("if (process.env.HOME) {\n  console.error('added');\n}\n", "for (const added of [1, 2]) {\n  console.error(`added ${added}`);\n}\n",
			"function added() {\n  console.error('added');\n}\nadded();\n", "const added = ['a',\n  /b/];\n")
	},
	"arm":     (*javaScript).elements,
	"reorder": func(s *javaScript) []Change { return s.reorders() },
	"global":  (*javaScript).scopes,
	"rename":  (*javaScript).renames,
	"comment": (*javaScript).comments,
	"blank":   func(s *javaScript) []Change { return s.insertBefore("\n\n\t  ", "add blank lines") },
	"indent":  (*javaScript).indents,
}

// Changes implements Script.
func (s *javaScript) Changes(operator string) []Change {
	return changesBy(javaScriptOperators, operator, s)
}

func (s *javaScript) statements(do func(st *javascript.Statement)) {
	var walk func(b *javascript.Block)
	walk = func(b *javascript.Block) {
		for _, st := range b.Statements {
			do(st)
			for _, inner := range st.Blocks {
				walk(inner)
			}
		}
	}
	walk(s.program.Body)
}

func (s *javaScript) negations() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		t := st.Tokens
		if len(t) < 3 || t[0].Text != "if" && t[0].Text != "while" {
			return
		}
		depth := 0
		for i := 1; i < len(t); i++ {
			switch t[i].Text {
			case "(":
				depth++
			case ")":
				depth--
			}
			if depth == 0 {
				list = append(list, Change{t[1].To, t[i].From, "!(" + s.at(t[1].To, t[i].From) + ")", "negate " + short(s.at(t[1].To, t[i].From))})
				return
			}
		}
	})
	return list
}

func (s *javaScript) constants() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		for _, t := range st.Tokens {
			change := func(from, to int, with string) {
				list = append(list, Change{from, to, with, "change " + short(t.Text)})
			}
			switch {
			case t.Kind == javascript.String:
				change(t.To-1, t.To-1, "x")
			case t.Kind == javascript.Template, t.Kind == javascript.Regexp:
				change(t.From+1, t.From+1, "x")
			case t.Kind == javascript.Number:
				if n, err := strconv.Atoi(t.Text); err == nil {
					change(t.From, t.To, strconv.Itoa(n+1))
				}
			case t.Text == "true":
				change(t.From, t.To, "false")
			case t.Text == "false":
				change(t.From, t.To, "true")
			}
		}
	})
	return list
}

func (s *javaScript) swaps() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		for _, t := range st.Tokens {
			if with, ok := opposites[t.Text]; ok {
				list = append(list, Change{t.From, t.To, with, t.Text + " to " + with})
			}
		}
	})
	return list
}

// exits change what a function returns and what the process exits with.
func (s *javaScript) exits() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		t := st.Tokens
		if t[0].Text == "return" {
			with := []string{"return 3"}
			if len(t) > 1 {
				with = append(with, "return !("+s.at(t[0].To, st.To)+")")
			}
			for _, w := range with {
				list = append(list, Change{st.From, st.To, w, "make it " + short(w)})
			}
		}
		for i := 4; i < len(t); i++ {
			if t[i-4].Text == "process" && t[i-2].Text == "exit" && t[i].Kind == javascript.Number {
				code, err := strconv.Atoi(t[i].Text)
				if err == nil {
					list = append(list, Change{t[i].From, t[i].To, strconv.Itoa((code + 1) % 3), "exit otherwise than " + t[i].Text})
				}
			}
		}
	})
	return list
}

func (s *javaScript) elements() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		t := st.Tokens
		for i := 1; i+1 < len(t); i++ {
			literal := slices.Contains([]javascript.Kind{javascript.String, javascript.Regexp, javascript.Number}, t[i].Kind)
			if literal && t[i+1].Text == "," && slices.Contains([]string{"[", ","}, t[i-1].Text) {
				list = append(list, Change{t[i].From, t[i+1].To, "", "drop " + short(t[i].Text)})
			}
		}
	})
	return list
}

// scopes add bindings that hide others, in front of the code that uses them or behind it, and
// change what holds for the whole process.
func (s *javaScript) scopes() (list []Change) {
	scope := func(b *javascript.Block) {
		var names []string
		for _, st := range b.Statements {
			for i, t := range st.Tokens {
				if t.Kind == javascript.Name && (i == 0 || st.Tokens[i-1].Text != ".") {
					names = append(names, t.Text)
				}
			}
		}
		if len(names) == 0 || b.Slot == "function" && b.At == b.Statements[0].From {
			return
		}
		name := names[s.random.IntN(len(names))]
		piece := []string{"let " + name + ";\n", "const " + name + " = 1;\n", "var " + name + " = 'x';\n", "function " + name + "() {}\n", "process.exitCode = 3;\n"}[s.random.IntN(5)]
		st := b.Statements[s.random.IntN(len(b.Statements))]
		last := b.Statements[len(b.Statements)-1]
		list = append(list, Change{st.From, st.From, piece, "add " + short(piece)}, Change{last.To, last.To, ";\n" + piece, "append " + short(piece)})
	}
	scope(s.program.Body)
	s.statements(func(st *javascript.Statement) {
		for _, b := range st.Blocks {
			scope(b)
		}
	})
	return list
}

func (s *javaScript) renames() (list []Change) {
	s.statements(func(st *javascript.Statement) {
		for i, t := range st.Tokens {
			defines := st.Function != "" && t.Text == st.Function || slices.Contains(st.Names, t.Text)
			if i > 0 && t.Kind == javascript.Name && defines {
				list = append(list, s.rename(t.From, t.To, "Renamed")...)
			}
		}
	})
	return list
}

func (s *javaScript) comments() []Change {
	list := append(s.insertBefore("// a comment\n", "add a comment"), s.insertBefore("/* a comment\n */ ", "add a long comment")...)
	for _, st := range s.all {
		list = append(list, Change{st.To, st.To, " /* behind */", "add a comment behind"})
	}
	return list
}

// indents indent all lines that begin outside templates and comments.
func (s *javaScript) indents() (list []Change) {
	templates := map[int]bool{}
	s.statements(func(st *javascript.Statement) {
		for _, t := range st.Tokens {
			if t.Kind == javascript.Template || t.Kind == javascript.String {
				for i := t.From; i < t.To; i++ {
					templates[i] = true
				}
			}
		}
	})
	for _, indent := range []string{"\t", "       "} {
		var b bytes.Buffer
		for i, c := range s.text {
			b.WriteByte(c)
			if c == '\n' && !templates[i] {
				b.WriteString(indent)
			}
		}
		list = append(list, Change{0, len(s.text), b.String(), "indent"})
	}
	return list
}
