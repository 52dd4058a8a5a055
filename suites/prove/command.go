package prove

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// A command is the text of a shell command with its calls, as far as they can be rewritten.
type command struct {
	text    string
	calls   []call
	targets []word // of its redirections
}

// A call is one call in the text whose words are known without running anything.
type call struct {
	start, end int // of its words, in the text
	words      []word
}

// A word is one word of a call as it is written, and its value. A value still has a leading tilde.
type word struct {
	source, value string
	role          role
	plain         bool // written without quotes and expansions
}

// A role is the function of a word in a call.
type role int

// The roles of words.
const (
	program role = iota
	global       // an option before the subcommand, or its value
	sub
	longOption
	shortOption
	value // of the option before it
	end   // two dashes
	operand
)

// parsed returns the command with all calls of programs that could be the subject of a guard.
func parsed(text string) (*command, error) {
	file, err := shell.Parse(text)
	if err != nil {
		return nil, err
	}
	c := &command{text: text}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			if found, ok := c.call(n); ok {
				c.calls = append(c.calls, found)
			}
		case *syntax.Redirect:
			if n.Hdoc == nil && n.Word != nil {
				if name, ok := literal(n.Word); ok {
					c.targets = append(c.targets, word{value: name})
				}
			}
		}
		return true
	})
	return c, nil
}

// scenery are programs that only lead to the ones that guards look for.
var scenery = []string{"echo", "printf", "true", ":", "cd", "wait", "set", "export", "shopt", "test", "[", "rev", "base64"}

func (c *command) call(e *syntax.CallExpr) (call, bool) {
	found := call{start: int(e.Args[0].Pos().Offset()), end: int(e.Args[len(e.Args)-1].End().Offset())}
	for _, w := range e.Args {
		text, ok := literal(w)
		if !ok {
			return call{}, false
		}
		source := c.text[w.Pos().Offset():w.End().Offset()]
		found.words = append(found.words, word{source: source, value: text, plain: source == text && !strings.ContainsAny(text, "~*?[{")})
	}
	if name := found.words[0].value; name == "" || slices.Contains(scenery, name) {
		return call{}, false
	}
	found.assign()
	return found, true
}

// literal returns the value of a word without expansions; a tilde, a glob, $HOME and $PWD stay as
// they are written.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				l, ok := inner.(*syntax.Lit)
				if !ok {
					return "", false
				}
				b.WriteString(l.Value)
			}
		case *syntax.ParamExp:
			if name := p.Param.Value; (name == "HOME" || name == "PWD") && p.Exp == nil && p.Repl == nil && p.Slice == nil {
				b.WriteString("$" + name)
				continue
			}
			return "", false
		default:
			return "", false
		}
	}
	return b.String(), true
}

// assign finds the roles of the words.
func (c *call) assign() {
	values := c.values()
	at := 1
	if _, i, _ := subcommand(c.name(), values[1:]); i >= 0 {
		for j := 1; j <= i; j++ {
			c.words[j].role = global
		}
		c.words[i+1].role, at = sub, i+2
	}
	g, known := c.grammar()
	after := false
	for i := at; i < len(c.words); i++ {
		w := &c.words[i]
		switch v := w.value; {
		case after || !known:
			w.role = operand
		case v == "--":
			w.role, after = end, true
		case strings.HasPrefix(v, "--"):
			w.role = longOption
			if l := g.long[v[2:]]; l != "" && strings.Contains(g.valued, l) && i+1 < len(c.words) {
				i++
				c.words[i].role = value
			}
		case len(v) > 1 && v[0] == '-':
			w.role = shortOption
			if strings.Contains(g.valued, v[len(v)-1:]) && g.valued != "" && i+1 < len(c.words) {
				i++
				c.words[i].role = value
			}
		default:
			w.role = operand
		}
	}
}

func (c *call) name() string { return path.Base(c.words[0].value) }

func (c *call) values() (all []string) {
	for _, w := range c.words {
		all = append(all, w.value)
	}
	return all
}

func (c *call) grammar() (grammar, bool) {
	s := splitCall(c.values())
	return s.grammar, s.known
}

// with returns the text with other words for a call.
func (c *command) with(of call, words []word) string {
	sources := make([]string, len(words))
	for i, w := range words {
		sources[i] = w.source
	}
	return c.text[:of.start] + strings.Join(sources, " ") + c.text[of.end:]
}

// replaced returns the text with another source for one word of a call.
func (c *command) replaced(of call, at int, sources ...string) string {
	words := slices.Clone(of.words[:at])
	for _, s := range sources {
		words = append(words, word{source: s})
	}
	return c.with(of, append(words, of.words[at+1:]...))
}

// roles returns the indices of the words with one of the roles.
func (c *call) roles(of ...role) (at []int) {
	for i, w := range c.words {
		if slices.Contains(of, w.role) {
			at = append(at, i)
		}
	}
	return at
}
