package prove

import (
	"path"
	"slices"
	"strings"

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
	script, err := shell.Read(text)
	if err != nil {
		return nil, err
	}
	c := &command{text: text}
	for _, s := range script.Commands {
		if found, ok := c.call(s.Args); ok {
			c.calls = append(c.calls, found)
		}
	}
	for _, r := range script.Redirects {
		if name, ok := c.value(r.Word); ok && r.Here == nil {
			c.targets = append(c.targets, word{value: name})
		}
	}
	return c, nil
}

// scenery are programs that only lead to the ones that guards look for.
var scenery = []string{"echo", "printf", "true", ":", "cd", "wait", "set", "export", "shopt", "test", "[", "rev", "base64"}

func (c *command) call(args []*shell.Word) (call, bool) {
	if len(args) == 0 {
		return call{}, false
	}
	found := call{start: args[0].Start, end: args[len(args)-1].End}
	for _, w := range args {
		text, ok := c.value(w)
		if !ok {
			return call{}, false
		}
		source := c.text[w.Start:w.End]
		found.words = append(found.words, word{source: source, value: text, plain: source == text && !strings.ContainsAny(text, "~*?[{")})
	}
	if name := found.words[0].value; name == "" || slices.Contains(scenery, name) {
		return call{}, false
	}
	found.assign()
	return found, true
}

// value returns the value of a word without expansions; a tilde, a glob, $HOME and $PWD stay as
// they are written.
func (c *command) value(w *shell.Word) (value string, ok bool) {
	for _, p := range w.Parts {
		switch {
		case p.Kind == shell.Literal && p.Quote == 0:
			value += strings.ReplaceAll(p.Text, `\`, "")
		case p.Kind == shell.Literal && c.text[p.Start] != '$':
			value += p.Text
		case p.Kind == shell.Expansion && p.Quote == 0 && p.Parameter.Op == "" && slices.Contains([]string{"HOME", "PWD"}, p.Parameter.Variable()):
			value += "$" + p.Parameter.Name
		default:
			return "", false
		}
	}
	return value, true
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
