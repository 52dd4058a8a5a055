package scripts

import (
	"fmt"
	"path"
	"strings"

	"hookwatch/suites/shell"
)

// A shellReader collects what a shell script says of files and programs.
type shellReader struct {
	*Script
	commands map[string]bool
	quiet    map[*shell.Word]bool // words of messages, which name no file to open
}

// messages notes what echo and printf write to stderr, which is for people.
func (r *shellReader) messages(c *shell.Command) {
	if name := c.Name(); name != "echo" && name != "printf" {
		return
	}
	for _, to := range c.Redirects {
		if to.Op == ">&" && to.Word.Bare() == "2" && (to.N == "" || to.N == "1") {
			for _, w := range c.Args {
				r.quiet[w] = true
			}
		}
	}
}

// word notes the file names in a word, and names that are put together.
func (r *shellReader) word(w *shell.Word) {
	if r.quiet[w] || w.Pattern {
		return
	}
	f := flatten(w)
	for _, token := range tokensOf(f.text) {
		base := path.Base(token)
		ext := strings.ToLower(path.Ext(base))
		partial := strings.ContainsAny(base, expanded+"*?[{}") || f.braces && strings.Contains(f.text, ",") && !w.Here
		switch {
		case strings.HasPrefix(token, "/") || strings.HasPrefix(token, "-") || strings.HasSuffix(token, "/"):
		case partial && (scriptExtensions[ext] || dataExtensions[ext]):
			r.Tails = append(r.Tails, ext)
		case strings.ContainsAny(token, "./"):
			name := strings.TrimLeft(token, expanded+"/")
			r.Mentions = append(r.Mentions, Mention{name, f.operandOf(token)})
		}
	}
	for _, name := range NamesIn(f.text) {
		if KnownTools[path.Base(name)] {
			r.Words = append(r.Words, path.Base(name))
		}
	}
}

// tokensOf cuts a flattened word at what no path holds.
func tokensOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>=:,`", c) })
}

func (r *shellReader) computes(at *shell.Word, what string) {
	if r.Computed == "" {
		r.Computed = fmt.Sprintf("it %s on line %d", what, at.Line)
	}
}

// assembles notes that a word gives names of files that no text spells out.
func (r *shellReader) assembles(at *shell.Word) {
	if r.Assembled == 0 || at.Line < r.Assembled {
		r.Assembled = at.Line
	}
}

// assign notes what a variable is made of.
func (r *shellReader) assign(a *shell.Assign) {
	if a.Name == "" {
		return
	}
	if a.Value != nil {
		r.give(a.Name, a.Value)
	}
	for _, w := range a.Elements {
		r.give(a.Name, w)
	}
}

func (r *shellReader) give(name string, w *shell.Word) {
	f := flatten(w)
	if f.glob || f.names {
		r.assembles(w)
	}
	r.Assigned[name] = append(r.Assigned[name], f.operandOf(f.text))
	if f.glob || f.lists {
		r.Listed[name] = true
	}
}

// iterate notes the variable of a for or select loop.
func (r *shellReader) iterate(l *shell.Loop) {
	for _, w := range l.Items {
		r.give(l.Name, w)
	}
	if len(l.Items) == 0 { // over the arguments
		r.Assigned[l.Name] = append(r.Assigned[l.Name], Operand{})
	}
}
