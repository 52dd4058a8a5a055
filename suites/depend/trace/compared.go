package trace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

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
// matched, and either in code that is in no file; and those by which grep may be another program or function, or its last
// word used.
var revealing = []string{"BASH_COMMAND", "eval", "BASH_REMATCH", "PATH=", "alias", "$_", redefined}

// revealed matches these words; not a part of another one, such as FILE_PATH=.
var revealed = pattern.Lazy(`\b(?:BASH_COMMAND|eval|BASH_REMATCH|PATH=|alias)|\$\{?_\b`)

// redefined stands for a function with the name of a command that searches need.
const redefined = "grep()"

// reveals returns the words by which code may see more than the answers of the comparisons that differ.
func (r *replacement) reveals() []string {
	words := revealing[:2]
	for i, old := range r.old.Comparisons {
		new := r.new.Comparisons[i]
		if _, search := old.(search); search && old.Text() != new.Text() {
			return revealing
		}
		if old.Text() != new.Text() && strings.Contains(old.Text()+new.Text(), "=~") {
			words = revealing[:3]
		}
	}
	return words
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
	if keys[r.old.Key] {
		keys[r.new.Key] = true
	}
	for i, c := range r.old.Comparisons {
		if all := values[evaluated{r.old.Key, c.Event()}]; all != nil {
			values[evaluated{r.new.Key, r.new.Comparisons[i].Event()}] = all
		}
	}
	if !equalBlocks(r.old.Blocks, r.new.Blocks) {
		return // nothing in them was reached
	}
	for i, b := range r.old.Blocks {
		for j, s := range b.Statements {
			(&replacement{s, r.new.Blocks[i].Statements[j]}).carry(keys, values)
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

// evaluationTrap logs the variables of [[ ]], case and searches before they are evaluated: for grep, those of a here-string,
// or of an echo directly before it, as in a pipeline, of which bash first comes to all commands in order. It is a part of
// the DEBUG trap, and uses no simple command but assignments, which change $_, until that is passed on.
func evaluationTrap() string {
	const most = 400 // characters of a value, so that one write suffices
	return fmt.Sprintf(`case $BASH_COMMAND in "[[ "*|"case "*|"grep "*"<<<"*) __hookwatch_text=$BASH_COMMAND ;; "grep "*) __hookwatch_text=${__hookwatch_echo-} ;; *) __hookwatch_text= ;; esac; `+
		`case $BASH_COMMAND in "echo "*\$*|"printf "*\$*) __hookwatch_echo=$BASH_COMMAND ;; *) __hookwatch_echo= ;; esac; `+
		`case $__hookwatch_text in ?*) `+
		`__hookwatch_how=; case $- in *[xv]*) __hookwatch_how=x ;; esac; case ${BASHOPTS-} in *nocasematch*|*compat[345]*|*xpg_echo*) __hookwatch_how=c ;; esac; `+
		`__hookwatch_left=${__hookwatch_text:0:1000} __hookwatch_values=; `+
		`while case $__hookwatch_left in *\$*) ;; *) false ;; esac; do `+
		`__hookwatch_left=${__hookwatch_left#*\$}; __hookwatch_left=${__hookwatch_left#\{}; __hookwatch_name=${__hookwatch_left%%%%[!a-zA-Z0-9_]*}; `+
		`case $__hookwatch_name in [a-zA-Z_]*|[1-9]) `+
		`if [[ -z ${!__hookwatch_name+x} ]]; then __hookwatch_values+=$__hookwatch_name$'\037'; `+
		`else case ${!__hookwatch_name} in *$'\037'*) __hookwatch_how=v ;; esac; [[ ${#__hookwatch_values} -lt 2000 ]] || __hookwatch_how=l; `+
		`__hookwatch_values+=$__hookwatch_name=${!__hookwatch_name:0:%d}$'\037'; [[ ${!__hookwatch_name} == "${!__hookwatch_name:0:%d}" ]] || __hookwatch_how=l; fi ;; `+
		`esac; done; `+
		`[[ ${#__hookwatch_text} -lt 1000 ]] || __hookwatch_how=l; `+
		`builtin printf "V\037%%s\037%%s\037%%s\037%%s\037%%s\037%%s\0" "${FUNCNAME[0]-}" "${BASH_SOURCE[0]-}" "$PWD" "$__hookwatch_how" "${__hookwatch_text:0:1000}" "${__hookwatch_values%%?}" || : ;; `+
		`esac`, most, most)
}
