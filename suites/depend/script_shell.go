package depend

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A shellReader collects the files and programs that a shell script uses.
type shellReader struct {
	*Script
	commands map[string]bool
	quiet    map[*shell.Word]bool // words of messages, which are no file names
}

// messages records the arguments of echo and printf on stderr, which is for people.
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

// word records the file names in a word, and computed names.
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
	for _, name := range namesIn(f.text) {
		if knownTools[path.Base(name)] {
			r.Words = append(r.Words, path.Base(name))
		}
	}
}

// tokensOf splits a flattened word at characters that are not part of paths.
func tokensOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>=:,`", c) })
}

func (r *shellReader) computes(at *shell.Word, what string) {
	if r.Computed == "" {
		r.Computed = fmt.Sprintf("it %s on line %d", what, at.Line)
	}
}

// assembles records a word that computes file names.
func (r *shellReader) assembles(at *shell.Word) {
	if r.Assembled == 0 || at.Line < r.Assembled {
		r.Assembled = at.Line
	}
}

// assign records the values of a variable.
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

// iterate records the variable of a for or select loop.
func (r *shellReader) iterate(l *shell.Loop) {
	for _, w := range l.Items {
		r.give(l.Name, w)
	}
	if len(l.Items) == 0 { // over the arguments
		r.Assigned[l.Name] = append(r.Assigned[l.Name], Operand{})
	}
}

// openers are programs whose operands are files.
var openers = set("cat head tail wc sort uniq jq jaq grep egrep fgrep sed awk diff cmp stat ls sha256sum md5sum source . make")

// opens records the bare words that can only be file names. Words with a path or a dot are
// recognised anyway.
func (r *shellReader) opens(read *shell.Script) {
	for _, t := range read.Tests {
		if fileTests[t.Op] || t.Op == "-ef" {
			for _, w := range t.Words {
				r.open(w)
			}
		}
	}
	for _, to := range read.Redirects {
		if to.Op == "<" || to.Op == "<>" {
			r.open(to.Word)
		}
	}
	for _, c := range read.Commands {
		if len(c.Args) == 0 {
			continue
		}
		name := path.Base(flatten(c.Args[0]).text)
		for i, a := range c.Args[1:] {
			if openers[name] || (name == "[" || name == "test") && fileTests[flatten(c.Args[i]).text] {
				r.open(a)
			}
		}
	}
}

var fileTests = set("-e -f -r -s -x -w -a -L -h -p -S -nt -ot")

func (r *shellReader) open(w *shell.Word) {
	f := flatten(w)
	text := f.text
	if f.glob || f.putTogether() {
		r.assembles(w)
	}
	if text != "" && !strings.HasPrefix(text, "-") && !strings.ContainsFunc(text, func(c rune) bool { return !isNameRune(c) || c == '.' }) {
		r.Opened = append(r.Opened, text)
	}
}

// putTogether reports whether a word is a path below a directory, which may be an expansion,
// whose name contains an expansion. Files of the system and of the user are not part of the
// project.
func (f *flat) putTogether() bool {
	dir, base := path.Split(f.text)
	if dir == "" || !strings.Contains(base, expanded) || strings.HasPrefix(f.text, "/") {
		return false
	}
	return !strings.HasPrefix(f.text, expanded) || !elsewhere[f.vars[0]]
}

// elsewhere are variables that contain directories outside of any project.
var elsewhere = set("HOME TMPDIR TMP TEMP XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR XDG_DATA_HOME CLAUDE_PLUGIN_DATA")

// code are the languages whose code may read unknown files. Scripts in other languages are
// recognised by "#!".
var code = set(".awk binary python node ruby perl php lua tcl powershell fish csh")

// opening are words without which code in a string cannot open a file.
var opening = []string{"open", "read", "import", "require", "Path", "path", "File", "exec", "system", "spawn", "glob"}

// open returns the reason why a script may read files that no text names, "" if there is none.
func (s *Script) open() string {
	switch {
	case code[s.Language], s.Language != shell.Shell && strings.HasPrefix(s.Text, "#!"):
		return "it is no shell script"
	case s.Language != shell.Shell:
		return "" // data in the hook directories
	case s.Computed != "":
		return s.Computed
	case s.Evals:
		return "it runs code from strings"
	case s.Assembled > 0:
		return fmt.Sprintf("it opens files whose names are put together, on line %d", s.Assembled)
	case len(s.Tails) > 0:
		return "it puts names of files together"
	}
	for _, tool := range s.Tools {
		if shell.ProgramOf(tool).Interprets() && slices.ContainsFunc(opening, func(word string) bool { return strings.Contains(s.Text, word) }) {
			return "it runs code for " + tool
		}
	}
	return ""
}

// A flat is the text of a word with one byte for every expansion.
type flat struct {
	text   string
	vars   []string // by expansion: the variable's name, "" for anything else
	glob   bool     // has an unquoted pattern
	braces bool     // has an unquoted brace
	lists  bool     // has the output of a program that lists names
	names  bool     // has the output of a program that lists files
}

func flatten(w *shell.Word) flat {
	var f flat
	var text strings.Builder
	for _, p := range w.Parts {
		switch p.Kind {
		case shell.Literal:
			value := p.Text
			if p.Quote != '\'' {
				value = strings.ReplaceAll(value, `\`, "")
			}
			f.write(&text, value)
			f.glob = f.glob || p.Quote == 0 && strings.ContainsAny(value, "*?[")
			f.braces = f.braces || p.Quote == 0 && strings.Contains(value, "{")
		case shell.Extended:
			f.write(&text, "*"+p.Text)
			f.glob = true
		case shell.Expansion:
			f.expand(&text, p.Parameter.Variable())
		case shell.Substitution:
			files := slices.ContainsFunc(p.Runs, func(name string) bool { return listers[name] })
			f.names = f.names || files
			f.lists = f.lists || files || slices.ContainsFunc(p.Runs, func(name string) bool { return tellers[name] })
			f.expand(&text, "")
		case shell.Other:
			f.expand(&text, "")
		}
	}
	f.text = text.String()
	return f
}

// write appends text without the byte that marks expansions.
func (f *flat) write(text *strings.Builder, s string) {
	text.WriteString(strings.ReplaceAll(s, expanded, ""))
}

func (f *flat) expand(text *strings.Builder, variable string) {
	text.WriteString(expanded)
	f.vars = append(f.vars, variable)
}

// Programs that print names that no text contains: of existing files, and of others.
var (
	listers = set("find fd ls compgen")
	tellers = set("git readlink")
)

// operandOf returns the start of a token of the word. A path with ".." or further expansions may
// lead anywhere.
func (f *flat) operandOf(token string) Operand {
	o := Operand{}
	for _, v := range f.vars {
		if v != "" {
			o.Uses = append(o.Uses, v)
		}
	}
	rest, expands := strings.CutPrefix(token, expanded)
	switch {
	case strings.Contains(token, ".."), strings.Contains(rest, expanded):
	case !expands:
		o.Literal = true
	case rest == "" || rest[0] == '/':
		at := max(strings.Index(f.text, token), 0)
		o.Variable = f.vars[strings.Count(f.text[:at], expanded)]
	}
	return o
}

// sourced matches the shellcheck comment with the file that a script sources.
var sourced = pattern.Lazy(`^\s*shellcheck\s.*\bsource=`)

// codeOf returns a script's text without comments and words of messages, because files that only
// they mention are no dependencies. If a script reads its own text, it is returned unchanged
// because the script may find anything in it.
func codeOf(text string, read *shell.Script, messages map[*shell.Word]bool) string {
	for _, p := range read.Parameters {
		harmless := p.InTest || p.Of != nil && ofPath[p.Of.Name()]
		if (p.Name == "0" || p.Name == "BASH_SOURCE") && p.Variable() != "" && !harmless {
			return text
		}
	}
	code := []byte(text)
	blank := func(s shell.Span) {
		for i := s.Start; i < min(s.End, len(code)); i++ {
			code[i] = ' '
		}
	}
	for _, c := range read.Comments {
		if !sourced().MatchString(c.Text) {
			blank(c.Span)
		}
	}
	for w := range messages {
		for _, p := range w.Parts {
			if p.Kind == shell.Literal {
				blank(p.Span)
			}
		}
	}
	return string(code)
}

// ofPath are the commands that use a path without reading its file, so they may receive the
// script's own path ($0, BASH_SOURCE).
var ofPath = set("dirname basename readlink realpath cd pushd echo printf test [")
