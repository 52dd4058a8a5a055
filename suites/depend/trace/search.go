package trace

import (
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// A search is a grep that prints nothing, of what echo or printf writes to it or of a here-string.
type search struct {
	text, event string
	input       *syntax.Word
	line        bool // what ends the input is the end of a line
	words       []*syntax.Word
}

func (s search) Text() string  { return s.text }
func (s search) Event() string { return s.event }

// pipe returns the search of a pipeline; false if it is none.
func (b *builder) pipe(n *syntax.BinaryCmd) (s search, ok bool) {
	words := simpleWords(n.X)
	if n.Op != syntax.Pipe || n.X.Negated || len(n.X.Redirs) > 0 || len(words) < 2 || !b.search(n.Y, &s) {
		return s, false
	}
	s.input, s.line = words[len(words)-1], true
	switch name := words[0].Lit(); {
	case name == "echo" && len(words) == 2:
	case name == "printf" && len(words) == 3:
		format := b.text(words[1].Pos(), words[1].End())
		if s.line = strings.Contains(format, `\n`); !slices.Contains([]string{`%s`, `'%s'`, `"%s"`, `'%s\n'`, `"%s\n"`}, format) {
			return s, false
		}
	default:
		return s, false
	}
	s.event = squeeze(b.text(n.X.Pos(), n.X.End()))
	return s, true
}

// hereString returns the search of a command; false if it is none.
func (b *builder) hereString(n *syntax.Stmt) (s search, ok bool) {
	i := slices.IndexFunc(n.Redirs, func(r *syntax.Redirect) bool { return r.Op == syntax.WordHdoc && r.N == nil })
	if i < 0 || !b.search(n, &s) {
		return s, false
	}
	s.input, s.line, s.event = n.Redirs[i].Word, true, squeeze(strings.TrimSuffix(b.text(n.Cmd.Pos(), n.End()), ";"))
	return s, true
}

// search sets the words of a call of grep; false if the statement is none.
func (b *builder) search(n *syntax.Stmt, s *search) bool {
	words := simpleWords(n)
	if len(words) < 2 || words[0].Lit() != "grep" || n.Background {
		return false
	}
	s.words = words[1:]
	s.text = b.text(words[1].Pos(), words[len(words)-1].End())
	silent, known := redirected(n.Redirs)
	return known && (silent || slices.ContainsFunc(s.words, func(w *syntax.Word) bool { return quiet().MatchString(w.Lit()) }))
}

var quiet = pattern.Lazy(`^(?:-[a-zA-Z]*q[a-zA-Z]*|--quiet|--silent)$`)

// simpleWords returns the words of a statement that is a simple command without assignments.
func simpleWords(n *syntax.Stmt) []*syntax.Word {
	if call, ok := n.Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 0 {
		return call.Args
	}
	return nil
}

// redirected reports whether redirections send output to /dev/null; known is false if they do more than that with output
// or errors.
func redirected(redirs []*syntax.Redirect) (silent, known bool) {
	for _, r := range redirs {
		errors := r.N != nil && r.N.Value == "2"
		switch {
		case r.Op == syntax.WordHdoc:
		case (r.Op == syntax.RdrOut || r.Op == syntax.RdrAll) && r.Word.Lit() == "/dev/null":
			silent = silent || !errors
		case r.Op == syntax.DplOut && errors && r.Word.Lit() == "1":
		default:
			return false, false
		}
	}
	return silent, true
}

// without returns a function that finds the words of searches in a syntax tree.
func without(searches []search) func(reflect.Value) bool {
	words := map[any]bool{}
	for _, s := range searches {
		for _, w := range s.words {
			words[w] = true
		}
	}
	return func(v reflect.Value) bool {
		return v.Type() == typeTest || v.Type() == typeWord && words[v.Interface()]
	}
}

// Answer reports whether grep finds what it looks for.
func (s search) Answer(values map[string]*string) script.Answer {
	e := evaluator{values}
	text, ok := e.argument(s.input)
	if !ok || strings.HasPrefix(text, "-") {
		return script.Unknown
	}
	if s.line {
		text += "\n"
	}
	options, ok := e.options(s.words)
	if !ok {
		return script.Unknown
	}
	if slices.ContainsFunc(options.patterns, func(p string) bool { return options.find(p, "") == script.Unknown }) {
		return script.Unknown // also if there is no line
	}
	found := script.No
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		one := script.No
		for _, p := range options.patterns {
			if one = options.find(p, line); one != script.No {
				break
			}
		}
		if options.inverted {
			one = not(one)
		}
		if one == script.Unknown {
			return one
		}
		if one == script.Yes {
			found = one
		}
	}
	return found
}

// grepOptions are the words of a call of grep.
type grepOptions struct {
	fixed, extended, fold, inverted, whole bool
	patterns                               []string
}

// options reads the words of a call of grep; false if it may do more than look for patterns in its input.
func (e evaluator) options(words []*syntax.Word) (o grepOptions, ok bool) {
	var texts []string
	for _, w := range words {
		text, ok := e.argument(w)
		if !ok || strings.HasPrefix(text, "-") && strings.Contains(text, "=") { // which grep and pflag read otherwise
			return o, false
		}
		texts = append(texts, text)
	}
	flags := pflag.NewFlagSet("grep", pflag.ContinueOnError)
	flags.Usage = func() {}
	flags.SetOutput(io.Discard)
	for name, to := range map[string]*bool{
		"quiet q": new(bool), "silent": new(bool), "no-messages s": new(bool),
		"extended-regexp E": &o.extended, "fixed-strings F": &o.fixed, "ignore-case i": &o.fold, "invert-match v": &o.inverted, "line-regexp x": &o.whole,
	} {
		long, short, _ := strings.Cut(name, " ")
		flags.BoolVarP(to, long, short, false, "")
	}
	flags.StringArrayVarP(&o.patterns, "regexp", "e", nil, "")
	if flags.Parse(texts) != nil {
		return o, false
	}
	rest := flags.Args()
	if len(o.patterns) == 0 && len(rest) > 0 {
		o.patterns, rest = rest[:1], rest[1:]
	}
	return o, len(rest) == 0 && len(o.patterns) > 0 && (!o.fixed || !o.extended)
}

// find reports whether a line has a pattern.
func (o grepOptions) find(p, line string) script.Answer {
	switch {
	case strings.Contains(p, "\n"):
		return script.Unknown // several patterns
	case o.fixed:
		p = regexp.QuoteMeta(p)
	case !o.extended && strings.ContainsAny(p, `\+?|(){}`):
		return script.Unknown // which mean something else in a basic one
	case complained().MatchString(p) || !meansTheSame(ofGNU().ReplaceAllString(p, "x")):
		return script.Unknown
	default:
		p = ofGNU().ReplaceAllStringFunc(p, func(class string) string {
			return strings.NewReplacer(`\s`, `[[:space:]]`, `\S`, `[^[:space:]]`).Replace(class)
		})
	}
	if o.whole {
		p = "^(?:" + p + ")$"
	}
	if o.fold {
		p = "(?i)" + p
	}
	return matches(p, line)
}

// ofGNU matches what grep and Go mean by the same letter, outside of brackets. complained matches what versions of grep
// print a message about, or what is not known to be none of it: a backslash in brackets or before a character that means
// nothing else, and [: outside of them.
var ofGNU, complained = pattern.Lazy(`\\[bBwWsS]`), pattern.Lazy(`\[[^]]*\\|(?:^|\])[^\[]*\[:|\\(?:[^.\[*^$+?{()|\\bBwWsS]|$)`)

// argument returns the text of a word that is one argument of a command: nothing in it is split, and no pattern of files.
func (e evaluator) argument(word *syntax.Word) (string, bool) {
	for _, part := range word.Parts {
		lit, literal := part.(*syntax.Lit)
		if _, parameter := part.(*syntax.ParamExp); parameter || literal && strings.ContainsAny(lit.Value, "\\*?[{~") {
			return "", false
		}
	}
	return e.literal(word)
}
