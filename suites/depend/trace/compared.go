package trace

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	globs "mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/pattern"
)

// Values are the variables of one evaluation of a comparison, by name; nil for one that is not set.
type Values map[string]*string

// An evaluated comparison is one of a statement, by the text that bash reports.
type evaluated struct {
	statement script.Key
	text      string
}

// An evaluation is one record of the log: that bash was about to evaluate a comparison.
type evaluation struct {
	event
	// known is false if some value is missing, or if more than the values decides.
	known  bool
	values Values
}

// The bounds of what is kept: evaluations of a comparison, and bytes of a file. Of more, none is.
const (
	mostValues = 16
	mostBytes  = 16 << 10
)

// evaluationOf parses a record: the place, what bash compares otherwise than usual, the command, and the
// variables.
func evaluationOf(f []string) (evaluation, error) {
	if len(f) < 5 {
		return evaluation{}, errors.New("its log holds a torn line")
	}
	e := evaluation{event: event{function: f[0], file: f[1], dir: f[2], text: squeeze(f[4])}, known: f[3] == "", values: Values{}}
	for _, variable := range f[5:] {
		name, value, set := strings.Cut(variable, "=")
		if e.values[name] = nil; set {
			e.values[name] = &value
		}
	}
	return e, nil
}

// evaluate adds the values of an evaluation to the statements that it may belong to.
func (f *fileDecoder) evaluate(e evaluation) {
	if f.bytes > mostBytes {
		return
	}
	scope := f.scope(e.function)
	for _, st := range f.script.Statements {
		compares := func(c script.Comparison) bool { return c.Event() == e.text }
		if !slices.ContainsFunc(st.Comparisons, compares) || st.Function != nil || !scope(st) {
			continue
		}
		if f.met.Values == nil {
			f.met.Values = map[evaluated][]Values{}
		}
		of := evaluated{st.Key, e.text}
		values := e.values
		switch n := len(f.met.Values[of]); {
		case n > mostValues:
			continue
		case n == mostValues, !e.known:
			values = nil
		}
		f.met.Values[of] = append(f.met.Values[of], values)
		for name, value := range values {
			f.bytes += len(name)
			if value != nil {
				f.bytes += len(*value)
			}
		}
	}
	if f.bytes > mostBytes {
		f.met.Values = nil
	}
}

// Compared are the values of a trace, by file and digest.
type Compared map[[2]string]map[evaluated][]Values

// Compared returns the values of a trace, which JSON leaves out; nil if it has none.
func (t *Trace) Compared() Compared {
	var all Compared
	if t == nil {
		return nil
	}
	for file, met := range t.Files {
		if met.Values != nil {
			if all == nil {
				all = Compared{}
			}
			all[[2]string{file, met.Digest}] = met.Values
		}
	}
	return all
}

// Recall adds values that Compared returned of the same trace.
func (t *Trace) Recall(c Compared) {
	for file, met := range t.Files {
		met.Values = c[[2]string{file, met.Digest}]
	}
}

// A replacement is a statement in place of one that differs from it only in comparisons.
type replacement struct{ old, new *script.Statement }

// replaced returns the replacement of a statement by another one; nil if more than comparisons differs, or if another
// statement of the block could be taken for one of them.
func replaced(old, new *script.Statement) *replacement {
	if old.Rest != new.Rest || len(old.Comparisons) == 0 || len(old.Comparisons) != len(new.Comparisons) || len(old.Blocks) != len(new.Blocks) {
		return nil
	}
	for _, b := range []*script.Block{old.In, new.In} {
		for _, s := range b.Statements {
			if s != old && s != new && (s.Shell == old.Shell || s.Shell == new.Shell) {
				return nil
			}
		}
	}
	return &replacement{old, new}
}

// same reports whether all evaluations of the old statement that a trace knows answer as before in the new one.
func (r *replacement) same(met *Met) bool {
	equal := equalBlocks(r.old.Blocks, r.new.Blocks)
	for i, old := range r.old.Comparisons {
		new := r.new.Comparisons[i]
		if old.Text() == new.Text() && equal {
			continue
		}
		if !sameAnswers(met.Values[evaluated{valuesOf(r.old), old.Event()}], func(v Values) bool {
			was := old.Answer(v)
			return was != script.Unknown && was == new.Answer(v) && (equal || was == script.No)
		}) {
			return false
		}
	}
	return equal || r.old.Arm
}

// valuesOf returns the key of the statement whose values a statement compares. An arm compares those of its case.
func valuesOf(s *script.Statement) script.Key {
	if s.Arm {
		return s.In.Of.Key
	}
	return s.Key
}

// revealing are the words by which code may see more of a comparison than its answer: its text, what a regular expression
// matched, and either in code that is in no file.
var revealing = []string{"BASH_COMMAND", "BASH_REMATCH", "eval"}

// reveals returns the words by which code may see more than the answers of the comparisons that differ.
func (r *replacement) reveals() []string {
	for i, old := range r.old.Comparisons {
		if new := r.new.Comparisons[i]; old.Text() != new.Text() && strings.Contains(old.Text()+new.Text(), "=~") {
			return revealing
		}
	}
	return slices.DeleteFunc(slices.Clone(revealing), func(word string) bool { return word == "BASH_REMATCH" })
}

// sameAnswers reports whether all evaluations are known, and the answer to each is the same.
func sameAnswers(all []Values, same func(Values) bool) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(v Values) bool { return v == nil || !same(v) })
}

// equalBlocks reports whether the statements in two lists of blocks are equal.
func equalBlocks(old, new []*script.Block) bool {
	return slices.EqualFunc(old, new, func(o, n *script.Block) bool {
		return o.Slot == n.Slot && slices.EqualFunc(o.Statements, n.Statements, func(o, n *script.Statement) bool { return o.Full == n.Full })
	})
}

// carry adds to what a run reached what it reaches in the new statement, under its keys.
func (r *replacement) carry(keys map[script.Key]bool, values map[evaluated][]Values) {
	pairs(r.old, r.new, func(o, n *script.Statement) {
		if keys[o.Key] {
			keys[n.Key] = true
		}
		for i, c := range o.Comparisons[:min(len(o.Comparisons), len(n.Comparisons))] {
			if all := values[evaluated{o.Key, c.Event()}]; !o.Arm && all != nil {
				values[evaluated{n.Key, n.Comparisons[i].Event()}] = all
			}
		}
	})
}

// pairs calls visit for two statements and those in their blocks.
func pairs(old, new *script.Statement, visit func(old, new *script.Statement)) {
	visit(old, new)
	for i, b := range old.Blocks {
		for j, s := range b.Statements[:min(len(b.Statements), len(new.Blocks[i].Statements))] {
			pairs(s, new.Blocks[i].Statements[j], visit)
		}
	}
}

// after returns what a run reached of a file after edits that do not affect it.
func (m *Met) after(list []Edit) Met {
	moved := *m
	var keys map[script.Key]bool
	for _, e := range list {
		if e.replaces == nil || m.Values == nil {
			continue
		}
		if keys == nil {
			keys, moved.Values = m.Statements.keys(), maps.Clone(m.Values)
		}
		e.replaces.carry(keys, moved.Values)
	}
	if keys != nil {
		moved.Statements = NewSet(keys)
	}
	return moved
}

// comparisons returns those that a statement makes of variables, and the hash of what is left of it.
func (b *builder) comparisons(st *script.Statement) (all []script.Comparison, rest uint64) {
	n := b.nodes[st]
	if st.Arm {
		item := n.(*syntax.CaseItem)
		c := b.cases[item]
		return []script.Comparison{arm{b.text(item.Patterns[0].Pos(), item.Patterns[len(item.Patterns)-1].End()), b.event(c), c.Word, item.Patterns}}, hashOf(n, true, typeWords)
	}
	b.own(st, func(n syntax.Node) {
		switch n := n.(type) {
		case *syntax.TestClause:
			text := b.text(n.Pos(), n.End())
			all = append(all, test{text, n})
		case *syntax.CaseClause: // whose values the arms need
			all = append(all, arm{event: b.event(n)})
		}
	})
	return all, hashOf(n, true, typeTest)
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

// Answer reports whether one of the patterns matches.
func (a arm) Answer(values map[string]*string) script.Answer {
	answer := script.No
	for _, p := range a.patterns {
		answer = or(answer, evaluator{values}.glob(a.word, p))
	}
	return answer
}

func or(a, b script.Answer) script.Answer {
	switch {
	case a == script.Yes || b == script.Yes:
		return script.Yes
	case a == script.Unknown || b == script.Unknown:
		return script.Unknown
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
		return not(or(not(e.test(x.X)), not(e.test(x.Y))))
	case syntax.OrTest:
		return or(e.test(x.X), e.test(x.Y))
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
	if own, ok := extended(b.String()); ok {
		return matches("(?s)"+own, text)
	}
	return script.Unknown
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

// extended returns an extended regular expression in Go's syntax; false if it may mean something else there.
func extended(expr string) (string, bool) {
	return expr, plainText(expr) && !odd().MatchString(expr) && !strings.ContainsAny(bounds().ReplaceAllString(expr, ""), "{}")
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
		case nil, *syntax.Word, *syntax.DblQuoted:
			known = known && !isDollar(n)
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

func isDollar(n syntax.Node) bool {
	q, ok := n.(*syntax.DblQuoted)
	return ok && q.Dollar
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

// evaluationTrap logs the variables of [[ ]] and case before they are evaluated. It is a part of the DEBUG trap, and uses
// no simple command but assignments, which change $_, until that is passed on.
func evaluationTrap() string {
	const most = 400 // characters of a value, so that one write suffices
	return fmt.Sprintf(`__hookwatch_how=; case $- in *[xv]*) __hookwatch_how=x ;; esac; case ${BASHOPTS-} in *nocasematch*|*compat[345]*) __hookwatch_how=c ;; esac; `+
		`__hookwatch_left=${BASH_COMMAND:0:1000} __hookwatch_values=; `+
		`while case $__hookwatch_left in *\$*) ;; *) false ;; esac; do `+
		`__hookwatch_left=${__hookwatch_left#*\$}; __hookwatch_left=${__hookwatch_left#\{}; __hookwatch_name=${__hookwatch_left%%%%[!a-zA-Z0-9_]*}; `+
		`case $__hookwatch_name in [a-zA-Z_]*|[1-9]) `+
		`if [[ -z ${!__hookwatch_name+x} ]]; then __hookwatch_values+=$__hookwatch_name$'\037'; `+
		`else case ${!__hookwatch_name} in *$'\037'*) __hookwatch_how=v ;; esac; [[ ${#__hookwatch_values} -lt 2000 ]] || __hookwatch_how=l; `+
		`__hookwatch_values+=$__hookwatch_name=${!__hookwatch_name:0:%d}$'\037'; [[ ${!__hookwatch_name} == "${!__hookwatch_name:0:%d}" ]] || __hookwatch_how=l; fi ;; `+
		`esac; done; `+
		`[[ ${#BASH_COMMAND} -lt 1000 ]] || __hookwatch_how=l; `+
		`builtin printf "V\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "$__hookwatch_how" "${BASH_COMMAND:0:1000}" "${__hookwatch_values%%?}"`, most, most)
}
