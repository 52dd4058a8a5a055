package trace

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	globs "mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// comparisons returns those that a statement makes of variables, and the hash of what is left of it.
func (b *builder) comparisons(st *script.Statement) (all []script.Comparison, rest uint64) {
	n := b.nodes[st]
	if st.Arm {
		item := n.(*syntax.CaseItem)
		c := b.cases[item]
		return []script.Comparison{arm{b.text(item.Patterns[0].Pos(), item.Patterns[len(item.Patterns)-1].End()), b.event(c), c.Word, item.Patterns}}, hashOf(n, true, func(v reflect.Value) bool { return v.Type() == typeWords })
	}
	var searches []search
	add := func(s search, ok bool) {
		if ok {
			all, searches = append(all, s), append(searches, s)
		}
	}
	b.own(st, func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.BinaryCmd:
			add(b.pipe(n))
		case *syntax.Stmt:
			add(b.hereString(n))
		case *syntax.TestClause:
			text := b.text(n.Pos(), n.End())
			all = append(all, test{text, n})
		case *syntax.CaseClause: // whose values the arms need
			all = append(all, arm{event: b.event(n)})
		}
	})
	return all, hashOf(n, true, without(searches))
}

func (b *builder) text(from, to syntax.Pos) string { return b.src[from.Offset():to.Offset()] }

// event returns the text by which bash reports a case, squeezed.
func (b *builder) event(c *syntax.CaseClause) string {
	return "case" + squeeze(b.text(c.Word.Pos(), c.Word.End())) + "in"
}

// A test is [[ ]].
type test struct {
	text   string
	clause *syntax.TestClause
}

func (t test) Text() string  { return t.text }
func (t test) Event() string { return squeeze(t.text) }

// Answer evaluates the expression as bash does, as far as its meaning is the same everywhere.
func (t test) Answer(values map[string]*string) script.Answer {
	return evaluator{values}.test(t.clause.X)
}

// An arm is one of a case; without patterns it stands for the case itself.
type arm struct {
	text, event string
	word        *syntax.Word
	patterns    []*syntax.Word
}

func (a arm) Text() string  { return a.text }
func (a arm) Event() string { return a.event }

// Answer reports whether one of the patterns matches. What is not known may also have effects, so nothing behind it
// decides.
func (a arm) Answer(values map[string]*string) script.Answer {
	for _, p := range a.patterns {
		if answer := (evaluator{values}).glob(a.word, p); answer != script.No {
			return answer
		}
	}
	return script.No
}

func not(a script.Answer) script.Answer {
	switch a {
	case script.Yes:
		return script.No
	case script.No:
		return script.Yes
	}
	return a
}

func answer(yes bool) script.Answer {
	if yes {
		return script.Yes
	}
	return script.No
}

// An evaluator evaluates expressions of [[ ]] and patterns of case with the values of variables.
type evaluator struct{ values map[string]*string }

func (e evaluator) test(x syntax.TestExpr) script.Answer {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return e.test(x.X)
	case *syntax.UnaryTest:
		return e.unary(x)
	case *syntax.BinaryTest:
		return e.binary(x)
	}
	return script.Unknown
}

func (e evaluator) unary(x *syntax.UnaryTest) script.Answer {
	switch x.Op {
	case syntax.TsNot:
		return not(e.test(x.X))
	case syntax.TsEmpStr, syntax.TsNempStr:
		word, _ := x.X.(*syntax.Word)
		text, ok := e.literal(word)
		if !ok {
			return script.Unknown
		}
		return answer((text == "") == (x.Op == syntax.TsEmpStr))
	}
	return script.Unknown
}

func (e evaluator) binary(x *syntax.BinaryTest) script.Answer {
	left, _ := x.X.(*syntax.Word)
	right, _ := x.Y.(*syntax.Word)
	switch x.Op {
	case syntax.AndTest:
		if first := e.test(x.X); first != script.Yes {
			return first // also what is not known, which may have effects
		}
		return e.test(x.Y)
	case syntax.OrTest:
		if first := e.test(x.X); first != script.No {
			return first
		}
		return e.test(x.Y)
	case syntax.TsMatch, syntax.TsMatchShort:
		return e.glob(left, right)
	case syntax.TsNoMatch:
		return not(e.glob(left, right))
	case syntax.TsReMatch:
		return e.regexp(left, right)
	}
	return script.Unknown
}

// glob reports whether the text of a word matches the pattern of another one.
func (e evaluator) glob(word, glob *syntax.Word) script.Answer {
	text, ok := e.literal(word)
	if !ok || !e.knows(glob) {
		return script.Unknown
	}
	p, err := expand.Pattern(e.config(), glob)
	if err != nil || !plainText(p) {
		return script.Unknown
	}
	expr, err := globs.Regexp(p, globs.EntireString)
	if err != nil {
		return script.Unknown
	}
	return matches(expr, text)
}

// regexp reports whether the text of a word matches the regular expression of another one.
func (e evaluator) regexp(word, expr *syntax.Word) script.Answer {
	text, ok := e.literal(word)
	if !ok || !e.knows(expr) {
		return script.Unknown
	}
	var b strings.Builder
	for _, part := range expr.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
			continue
		}
		value, err := expand.Literal(e.config(), &syntax.Word{Parts: []syntax.WordPart{part}})
		if _, quoted := part.(*syntax.ParamExp); !quoted {
			value = regexp.QuoteMeta(value)
		}
		if err != nil {
			return script.Unknown
		}
		b.WriteString(value)
	}
	if !meansTheSame(b.String()) {
		return script.Unknown
	}
	return matches("(?s)"+b.String(), text)
}

// matches reports whether an expression in Go's syntax matches a text. Whether a range of letters has those in the other
// case depends on the locale.
func matches(expr, text string) script.Answer {
	if lowerRange().MatchString(expr) && upper().MatchString(text) || upperRange().MatchString(expr) && lower().MatchString(text) {
		return script.Unknown
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return script.Unknown
	}
	return answer(re.MatchString(text))
}

var lowerRange, upperRange, lower, upper = pattern.Lazy(`[a-z]-[a-z]`), pattern.Lazy(`[A-Z]-[A-Z]`), pattern.Lazy(`[a-z]`), pattern.Lazy(`[A-Z]`)

// odd matches what extended regular expressions of POSIX and those of Go mean differently: escaped letters, backslashes
// and collating elements in brackets, repetitions of nothing, and anchors in the middle.
var odd = pattern.Lazy("\\\\[A-Za-z0-9<>`']|\\\\$|\\[\\^?\\]|\\[[^]]*(?:\\\\|\\[[.=])|[(|^$][*+?{]|[*+?}][*+?{]|[^(|[\\\\]\\^|(?:^|[^\\\\])\\$[^)|]")

// bounds matches a number of repetitions and what is escaped; other braces are texts in one syntax and errors in another.
var bounds = pattern.Lazy(`\{\d{1,2}(?:,\d{0,2})?\}|\\.`)

// meansTheSame reports whether an extended regular expression of POSIX means the same in Go.
func meansTheSame(expr string) bool {
	return plainText(expr) && !odd().MatchString(expr) && !strings.ContainsAny(bounds().ReplaceAllString(expr, ""), "{}")
}

// literal returns the text of a word.
func (e evaluator) literal(word *syntax.Word) (string, bool) {
	if word == nil || !e.knows(word) {
		return "", false
	}
	text, err := expand.Literal(e.config(), word)
	return text, err == nil && plainText(text)
}

// plainText reports whether a text means the same in all locales.
func plainText(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > 126 || c == 0 })
}

// knows reports whether a word consists of texts and of variables whose values are known.
func (e evaluator) knows(word *syntax.Word) bool {
	known := true
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Word:
		case *syntax.DblQuoted:
			known = known && !n.Dollar
		case *syntax.SglQuoted:
			known = known && !n.Dollar
		case *syntax.Lit:
			known = known && !strings.HasPrefix(n.Value, "~") && n.Value != "]]"
		case *syntax.ParamExp:
			known = known && e.hasValue(n)
			return false
		default:
			known = false
		}
		return known
	})
	return known
}

// hasValue reports whether a parameter expands to a known value, or to a plain default without one.
func (e evaluator) hasValue(p *syntax.ParamExp) bool {
	plain := &syntax.ParamExp{Dollar: p.Dollar, Rbrace: p.Rbrace, Short: p.Short, Param: p.Param, Exp: p.Exp}
	if p.Param == nil || hashOf(p, false, nil) != hashOf(plain, false, nil) {
		return false
	}
	value, recorded := e.values[p.Param.Value]
	switch {
	case !recorded, varies(p.Param.Value):
		return false
	case p.Exp == nil:
		return value != nil
	case p.Exp.Op != syntax.DefaultUnset && p.Exp.Op != syntax.DefaultUnsetOrNull:
		return false
	}
	return p.Exp.Word == nil || e.knows(p.Exp.Word)
}

// varies reports whether bash itself gives a variable its value.
func varies(name string) bool {
	return strings.HasPrefix(name, "BASH") || slices.Contains([]string{"_", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "FUNCNAME", "EPOCHSECONDS", "EPOCHREALTIME", "PIPESTATUS", "DIRSTACK"}, name)
}

func (e evaluator) config() *expand.Config { return &expand.Config{Env: e} }

// Get implements expand.Environ.
func (e evaluator) Get(name string) expand.Variable {
	if value := e.values[name]; value != nil {
		return expand.Variable{Set: true, Kind: expand.String, Str: *value}
	}
	return expand.Variable{}
}

// Each implements expand.Environ.
func (e evaluator) Each(yield func(string, expand.Variable) bool) {
	for name := range e.values {
		if !yield(name, e.Get(name)) {
			return
		}
	}
}
