package depend

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

// A KeyReading describes the parts of one JSON file that a script reads.
type KeyReading struct {
	Paths   []KeyPath
	Unknown string // why it may read anything of it; "" if Paths is complete
	Text    string // why more than its values may matter, such as white space; "" if nothing else does
}

// filters are the programs whose first argument is a jq filter.
var filters = map[string]bool{"jq": true, "jaq": true, "gojq": true}

// takesArgument maps options of these programs to their number of arguments.
var takesArgument = map[string]int{"--arg": 2, "--argjson": 2, "--slurpfile": 2, "--rawfile": 2, "--indent": 1, "--tab": 0}

// readsMore are options that make a filter read input other than a file's document.
var readsMore = map[string]bool{"-f": true, "--from-file": true, "--slurpfile": true, "-L": true, "--stream": true}

// KeysRead returns the keys of a JSON file, given by its name, that shell scripts read which run
// as one, such as a hook and the files it sources. Every place that names the file must be an
// argument of a filter with a literal text, or a variable that is used in no other way; anything
// else is unknown.
func KeysRead(sources [][]byte, name string) KeyReading {
	src := bytes.Join(sources, []byte("\n")) // they share their variables
	script, err := shell.Read(string(src))
	if err != nil {
		return KeyReading{Unknown: "the script cannot be parsed: " + err.Error()}
	}
	s := &scriptReader{name: name, known: map[*shell.Word]bool{}, filtered: map[*shell.Word]bool{}, variables: map[string]bool{}, filters: map[string]bool{}}
	s.collect(script)
	for _, d := range script.Declarations {
		s.declared(d)
	}
	for _, c := range script.Commands {
		s.call(c)
	}
	s.others(script)
	slices.SortFunc(s.reading.Paths, func(a, b KeyPath) int { return strings.Compare(a.String(), b.String()) })
	s.reading.Paths = slices.CompactFunc(s.reading.Paths, slices.Equal[KeyPath])
	return s.reading
}

type scriptReader struct {
	name      string
	variables map[string]bool // contain the file's path, and nothing else
	filters   map[string]bool // contain the name of a filter program
	known     map[*shell.Word]bool
	filtered  map[*shell.Word]bool // passed to a filter without a literal text
	reading   KeyReading
}

func (s *scriptReader) unknown(at shell.Span, why string) {
	s.unspelled(at, why)
	if s.reading.Text == "" {
		s.reading.Text = fmt.Sprintf("%s on line %d", why, at.Line)
	}
}

// unspelled records a use that reads unknown values.
func (s *scriptReader) unspelled(at shell.Span, why string) {
	if s.reading.Unknown == "" {
		s.reading.Unknown = fmt.Sprintf("%s on line %d", why, at.Line)
	}
}

// collect finds the variables that contain the file's path or the name of a program. If such a
// variable is exported to another program, its use is unknown.
func (s *scriptReader) collect(script *shell.Script) {
	for _, f := range script.Functions {
		if filters[f.Name] {
			s.unknown(f.Span, "it defines "+f.Name)
		}
	}
	for _, a := range script.Assigns {
		if a.Name == "" || a.Value == nil {
			continue
		}
		if s.names(a.Value) {
			s.variables[a.Name] = true
			s.known[a.Value] = true
		}
		if filters[path.Base(a.Value.Bare())] {
			s.filters[a.Name] = true
		}
	}
	for _, l := range script.Loops {
		for _, w := range l.Items {
			if filters[path.Base(w.Bare())] {
				s.filters[l.Name] = true
			}
		}
	}
	for _, c := range script.Commands {
		s.given(c)
	}
}

// given looks for the file among the variables that a command receives.
func (s *scriptReader) given(c *shell.Command) {
	if c.Name() == "set" && exportsAll(c.Args[1:]) {
		s.unknown(c.Span, "it may export all variables")
	}
	for _, a := range c.Assigns {
		if len(c.Args) > 0 && a.Value != nil && s.names(a.Value) {
			s.unknown(c.Span, "it passes "+s.name+" on in a variable")
		}
	}
}

// exportsAll reports whether options of set may export every variable.
func exportsAll(options []*shell.Word) bool {
	for _, w := range options {
		option := w.Bare()
		switch {
		case option == "--":
			return false
		case option == "" || option == "allexport", strings.HasPrefix(option, "-") && strings.Contains(option, "a"):
			return true
		}
	}
	return false
}

// declared looks for variables that are exported, or are references to others.
func (s *scriptReader) declared(d *shell.Declaration) {
	if d.Name != "export" && !d.HasFlag('x') && !d.HasFlag('n') && d.Name != "nameref" {
		return
	}
	for _, a := range d.Assigns {
		if a.Name != "" && (s.variables[a.Name] || d.HasFlag('n')) {
			s.unknown(d.Span, "it exports $"+a.Name+", or uses it by another name")
		}
	}
}

// names reports whether a word has a literal path that ends in the file's name.
func (s *scriptReader) names(w *shell.Word) bool {
	text := w.Tail()
	return text == s.name || strings.HasSuffix(text, "/"+s.name)
}

// means reports whether a word is the file, by name or by a variable.
func (s *scriptReader) means(w *shell.Word) bool {
	return s.names(w) || s.variables[w.Variable()]
}

// call reads the filter of a command that receives the file.
func (s *scriptReader) call(c *shell.Command) {
	if len(c.Args) == 0 {
		return
	}
	if !filters[path.Base(c.Name())] && !s.filters[c.Args[0].Variable()] {
		s.tests(c)
		return
	}
	var given []*shell.Word
	for _, w := range c.Args[1:] {
		if s.means(w) {
			given = append(given, w)
		}
	}
	for _, r := range c.Redirects {
		if r.Op == "<" && s.means(r.Word) {
			given = append(given, r.Word)
		}
	}
	if len(given) > 0 {
		s.filter(c, given)
	}
}

func (s *scriptReader) filter(call *shell.Command, given []*shell.Word) {
	if slices.ContainsFunc(call.Args, readsText) {
		return // the words stay unknown
	}
	for _, w := range given {
		s.filtered[w] = true
	}
	words := call.Args[1:]
	for len(words) > 0 {
		option := words[0].Bare()
		if !strings.HasPrefix(option, "-") {
			break
		}
		if readsMore[option] {
			return
		}
		words = words[min(len(words), 1+takesArgument[option]):]
	}
	if len(words) == 0 {
		return
	}
	text, ok := spelledOut(words[0])
	if !ok {
		return
	}
	paths, err := FilterKeys(text)
	if err != nil {
		return
	}
	s.reading.Paths = append(s.reading.Paths, paths...)
	for _, w := range given {
		s.known[w] = true
	}
}

// readsText reports whether a word of a filter's command line may make the lines of its input
// matter.
func readsText(w *shell.Word) bool {
	return slices.ContainsFunc([]string{w.Tail(), w.Literals()}, func(text string) bool {
		return strings.HasPrefix(text, "--raw-input") || strings.HasPrefix(text, "--rawfile") || strings.Contains(text, "input_line_number") ||
			strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "R")
	})
}

// spelledOut returns the value of a word without expansions.
func spelledOut(w *shell.Word) (text string, ok bool) {
	for _, p := range w.Parts {
		switch {
		case p.Kind != shell.Literal:
			return "", false
		case p.Quote == '"':
			text += strings.ReplaceAll(p.Text, `\"`, `"`)
		default:
			text += p.Text
		}
	}
	return text, true
}

// tests records tests for the file's existence, which do not depend on its keys.
func (s *scriptReader) tests(c *shell.Command) {
	if name := c.Name(); name != "[" && name != "test" {
		return
	}
	for i, w := range c.Args {
		if flag := c.Args[max(i-1, 0)].Bare(); flag == "-f" || flag == "-e" || flag == "-r" {
			s.known[w] = true
		}
	}
}

// others finds uses of the file that are not explained otherwise.
func (s *scriptReader) others(script *shell.Script) {
	for _, t := range script.Tests {
		if t.Op == "-e" || t.Op == "-f" || t.Op == "-r" {
			for _, w := range t.Words {
				s.known[w] = true
			}
		}
	}
	for _, w := range script.Words {
		switch {
		case s.accounted(w):
		case s.filtered[w]:
			s.unspelled(w.Span, "it uses "+s.name+" by a filter that is not spelled out")
		case strings.Contains(w.Literals(), s.name):
			s.unknown(w.Span, "it uses "+s.name+" otherwise than by a filter that is spelled out")
		}
	}
	for _, p := range script.Parameters {
		if p.In != nil && (s.accounted(p.In) || s.filtered[p.In]) {
			continue
		}
		if p.Indirect {
			s.unknown(p.Span, "it uses a variable that another one names")
		}
		if s.variables[p.Name] {
			s.unknown(p.Span, "it uses $"+p.Name+" otherwise than by a filter that is spelled out")
		}
	}
}

// accounted reports whether the use of a word, or of a word around it, is known.
func (s *scriptReader) accounted(w *shell.Word) bool {
	for ; w != nil; w = w.In {
		if s.known[w] || w.In != nil && s.filtered[w.In] {
			return true
		}
	}
	return false
}
