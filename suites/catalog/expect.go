package catalog

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/expression"
)

var effects = func() (words []string) {
	for _, e := range suites.Effects {
		words = append(words, string(e))
	}
	return words
}()

const maxExit = 255

// exits holds the exit codes that cases expect, each once for all of them.
var exits = func() (all [maxExit + 1]int) {
	for i := range all {
		all[i] = i
	}
	return all
}()

var expectFields = []field[suites.Expectation]{
	{"exit", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		e.Exit = &exits[r.whole(k, n, 0, maxExit)]
	}},
	{"decision", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		e.Decision = r.matching(k, n, oneLine, wantLine)
	}},
	{"effect", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		e.Effect = suites.Effect(r.Choice(k, n, effects))
	}},
	{"sound", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		if e.Sound = r.Truth(k, n); n.ShortTag() == "!!bool" && !e.Sound {
			r.Wrong(n, k, "true", "leave it out")
		}
	}},
	{"stdout", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) { e.Stdout = r.stream(k, n) }},
	{"stderr", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) { e.Stderr = r.stream(k, n) }},
	{"jq", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) { e.JQ = r.filter(k, n) }},
	{"hook_fired", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		fired := r.Truth(k, n)
		e.HookFired = &fired
	}},
	{"model_sees", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) { e.ModelSees = r.textOrTexts(k, n) }},
	{"files", func(r *reader, k string, n *yaml.Node, e *suites.Expectation) {
		r.List(k, n, func(c *yaml.Node) { e.Files = append(e.Files, r.expectedFile(c)) })
	}},
}

var streamFields = []field[suites.TextExpectation]{
	{"contains", func(r *reader, k string, n *yaml.Node, t *suites.TextExpectation) { t.Contains = r.textOrTexts(k, n) }},
	{"matches", func(r *reader, k string, n *yaml.Node, t *suites.TextExpectation) { t.Matches = r.patterns(k, n) }},
	{"absent", func(r *reader, k string, n *yaml.Node, t *suites.TextExpectation) { t.Absent = r.textOrTexts(k, n) }},
	{"empty", func(r *reader, k string, n *yaml.Node, t *suites.TextExpectation) {
		if t.Empty = r.Truth(k, n); n.ShortTag() == "!!bool" && !t.Empty {
			r.Wrong(n, k, "true", `leave it out; text is asked for by matches: "."`)
		}
	}},
}

// stream reads what is expected of stdout or stderr.
func (r *reader) stream(name string, n *yaml.Node) *suites.TextExpectation {
	t := new(suites.TextExpectation)
	decode(r, name, streamFields, n, t)
	if t.Empty && len(t.Contains)+len(t.Matches) > 0 {
		r.Add(n, name+": empty cannot stand beside contains or matches", "keep one of them")
	}
	if t.IsZero() {
		return nil // as if it were not there
	}
	return t
}

var fileFields = []field[suites.FileExpectation]{
	{"path", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) { f.Path = r.text(k, n) }},
	{"absent", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) { f.Absent = r.Truth(k, n) }},
	{"change", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) {
		f.Change = suites.ChangeKind(r.Choice(k, n, changes))
	}},
	{"contains", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) {
		f.Text.Contains = r.textOrTexts(k, n)
	}},
	{"matches", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) { f.Text.Matches = r.patterns(k, n) }},
	{"lacks", func(r *reader, k string, n *yaml.Node, f *suites.FileExpectation) {
		f.Text.Absent = r.textOrTexts(k, n)
	}},
}

var changes = []string{string(suites.Created), string(suites.Changed), string(suites.Deleted), string(suites.Untouched)}

func (r *reader) expectedFile(n *yaml.Node) suites.FileExpectation {
	var f suites.FileExpectation
	decode(r, "files", fileFields, n, &f)
	r.required(n, "a file", "path")
	if f.Absent && !f.Text.IsZero() {
		r.Add(n, "files: absent cannot stand beside contains, matches or lacks", "keep one of them")
	}
	if f.Change != "" && (f.Absent || !f.Text.IsZero()) {
		r.Add(n, "files: change cannot stand beside absent, contains, matches or lacks", "give the content an entry of its own")
	}
	return f
}

// expectation checks what one key alone does not show.
func (r *reader) expectation(name string, n *yaml.Node, e *suites.Expectation) {
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		r.Add(n, name+": must not be empty", "such as {exit: 0}")
	}
	if n.Kind == yaml.MappingNode && e.JQ != "" && e.Stdout != nil && e.Stdout.Empty {
		r.Add(lookup(n, "jq"), name+": jq cannot stand beside an empty stdout", "keep one of them")
	}
}

// expectsNothing reports whether every outcome would do.
func expectsNothing(e *suites.Expectation) bool {
	return e.Exit == nil && !e.Sound && e.Decision == "" && e.Effect == "" && e.Stdout.IsZero() && e.Stderr.IsZero() &&
		e.JQ == "" && len(e.ModelSees)+len(e.Files) == 0
}

// patterns takes regular expressions, one or a list.
func (r *reader) patterns(name string, n *yaml.Node) []string {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	v := r.textOrTexts(name, n)
	for i := range v {
		flaw := r.once(name+" "+v[i], func() error { return expression.Check(expression.Pattern, v[i]) })
		if flaw != "" {
			r.Add(items[i], name+": no valid regular expression: "+strings.TrimPrefix(flaw, "error parsing regexp: "), "")
		}
	}
	return v
}

// filter takes a jq filter.
func (r *reader) filter(name string, n *yaml.Node) string {
	v := r.text(name, n)
	flaw := r.once(name+" "+v, func() error { return expression.Check(expression.Filter, v) })
	if v != "" && flaw != "" {
		r.Add(n, name+": no valid filter: "+flaw, "")
	}
	return v
}

// once checks a text that a file may repeat many times a single time.
func (r *reader) once(text string, check func() error) (flaw string) {
	flaw, known := r.checked[text]
	if known {
		return flaw
	}
	if err := check(); err != nil {
		flaw = err.Error()
	}
	if r.checked == nil {
		r.checked = map[string]string{}
	}
	r.checked[text] = flaw
	return flaw
}
